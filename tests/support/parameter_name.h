// Names of parameterised tests, made of what they are run with.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace castor_test {

/// `text` with an underscore for whatever GoogleTest allows in no name, after the case's number,
/// which keeps names apart.
inline std::string parameter_name(std::size_t index, std::string_view text) {
  std::string name = std::to_string(index);
  bool gap = true;
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
      gap = true;
      continue;
    }
    if (gap) name += '_';
    gap = false;
    name += letter;
  }
  return name;
}

}  // namespace castor_test
