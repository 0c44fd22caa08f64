// A node's counts of what its ranks have taken of the NIC.
#include "ugni_emu/nic/node_resources.h"

#include <array>
#include <atomic>

#include "corespec/config/parameters.h"
#include "corespec/host/check.h"

namespace nic {
namespace {

constexpr auto kinds = static_cast<std::size_t>(NodeResources::Kind::count);

std::size_t index(NodeResources::Kind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

/// Zeroed memory: nothing is taken, and there are no limits but the NIC's.
struct NodeResources::Shared {
  std::array<std::atomic<std::uint32_t>, kinds> used;
  std::array<std::atomic<std::uint32_t>, kinds> withheld;  ///< what the job may not have
};

NodeResources::NodeResources(corespec::Node& node) : node_(&node) {}

NodeResources::Shared& NodeResources::shared() const {
  if (shared_ == nullptr) {
    shared_ = reinterpret_cast<Shared*>(node_->memory().segment("nic.resources", sizeof(Shared)));
  }
  return *shared_;
}

std::uint32_t NodeResources::total(Kind kind) const {
  switch (kind) {
    case Kind::queues:
      return static_cast<std::uint32_t>(node_->parameters().nic_cqs);
    case Kind::fma_windows:
      return static_cast<std::uint32_t>(node_->parameters().nic_fma_windows);
    case Kind::engines:  // a Gemini has none
      return node_->parameters().nic == "aries"
                 ? static_cast<std::uint32_t>(node_->parameters().nic_ces)
                 : 0;
    case Kind::count:
      break;
  }
  CASTOR_NEVER("no resource of a NIC");
}

std::uint32_t NodeResources::limit(Kind kind) const {
  return total(kind) - shared().withheld[index(kind)].load(std::memory_order_relaxed);
}

void NodeResources::set_limit(Kind kind, std::uint32_t limit) {
  shared().withheld[index(kind)].store(total(kind) - limit, std::memory_order_relaxed);
}

std::uint32_t NodeResources::used(Kind kind) const {
  return shared().used[index(kind)].load(std::memory_order_relaxed);
}

bool NodeResources::take(Kind kind) {
  std::atomic<std::uint32_t>& used = shared().used[index(kind)];
  const std::uint32_t most = limit(kind);
  std::uint32_t now = used.load(std::memory_order_relaxed);
  do {
    if (now >= most) return false;
  } while (!used.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
  return true;
}

void NodeResources::give_back(Kind kind) {
  shared().used[index(kind)].fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace nic
