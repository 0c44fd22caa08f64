// Delivery modes.
#include "ugni_emu/gemini/packet/tile_choice.h"

#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

TileChoice tile_choice(std::string_view setting, std::uint16_t delivery_mode, unsigned channel) {
  const std::uint16_t no_adapt = channel == kRequests ? ugni::no_adapt : ugni::no_response_adapt;
  const bool adapts = (delivery_mode & no_adapt) == 0;
  const bool hashes = (delivery_mode & ugni::no_hash) == 0;
  if (setting == "deterministic") return TileChoice::deterministic;
  if (adapts && setting != "hashed") return TileChoice::adaptive;
  return hashes ? TileChoice::hashed : TileChoice::deterministic;
}

}  // namespace gemini
