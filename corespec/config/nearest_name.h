// Which of many names a mistyped one is nearest to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace corespec {

/// How many characters have to be added, dropped or replaced to make `to` of `from`.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The same for that part of `text` which is nearest to `word`.
std::size_t edit_distance_to_part(std::string_view word, std::string_view text);

/// The first of the `names` that are nearest to `name`; empty if it is like none of them: more than
/// a third of its characters differ.
std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace corespec
