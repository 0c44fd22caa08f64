// Where the writable data of the calling program's file lie.
#pragma once

#include <cstddef>
#include <span>

namespace dmapp {

/// The writable data (.data, .bss) of the file whose code `code` is: of a program, or of its copy
/// that a rank runs. What the loader has made read-only is left out. Empty if there are none.
std::span<std::byte> program_data(const void* code);

}  // namespace dmapp
