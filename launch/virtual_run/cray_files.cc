// Which node a rank is on, as a Cray's files have it.
#include "launch/virtual_run/cray_files.h"

#include <fmt/format.h>

#include <cstdint>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "ugni_emu/gemini/topology/system_shape.h"

namespace launch {

std::string CrayFiles::text(const corespec::Process& rank, std::string_view path) const {
  const auto nid = static_cast<std::uint32_t>(rank.node().nid());
  path.remove_prefix(folder.size());
  if (path == "nid") return fmt::format("{}\n", nid);
  if (path != "cname") return {};
  const auto system = gemini::SystemShape::parse(rank.job().parameters().system);
  return gemini::node_name(system.place_of(nid)) + "\n";
}

}  // namespace launch
