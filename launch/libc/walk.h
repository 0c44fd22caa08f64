// A walk through directories that a rank has libc do.
#pragma once

#include <ftw.h>

#include <cstddef>

namespace launch {

struct Walk {
  std::size_t prefix;         ///< of libc's paths, which the rank did not give
  __ftw_func_t visit;         ///< the rank's function for each file, of ftw()
  __nftw_func_t visit_place;  ///< of nftw()
  bool changes_directory;     ///< to that of each file
};

}  // namespace launch
