// Asks libdw for names of places.
#include "launch/symbols/symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/crc.hpp>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "launch/symbols/debug_library.h"

namespace launch {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

/// True of MPI's functions in C and in Fortran, and of wrappers, which have their names.
bool is_of_mpi(std::string_view function) {
  for (const std::string_view beginning : {"MPI_", "PMPI_", "mpi_", "pmpi_"}) {
    if (function.starts_with(beginning)) return true;
  }
  return false;
}

/// As objcopy --add-gnu-debuglink has it.
std::optional<std::uint32_t> checksum_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  boost::crc_32_type checksum;
  std::vector<char> bytes(std::size_t{1} << 16);
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || file.gcount() > 0) {
    checksum.process_bytes(bytes.data(), static_cast<std::size_t>(file.gcount()));
  }
  return checksum.checksum();
}

/// The separate debug file that `file` names, where GDB looks, too; or empty.
std::string linked_debug_file(const std::string& file, std::string_view name,
                              std::uint32_t checksum) {
  std::array<char, PATH_MAX> resolved{};
  const std::string path = realpath(file.c_str(), resolved.data()) ? resolved.data() : file;
  const std::string folder = path.substr(0, path.size() - file_name(path).size());
  for (const std::string& candidate :
       {fmt::format("{}{}", folder, name), fmt::format("{}.debug/{}", folder, name),
        fmt::format("/usr/lib/debug{}{}", folder, name)}) {
    if (candidate != path && checksum_of(candidate) == checksum) return candidate;
  }
  return {};
}

/// libdw's own callback (dwfl_standard_find_debuginfo) would ask the servers of DEBUGINFOD_URLS,
/// too.
int find_debug_file(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                    const char* file, const char* linked, GElf_Word checksum, char** found) {
  const int by_id = DebugLibrary::load()->dwfl_build_id_find_debuginfo(
      module, data, name, base, file, linked, checksum, found);
  if (by_id >= 0 || file == nullptr || linked == nullptr) return by_id;
  const std::string path = linked_debug_file(file, linked, checksum);
  if (path.empty()) return -1;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) *found = strdup(path.c_str());
  return descriptor;
}

int find_no_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }

int no_section_address(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, GElf_Word,
                       const GElf_Shdr*, Dwarf_Addr*) {
  return -1;
}

constexpr Dwfl_Callbacks callbacks{find_no_elf, find_debug_file, no_section_address, nullptr};

/// A function in which a place is, and where in it.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
};

}  // namespace

class Symbols::File {
 public:
  explicit File(const std::string& path) : library_(DebugLibrary::load()) {
    if (library_ == nullptr || access(path.c_str(), R_OK) != 0) return;
    dwfl_ = library_->dwfl_begin(&callbacks);
    if (dwfl_ == nullptr) return;
    library_->dwfl_report_begin(dwfl_);
    module_ = library_->dwfl_report_elf(dwfl_, path.c_str(), path.c_str(), -1, 0, true);
    library_->dwfl_report_end(dwfl_, nullptr, nullptr);
    if (module_ == nullptr) return;
    // Where the module is said to be: offsets of the file are as far from there.
    library_->dwfl_module_getelf(module_, &bias_);
  }
  ~File() {
    if (dwfl_ != nullptr) library_->dwfl_end(dwfl_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// The innermost first: the others have it inlined. Empty: the file has no lines of it.
  std::vector<Frame> frames(std::uint64_t offset) const;
  /// By the symbol table; empty: there is none.
  std::string symbol(std::uint64_t offset) const;

 private:
  /// The function that `address` lies in, and before it those that are inlined there: of those
  /// below `die`. False: none.
  bool find_functions(Dwarf_Die& die, Dwarf_Addr address, std::vector<Dwarf_Die>& found) const;
  /// The attribute of the call that has been inlined.
  std::uint64_t call_number(Dwarf_Die& die, unsigned attribute) const;
  std::string called_in(Dwarf_Die& die) const;
  std::string name_of_die(Dwarf_Die& die) const {
    const char* const name = library_->dwarf_diename(&die);
    return name == nullptr ? "?" : name;
  }

  const DebugLibrary* library_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
};

/// libdw's own search (dwarf_getscopes()) leaves out what stands in a module of Fortran's, and what
/// clang has in a namespace.
bool Symbols::File::find_functions(Dwarf_Die& die, Dwarf_Addr address,
                                   std::vector<Dwarf_Die>& found) const {
  Dwarf_Die child;
  for (int end = library_->dwarf_child(&die, &child); end == 0;
       end = library_->dwarf_siblingof(&child, &child)) {
    const int tag = library_->dwarf_tag(&child);
    const bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    const bool code = function || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                      tag == DW_TAG_catch_block;
    const bool here = code && library_->dwarf_haspc(&child, address) > 0;
    // Functions of Fortran's may have functions of their own, which lie elsewhere.
    const bool outer = tag == DW_TAG_namespace || tag == DW_TAG_module ||
                       tag == DW_TAG_subprogram || tag == DW_TAG_class_type ||
                       tag == DW_TAG_structure_type;
    if (!here && !outer) continue;
    const bool below = find_functions(child, address, found);
    if (here && function) found.push_back(child);
    if (here || below) return !found.empty();
  }
  return false;
}

std::uint64_t Symbols::File::call_number(Dwarf_Die& die, unsigned attribute) const {
  Dwarf_Attribute its;
  Dwarf_Word number = 0;
  if (library_->dwarf_attr(&die, attribute, &its) == nullptr) return 0;
  return library_->dwarf_formudata(&its, &number) == 0 ? number : 0;
}

std::string Symbols::File::called_in(Dwarf_Die& die) const {
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  if (library_->dwarf_diecu(&die, &unit, nullptr, nullptr) == nullptr ||
      library_->dwarf_getsrcfiles(&unit, &files, nullptr) != 0) {
    return "?";
  }
  const char* const path =
      library_->dwarf_filesrc(files, call_number(die, DW_AT_call_file), nullptr, nullptr);
  return std::string(path == nullptr ? "?" : file_name(path));
}

std::vector<Frame> Symbols::File::frames(std::uint64_t offset) const {
  if (module_ == nullptr) return {};
  const Dwarf_Addr address = offset + bias_;
  Dwfl_Line* const line = library_->dwfl_module_getsrc(module_, address);
  int number = 0;
  const char* const file =
      line == nullptr ? nullptr
                      : library_->dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr || number == 0) return {};
  std::vector<Frame> frames{{"", std::string(file_name(file)), number}};
  std::vector<Dwarf_Die> functions;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = library_->dwfl_module_addrdie(module_, address, &bias);
  if (unit != nullptr) find_functions(*unit, address - bias, functions);
  for (Dwarf_Die& die : functions) {
    frames.back().function = name_of_die(die);
    if (library_->dwarf_tag(&die) == DW_TAG_subprogram) break;
    frames.push_back({"", called_in(die), static_cast<int>(call_number(die, DW_AT_call_line))});
  }
  // A wrapper that is inlined in its caller.
  while (frames.size() > 1 && is_of_mpi(frames.front().function)) frames.erase(frames.begin());
  if (frames.back().function.empty()) frames.back().function = symbol(offset);
  return frames;
}

std::string Symbols::File::symbol(std::uint64_t offset) const {
  if (module_ == nullptr) return {};
  GElf_Off within = 0;
  GElf_Sym symbol;
  const char* const name = library_->dwfl_module_addrinfo(module_, offset + bias_, &within, &symbol,
                                                          nullptr, nullptr, nullptr);
  // What lies behind the last symbol that a stripped file has is not its.
  const bool known = name != nullptr && (symbol.st_size == 0 || within < symbol.st_size);
  return known ? demangled(name) : std::string();
}

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

const Symbols::Named& Symbols::name(const CodePlace& place) {
  const auto [known, fresh] = names_.try_emplace({place.file, place.offset});
  Named& named = known->second;
  if (!fresh) return named;
  std::unique_ptr<File>& file = files_[place.file];
  if (file == nullptr) file = std::make_unique<File>(place.file);
  const std::vector<Frame> frames = file->frames(place.offset);
  named.function = frames.empty() ? file->symbol(place.offset) : frames.front().function;
  if (frames.empty()) {
    named.text = plain_text({place});
    if (!named.function.empty()) named.text += fmt::format(" ({})", named.function);
    return named;
  }
  std::string callers = frames.front().function;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    callers +=
        fmt::format(", inlined at {}:{} in {}", frames[i].file, frames[i].line, frames[i].function);
  }
  named.text = fmt::format(" at {}:{} ({})", frames.front().file, frames.front().line, callers);
  return named;
}

std::string Symbols::text(const std::vector<CodePlace>& places) {
  for (const CodePlace& place : places) {
    const Named& named = name(place);
    if (!is_of_mpi(named.function)) return named.text;
  }
  return places.empty() ? std::string() : name(places.front()).text;
}

SayPlaces say_by_symbols() {
  return [symbols = std::make_shared<Symbols>()](const std::vector<CodePlace>& places) {
    return symbols->text(places);
  };
}

}  // namespace launch
