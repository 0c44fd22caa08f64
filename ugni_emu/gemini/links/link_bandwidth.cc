// Bandwidths of links from the parameter table's tiles.
#include "ugni_emu/gemini/links/link_bandwidth.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemini {
namespace {

double tile_rate(const corespec::Parameters& parameters, LinkType type) {
  switch (type) {
    case LinkType::mezzanine:
      return parameters.tile_mezzanine;
    case LinkType::backplane:
      return parameters.tile_backplane;
    case LinkType::cable:
      return parameters.tile_cable;
    case LinkType::electrical:
      return parameters.tile_electrical;
    case LinkType::optical:
      return parameters.tile_optical;
    case LinkType::host:
      return parameters.tile_host;
  }
  return 0;
}

}  // namespace

double link_bandwidth(const corespec::Parameters& parameters, const LinkClass& link) {
  return static_cast<double>(parameters.*link.tiles) * tile_rate(parameters, link.type);
}

double link_bandwidth(const corespec::Parameters& parameters, const Topology& topology, Port port) {
  if (!topology.has_link(port)) return 0;
  return link_bandwidth(parameters, topology.link_classes()[topology.link_class(port)]);
}

double host_bandwidth(const corespec::Parameters& parameters) {
  return link_bandwidth(parameters, {"host", LinkType::host, &corespec::Parameters::tiles_host});
}

std::string describe_links(const corespec::Parameters& parameters, const Topology& topology) {
  std::string text;
  const std::vector<LinkClass>& classes = topology.link_classes();
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const LinkClass& link = classes[at];
    const bool first = at == 0 || classes[at - 1].group != link.group;
    const bool alone = std::count_if(classes.begin(), classes.end(), [&](const LinkClass& other) {
                         return other.group == link.group;
                       }) == 1;
    text += first ? fmt::format("{}{} ", at == 0 ? "" : ", ", link.group) : " and ";
    text += fmt::format("{:.2f}", link_bandwidth(parameters, link) * 1e-9);
    if (!alone) text += fmt::format(" {}", name_of(link.type));
  }
  return text + fmt::format(", host {:.2f} GB/s each way", host_bandwidth(parameters) * 1e-9);
}

}  // namespace gemini
