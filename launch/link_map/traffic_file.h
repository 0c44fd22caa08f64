// Reads what `aprun --counters FILE.json` has written.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "launch/link_map/link_traffic.h"

namespace launch {

/// One line: the file, where in it, what is wrong.
class TrafficFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws TrafficFileError; `name` is what to call the file.
///
/// Of the file's counters all but the last are of what arrives at their Gemini over a link; output
/// stalls are of what waits there to leave, and so belong to the link that goes the other way.
LinkTraffic read_traffic(std::string_view text, const std::string& name);

}  // namespace launch
