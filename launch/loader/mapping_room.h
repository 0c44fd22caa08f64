// Whether the kernel lets a process have the mappings that copies of a program take.
#pragma once

#include <cstddef>
#include <string>

namespace launch {

/// Mappings that this process has.
std::size_t count_mappings();

/// So many copies of `program` are wanted; the second of them has just been loaded, and there were
/// `before` mappings. Throws LoadError, which says how many there can be, if the kernel's limit
/// does not allow the others. Says nothing where the limit is not known.
void check_mapping_room(const std::string& program, std::size_t before, std::size_t copies);

}  // namespace launch
