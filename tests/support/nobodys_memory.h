// An address where no memory is.
#pragma once

#include <cstdint>

namespace castor_test {

/// Where memory has been unmapped somebody else's may be the next moment; the lowest pages are
/// nobody's.
inline void* nobodys_memory() { return reinterpret_cast<void*>(std::uintptr_t{4096}); }

}  // namespace castor_test
