// Which node a rank is on, as a Cray XE's files have it.
#include "launch/virtual_run/cray_files.h"

#include <fmt/format.h>

#include <cstdint>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "ugni_emu/gemini/topology/cabinet_place.h"
#include "ugni_emu/gemini/topology/torus_shape.h"

namespace launch {

std::string CrayFiles::text(const corespec::Process& rank, std::string_view path) const {
  const auto nid = static_cast<std::uint32_t>(rank.node().nid());
  path.remove_prefix(folder.size());
  if (path == "nid") return fmt::format("{}\n", nid);
  if (path != "cname") return {};
  const auto torus = gemini::TorusShape::parse(rank.job().parameters().system);
  const gemini::CabinetPlace place =
      gemini::cabinet_place(torus.coordinates_of(nid), torus.sizes());
  const std::string gemini = gemini::cname(place);
  // A blade's nodes 0 and 1 share its Gemini 0.
  return fmt::format("{}n{}\n", gemini.substr(0, gemini.rfind('g')), 2 * place.gemini + nid % 2);
}

}  // namespace launch
