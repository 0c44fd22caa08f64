// How the links of a dragonfly's router are numbered.
#pragma once

#include "ugni_emu/gemini/topology/dragonfly_shape.h"
#include "ugni_emu/gemini/topology/route_word.h"

namespace gemini {

/// Green links are numbered by slots from 0 on, black ones by chassis, then come the blue ones.
inline constexpr unsigned kFirstBlackLink = DragonflyShape::most_slots;
inline constexpr unsigned kFirstBlueLink = kFirstBlackLink + DragonflyShape::most_chassis;
inline constexpr unsigned kDragonflyLinks = kFirstBlueLink + DragonflyShape::most_blue_links;
static_assert(kDragonflyLinks <= RouteWord::most_links);

}  // namespace gemini
