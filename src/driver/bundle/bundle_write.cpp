#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "driver/bundle/bundle.h"
#include "driver/bundle/bundle_files.h"
#include "driver/bundle/bundle_json.h"
#include "driver/bundle/cpu_features.h"
#include "driver/bundle/link.h"
#include "driver/sha256.h"
#include "ir/op.h"
#include "ir/serialize.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
namespace {

namespace fs = std::filesystem;

enum class Place { Free, Replaced, Refused };

bool unwritable(const fs::path& path, const std::error_code& error, Diagnostics& diags) {
  if (error) diags.report(diag::bundle_unwritable, {}, {path.string(), error.message()});
  return static_cast<bool>(error);
}

// What exists where the bundle is to be written. Only files that belong to a bundle are ever replaced.
Place inspect(const fs::path& folder, Diagnostics& diags) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return Place::Free;
  auto refuse = [&] {
    diags.report(diag::bundle_exists, {}, {folder.string()})
        .with_help("write to a folder that does not exist");
    return Place::Refused;
  };
  if (!fs::is_directory(folder, error)) return refuse();
  if (fs::is_empty(folder, error)) return Place::Replaced;
  std::set<std::string> known = {"bundle.json"};
  Diagnostics ignored;
  auto text = read_file(folder / "bundle.json", largest_json, ignored);
  auto old = text ? BundleDescription::read(*text, "bundle.json", ignored) : std::nullopt;
  if (!old) return refuse();
  for (const auto& [path, file] : old->files) known.insert(path);
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().lexically_relative(folder).string();
    bool ours = it->is_directory() && !it->is_symlink() ? name == "kernels" || name == "orchestration"
                                                        : known.contains(name);
    if (ours) continue;
    diags.report(diag::bundle_foreign_file, {}, {folder.string(), name});
    return Place::Refused;
  }
  return unwritable(folder, error, diags) ? Place::Refused : Place::Replaced;
}

// A name for files: letters, digits and underscores.
std::string file_stem(const std::string& name) {
  std::string stem;
  for (char c : name) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    stem += plain ? c : '_';
  }
  return stem.substr(0, 100);
}

class Writer {
 public:
  Writer(std::string root, Diagnostics& diags) : root_(std::move(root)), diags_(diags) {}

  bool write(const BundleContent& content) {
    BundleEntry entry;
    entry.name = content.name;
    entry.function = ir::ref(content.entry);
    entry.ranks = content.ranks;
    for (const ir::TypeRef& type : content.entry->return_types) entry.results.push_back(result_of(type));
    std::string stem = "kernels/" + file_stem(content.name);
    entry.code = stem + ".so";
    entry.strided = stem + ".strided.so";
    if (!add_folder("kernels")) return false;
    if (!content.manifest.groups.empty()) {
      bool added = add_folder("orchestration") && add(manifest_path, content.manifest.write());
      if (!added) return false;
    }
    if (!add(program_path, ir::to_bytes(ir::NodeRef(content.program)))) return false;
    bundle_.abi_version = abi::version;
    bundle_.triple = machine_triple();
    bundle_.features = cpu_features();
    for (bool strided : {false, true}) {
      auto interface = bundle_.interface_digest(entry, strided, diags_);
      auto object = interface ? content.object(strided, diags_) : std::nullopt;
      auto code = object ? link_shared(std::as_bytes(std::span(*object)), *interface, diags_) : std::nullopt;
      if (!code || !add(strided ? entry.strided : entry.code, *code)) return false;
    }
    bundle_.entries.push_back(std::move(entry));
    auto description = bundle_.write(diags_);
    return description && write_file(root_ + "/bundle.json", *description, diags_) && open_up();
  }

 private:
  static BundleResult result_of(const ir::TypeRef& type) {
    if (const auto* tensor = ir::as<ir::TensorType>(type)) {
      return {true, tensor->dtype, static_cast<int64_t>(tensor->shape.size())};
    }
    return {false, ir::scalar_dtype(type).value_or(ir::DType::Index), 0};
  }

  bool add_folder(const char* name) {
    std::error_code error;
    fs::create_directory(root_ + "/" + name, error);
    return !unwritable(root_ + "/" + name, error, diags_);
  }

  bool add(const std::string& path, const std::string& content) {
    bundle_.files[path] = {content.size(), hexadecimal(sha256(content))};
    return write_file(root_ + "/" + path, content, diags_);
  }

  // The folder was created for this user only; now it gets the permissions of a new folder.
  bool open_up() {
    std::error_code error;
    fs::perms usual = fs::status(root_ + "/kernels", error).permissions();
    if (!error) fs::permissions(root_, usual, error);
    return !unwritable(root_, error, diags_);
  }

  std::string root_;
  Diagnostics& diags_;
  BundleDescription bundle_;
};

// Both names exist: `made` and `folder` have been exchanged.
bool exchange(const std::string& made, const std::string& folder, Diagnostics& diags) {
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return true;
  // Not every file system can. An empty folder goes without.
  if (std::rename(made.c_str(), folder.c_str()) == 0) return true;
  std::string aside = made + ".old";
  bool moved = std::rename(folder.c_str(), aside.c_str()) == 0;
  if (moved && std::rename(made.c_str(), folder.c_str()) == 0) {
    std::error_code ignored;
    fs::remove_all(aside, ignored);
    return true;
  }
  diags.report(diag::bundle_unwritable, {}, {folder, std::strerror(errno)});
  if (moved) std::rename(aside.c_str(), folder.c_str());
  return false;
}

}  // namespace

bool write_bundle(const BundleContent& content, const std::string& folder, Diagnostics& diags) {
  std::error_code error;
  fs::path target = fs::absolute(folder, error);
  if (!target.has_filename()) target = target.parent_path();  // `folder/`
  target = fs::weakly_canonical(target, error);
  if (folder.empty() || unwritable(folder, error, diags)) {
    if (folder.empty()) diags.report(diag::bundle_unwritable, {}, {folder, "it has no name"});
    return false;
  }
  Place place = inspect(target, diags);
  if (place == Place::Refused) return false;
  fs::create_directories(target.parent_path(), error);
  if (unwritable(target.parent_path(), error, diags)) return false;
  TemporaryFolder made((target.parent_path() / ".tilewire-bundle-").string(), diags);
  if (!made.made() || !Writer(made.path(), diags).write(content)) return false;
  if (place == Place::Replaced) return exchange(made.path(), target.string(), diags);
  if (std::rename(made.path().c_str(), target.c_str()) != 0) {
    diags.report(diag::bundle_unwritable, {}, {target.string(), std::strerror(errno)});
    return false;
  }
  made.keep();
  return true;
}

bool is_bundle(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(fs::path(path) / "bundle.json", error);
}

}  // namespace tilewire::driver
