// Texts: Fortran's have a length and blanks behind them, C's a closing zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "netmod/include/mpi.h"

namespace netmod::fortran {

/// A text of the program's, without the blanks behind it.
inline std::string text(const char* given, std::size_t length) {
  while (length > 0 && given[length - 1] == ' ') --length;
  return std::string(given, length);
}

/// Keys and values of info objects: without those before it, either.
inline std::string trimmed_text(const char* given, std::size_t length) {
  const std::string whole = text(given, length);
  return whole.substr(std::min(whole.find_first_not_of(' '), whole.size()));
}

/// Puts a C text into a variable of `length` characters: cut, or with blanks behind it. Returns the
/// number of characters before those.
inline std::size_t give(const char* from, char* to, std::size_t length) {
  std::size_t characters = 0;
  while (characters < length && from[characters] != '\0') ++characters;
  std::copy_n(from, characters, to);
  std::fill_n(to + characters, length - characters, ' ');
  return characters;
}

/// Calls `get(text, size)` with room for `room` characters, the closing zero included, and gives
/// the program what it has said.
template <class Get>
int get_text(std::size_t room, char* to, std::size_t length, int* size, Get&& get) {
  std::string said(room, '\0');
  int said_size = 0;
  const int code = get(said.data(), &said_size);
  if (code == MPI_SUCCESS) *size = static_cast<int>(give(said.c_str(), to, length));
  return code;
}

}  // namespace netmod::fortran
