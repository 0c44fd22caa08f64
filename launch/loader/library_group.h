// A made-up library without code, which only needs others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace launch {

/// The bytes of a shared object that needs the files `needed`, in this order: loading it loads
/// them, and they find each other's symbols. Their own libraries are looked for in `directory`.
std::vector<std::byte> library_group(const std::vector<std::string>& needed,
                                     const std::string& directory);

}  // namespace launch
