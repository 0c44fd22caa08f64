// Which commands and packets are to be marked: CASTOR_TELEMETRY.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corespec/time/time.h"
#include "ugni_emu/telemetry/record.h"

namespace telemetry {

/// A command is marked if it passes all filters and the sampler takes it. Each endpoint (a rank)
/// samples for itself, of the commands that pass its filters.
struct Choice {
  enum class Sampler : std::uint8_t {
    all,      ///< every one
    random,   ///< one in `of`, drawn
    every,    ///< each `of`-th
    moments,  ///< the first at or after each whole multiple of `period`: all endpoints together
  };
  Sampler sampler = Sampler::random;
  std::uint64_t of = 100;
  corespec::Time period;

  // Filters.
  struct Pair {
    std::int32_t from = 0, to = 0;  ///< ranks: of the command's endpoint, and of its peer
  };
  struct Sizes {
    std::uint64_t least = 0, most = 0;  ///< bytes of a command
  };
  std::optional<Pair> pair;
  std::optional<Sizes> sizes;
  std::string site;  ///< a part of the text of one of the call's program frames; empty: any

  /// This component marks what passes it, as the sampler says, and the software marks nothing.
  std::optional<Component> component;

  bool of_software() const { return !component.has_value(); }
};

/// `text`: words with commas between them:
///
///   100, random:100   one in 100, drawn          every:100   each 100th          all
///   moments:50us      the first after each 50 us
///   pair:3-42         from rank 3 to rank 42     size:4K-1M  commands of so many bytes
///   site:TEXT         calls in whose program frames (file:line and function) TEXT is found
///   router:12, nic:5  this component marks
///
/// Of samplers one, of each filter one. Without a sampler all that pass the filters are marked.
/// Throws std::invalid_argument: the word, and what is allowed.
Choice parse_choice(std::string_view text);

}  // namespace telemetry
