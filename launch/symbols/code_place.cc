// Which of a thread's return addresses lie in the program, by the dynamic loader's map.
#include "launch/symbols/code_place.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstring>
#include <utility>

#include "corespec/threads/calling_context.h"

namespace launch {
namespace {

/// The library call's caller, and a few more in case the first are wrappers of MPI's functions.
constexpr std::size_t most_places = 4;

constexpr std::array<std::string_view, 14> own_names{
    "libcorespec.so",  "libcastor_", "libmpi.so",   "libmpich.so", "libmpifort.so",
    "libmpichfort.so", "libugni.so", "libdmapp.so", "libpmi.so",   "libarmci.so",
    "libalps",         "libgpcd.so", "librca.so",   "libudreg.so"};
/// Of the languages, and those that Castor's libraries call or are called by.
constexpr std::array<std::string_view, 16> system_names{"libc.so",        "libm.so",
                                                        "libpthread.so",  "libdl.so",
                                                        "librt.so",       "ld-linux",
                                                        "libgcc_s.so",    "libstdc++.so",
                                                        "libgfortran.so", "libgomp.so",
                                                        "libomp.so",      "libasan.so",
                                                        "libtsan.so",     "libboost_context.so",
                                                        "libpmix.so",     "libfabric.so"};

template <typename Names>
bool begins_with_one(std::string_view name, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return name.starts_with(each); });
}

const link_map* module_at(const void* address) {
  dl_find_object found{};
  // Without a lock, unlike dladdr().
  if (_dl_find_object(const_cast<void*>(address), &found) != 0) return nullptr;
  return found.dlfo_link_map;
}

/// The program that the process was started with: where it is a launcher, Castor's.
bool is_launcher(const link_map& module) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL && strings; ++entry) {
    const bool needed = entry->d_tag == DT_NEEDED;
    if (needed && std::strcmp(strings + entry->d_un.d_val, "libcorespec.so") == 0) return true;
  }
  return false;
}

std::string main_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

/// Without links in it: a library is found by several paths.
std::string folder_of(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  const std::string full = realpath(path.c_str(), resolved.data()) ? resolved.data() : path;
  return full.substr(0, full.size() - file_name(full).size());
}

}  // namespace

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

PlaceFinder::PlaceFinder() {
  const link_map* own = module_at(reinterpret_cast<const void*>(&corespec::own_context));
  if (own != nullptr) own_directory_ = folder_of(own->l_name);
}

/// Castor's, or the system's.
bool PlaceFinder::is_foreign(const std::string& path) {
  const auto [known, fresh] = foreign_.try_emplace(path, false);
  if (fresh) {
    const std::string_view name = file_name(path);
    known->second = begins_with_one(name, system_names) ||
                    (begins_with_one(name, own_names) && folder_of(path) == own_directory_);
  }
  return known->second;
}

/// Empty: not the program's.
const std::string& PlaceFinder::file_of(const link_map& module, const void* address,
                                        const OriginalFile& original) {
  const auto known = files_.find(&module);
  if (known != files_.end()) return known->second;
  copied_ = original ? original(address) : std::string();
  if (!copied_.empty()) {
    if (is_foreign(copied_)) copied_.clear();
    return copied_;
  }
  std::string file = module.l_name;
  if (file.empty() && !is_launcher(module)) file = main_program();
  if (is_foreign(file)) file.clear();
  return files_[&module] = std::move(file);
}

std::vector<CodePlace> PlaceFinder::find(std::span<void* const> context,
                                         const OriginalFile& original) {
  std::vector<CodePlace> places;
  for (void* const returns_to : context) {
    if (places.size() == most_places) break;
    const char* const call = static_cast<const char*>(returns_to) - 1;
    const link_map* const module = module_at(call);
    if (module == nullptr) continue;  // the kernel's, or made at run time
    const std::string& file = file_of(*module, call, original);
    if (file.empty()) continue;
    places.push_back({file, reinterpret_cast<std::uintptr_t>(call) - module->l_addr});
  }
  return places;
}

std::string marked(const std::vector<CodePlace>& places) {
  std::string text;
  for (const CodePlace& place : places) {
    text += fmt::format("{}{:x} {}{}", place_begins, place.offset, place.file, place_ends);
  }
  return text;
}

namespace {

/// "12ab /path/of/file".
CodePlace read_place(std::string_view text) {
  CodePlace place;
  const auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), place.offset, 16);
  const auto used = static_cast<std::size_t>(at - text.data());
  if (error == std::errc() && used < text.size()) place.file = text.substr(used + 1);
  return place;
}

}  // namespace

std::string with_places(std::string_view text, const SayPlaces& say) {
  std::string made;
  std::vector<CodePlace> places;
  while (!text.empty()) {
    const std::size_t end = text.front() == place_begins ? text.find(place_ends) : text.npos;
    if (end != text.npos) {
      places.push_back(read_place(text.substr(1, end - 1)));
      text.remove_prefix(end + 1);
      continue;
    }
    if (!places.empty()) made += say(std::exchange(places, {}));
    // A mark that has no other is none to be printed.
    if (text.front() != place_begins && text.front() != place_ends) made += text.front();
    text.remove_prefix(1);
  }
  if (!places.empty()) made += say(places);
  return made;
}

std::string plain_text(const std::vector<CodePlace>& places) {
  if (places.empty()) return {};
  return fmt::format(" at {}+{:#x}", file_name(places.front().file), places.front().offset);
}

}  // namespace launch
