// Where libraries of ours that are loaded on demand may lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewire {

// Paths of files with that name, the likeliest first; last the name alone, for where the system looks.
std::vector<std::filesystem::path> own_library_places(const std::string& file_name);

}  // namespace tilewire
