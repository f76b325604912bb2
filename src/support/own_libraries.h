// Where our libraries that are loaded on demand may be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewire {

// Paths of files with that name, the likeliest first; last only the name, for the search path of the system.
std::vector<std::filesystem::path> own_library_places(const std::string& file_name);

}  // namespace tilewire
