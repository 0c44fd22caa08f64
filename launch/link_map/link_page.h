// The page of HTML that shows what links have carried.
#pragma once

#include <string>

#include "launch/link_map/link_traffic.h"

namespace launch {

/// The data for the page's script, as JSON:
///
///   {"system": "cielo", "size": [16, 12, 24],
///    "links": [[way, x, y, z, GB/s], ...],
///    "samples": [{"from": 0, "to": 1, "counts": [[link, phits and packets of VC0 and VC1 (four
///                 numbers), input stalls, output stalls], ...]}]}
///
/// A link without counts in a sample has no row there, and a row ends with the last count above 0.
std::string page_data(const LinkTraffic& traffic);

/// The whole page; it needs no other file and no network.
std::string link_page(const LinkTraffic& traffic);

}  // namespace launch
