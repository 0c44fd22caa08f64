// Whether an ELF file is one that a dynamic loader can take without being led astray.
#pragma once

namespace launch {

class ElfFile;

/// Checks every offset, size, count, name and alignment that the dynamic loader and this one
/// follow: segments, the dynamic section, symbols, hash tables, versions, relocations,
/// constructors. What code and data do is not looked at. Throws LoadError, which says what is
/// damaged.
void check_elf(const ElfFile& file);

}  // namespace launch
