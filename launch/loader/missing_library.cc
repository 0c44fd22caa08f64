// Makes up the library of missing functions: names, a few instructions for each, and a table.
#include "launch/loader/missing_library.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "launch/loader/elf_writer.h"
#include "launch/loader/memory_file.h"
#include "launch/loader/pages.h"

namespace launch {
namespace {

using Code = std::array<std::uint8_t, 32>;

void put_distance(Code& code, std::size_t at, std::uint64_t from, std::uint64_t to) {
  const auto distance = static_cast<std::int32_t>(static_cast<std::int64_t>(to - from));
  std::memcpy(code.data() + at, &distance, sizeof distance);
}

/// The code at `place` that goes on to the function whose address is at `handler`, with the address
/// of `name`.
Code call_with(std::uint64_t place, std::uint64_t name, std::uint64_t handler) {
  constexpr std::size_t name_at = 7, after_name = 11, handler_at = 13, after_handler = 17;
  Code code{0xf3, 0x0f, 0x1e, 0xfa,           // endbr64
            0x48, 0x8d, 0x3d, 0,    0, 0, 0,  // lea name(%rip), %rdi
            0xff, 0x25, 0,    0,    0, 0};    // jmp *handler(%rip)
  put_distance(code, name_at, place + after_name, name);
  put_distance(code, handler_at, place + after_handler, handler);
  return code;
}

MadeLibrary made_library(const MissingSymbols& missing) {
  MadeLibrary library;
  // Weak: a child process of a live rank has it preloaded, and none of Castor's libraries.
  library.symbols.push_back({"castor_missing_function", STB_WEAK});
  library.addresses.push_back({0, 0});

  std::vector<std::byte> data(sizeof(void*));
  std::vector<std::uint64_t> names;
  for (const std::string& name : missing.functions) {
    names.push_back(data.size());
    const auto* text = reinterpret_cast<const std::byte*>(name.c_str());
    data.insert(data.end(), text, text + name.size() + 1);
  }
  const std::uint64_t data_bytes = data.size();
  library.segments.push_back({PF_R | PF_W, std::move(data), data_bytes});

  const std::uint64_t first = next_place(library);
  std::vector<std::byte> text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint64_t place = first + text.size();
    const Code code = call_with(place, names[i], 0);
    const auto* bytes = reinterpret_cast<const std::byte*>(code.data());
    text.insert(text.end(), bytes, bytes + code.size());
    library.symbols.push_back(
        {missing.functions[i], STB_GLOBAL, STT_FUNC, true, place, code.size()});
  }
  const std::uint64_t text_bytes = text.size();
  if (text_bytes > 0) library.segments.push_back({PF_R | PF_X, std::move(text), text_bytes});

  std::uint64_t nothing = next_place(library);
  for (const std::string& name : missing.unknown) {
    library.symbols.push_back({name, STB_GLOBAL, STT_NOTYPE, true, nothing, page_bytes});
    nothing += page_bytes;
  }
  const std::uint64_t nothing_bytes = missing.unknown.size() * page_bytes;
  if (nothing_bytes > 0) library.segments.push_back({0, {}, nothing_bytes});
  return library;
}

}  // namespace

std::unique_ptr<MissingLibrary> MissingLibrary::make(const MissingSymbols& missing,
                                                     const std::string& program) {
  if (missing.functions.empty() && missing.unknown.empty()) return nullptr;
  return std::unique_ptr<MissingLibrary>(
      new MissingLibrary(write_memory_file(program, write_elf(made_library(missing)))));
}

MissingLibrary::~MissingLibrary() { close(descriptor_); }

std::string MissingLibrary::path() const { return open_path(descriptor_); }

std::string MissingLibrary::path_for_others() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

}  // namespace launch
