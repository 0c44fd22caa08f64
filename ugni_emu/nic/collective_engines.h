// The collective engines of a NIC, found by their ids, and which part endpoints have in a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/collective_engine.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class Endpoint;
class Nic;

/// What GNI_EpSetCeAttr() has said of an endpoint: its peer is this child of an engine, or the
/// engine with this id, of which the caller is that child.
struct CollectiveRole {
  std::uint32_t engine = 0;
  unsigned child = 0;
  gni_ce_child_t type = GNI_CE_CHILD_UNUSED;
};

class CollectiveEngines final : public corespec::Event {
 public:
  struct Name {
    std::uint32_t id = 0;
    std::uint64_t serial = 0;
  };
  /// What an engine is called from now on.
  Name add(CollectiveEngine& engine);
  void remove(const CollectiveEngine& engine);

  void set_role(const Endpoint& endpoint, const CollectiveRole& role);
  /// Null: the endpoint has none.
  const CollectiveRole* role(const Endpoint& endpoint) const;

  void forget(const Endpoint& endpoint);
  void forget(const Domain& domain);
  void forget(const CompletionQueue& queue);

  /// A transaction of kind `collective` is here.
  ugni::ResponseStatus arrived(const ugni::Transaction& transaction);
  /// One that an engine has sent was not accepted.
  void refused(const ugni::Transaction& transaction, ugni::ResponseStatus status);

  static std::uint64_t argument_of(std::uint64_t serial, CollectiveEngine::Step step) {
    return serial << 1 | step;
  }
  void fire(std::uint64_t argument) override;

 private:
  struct Edge {
    const Endpoint* endpoint;
    CollectiveRole role;
  };

  CollectiveEngine* find(std::uint32_t id) const;

  std::vector<CollectiveEngine*> engines_;  ///< by number; null: free
  std::uint64_t next_serial_ = 0;
  std::vector<Edge> edges_;  ///< few: those of the node's participants and engines
};

}  // namespace nic
