// A rank's situation as bytes, on its way from its process to the launcher.
#pragma once

#include <string>
#include <string_view>

#include "corespec/threads/situation.h"

namespace launch {

/// At most most_packed bytes: of very many notes the first.
constexpr std::size_t most_packed = 60000;
std::string packed(const corespec::Situation& situation);

/// False, and nothing of `situation` is to be used: these are not such bytes. Ranks are those of a
/// job of `size`; control characters of texts, but for Situation's own marks, become '?'.
bool unpack(std::string_view bytes, int size, corespec::Situation& situation);

}  // namespace launch
