// An address where no memory is.
#pragma once

#include <cstdint>

namespace castor_test {

/// Of the lowest pages, which Linux never maps: where memory has been unmapped, another thread may
/// map some the next moment.
inline void* unmapped_memory() { return reinterpret_cast<void*>(std::uintptr_t{4096}); }

}  // namespace castor_test
