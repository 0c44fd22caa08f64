// What the network's components write of marked packets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/time/time.h"
#include "ugni_emu/telemetry/component_log.h"
#include "ugni_emu/telemetry/record.h"
#include "ugni_emu/telemetry/sampler.h"
#include "ugni_emu/wire/wire.h"

namespace telemetry {

/// The endpoints of a transaction, and its mark.
inline Flow flow_of(const ugni::Transaction& transaction) {
  return {{transaction.source, transaction.source_instance},
          {transaction.target, transaction.target_instance},
          transaction.mark};
}

/// A marked packet at a component.
struct Passage {
  corespec::Time arrived;
  corespec::Time began;                ///< its service; what is before is waiting
  std::uint8_t port = 0;               ///< by which it leaves a router
  Component next = Component::none();  ///< where it goes
  const Flow* behind = nullptr;        ///< what was served before it; null: not known
  std::uint8_t flags = 0;              ///< Record::Flag
};

/// The logs of a network's NICs and routers, and what the network must remember for them. What
/// belongs to a component is touched from within that component's event domain alone.
class NetworkRecords {
 public:
  struct Sizes {
    std::uint32_t nics = 0, routers = 0;
    unsigned servers_per_router = 0;
  };
  NetworkRecords(const corespec::Parameters& parameters, Choice choice, const Sizes& sizes);

  // ---- a NIC's own commands

  /// A marked command has come to its NIC, which will send it in so many pieces. One of these is to
  /// be marked.
  void submitted(std::uint32_t nid, std::uint32_t mark, corespec::Time now, std::uint32_t pieces);
  /// The next piece of that command is about to leave: true if it is the one to be marked.
  bool marks_piece(std::uint32_t nid, std::uint32_t mark);
  /// When that command came; a NIC forgets it with its last piece.
  corespec::Time submitted_at(std::uint32_t nid, std::uint32_t mark) const;
  /// The last packet of that command leaves at `end`.
  void command_sent(std::uint32_t nid, std::uint32_t mark, corespec::Time now, corespec::Time end);

  // ---- servers: queues of a NIC (its channels) and of a router, numbered by the network

  /// From now on a packet of `flow` holds the server; what held it before.
  Flow hold_nic(std::uint32_t nid, unsigned server, const Flow& flow) {
    return std::exchange(nics_[nid].holders[server], flow);
  }
  Flow hold(std::uint32_t router, unsigned server, const Flow& flow) {
    return std::exchange(holders_[std::size_t{router} * servers_ + server], flow);
  }

  // ---- packets

  /// If the component is the one that marks, and its turn has come: a mark for what passes it.
  std::uint32_t mark_here(Component component, corespec::Time now) {
    return choice_.component == component ? draw_mark(now) : 0;
  }
  void passed(Component component, corespec::Time now, std::uint32_t source, std::uint32_t mark,
              const Passage& passage);
  /// Routers write nothing of what passes them at `time` or later.
  void end_routers_at(corespec::Time time) { routers_end_ = time; }

  // ---- after the run

  const ComponentLog& log(Component component) const;
  /// Where a machine is run in parts: what the components of one of them have written, as bytes,
  /// and put into another one's.
  std::string pack() const;
  /// Throws std::runtime_error if it is not what pack() makes for as large a network.
  void add(std::string_view packed);
  std::uint32_t nics() const { return static_cast<std::uint32_t>(nics_.size()); }
  std::uint32_t routers() const { return static_cast<std::uint32_t>(routers_.size()); }

 private:
  struct Command {
    corespec::Time submitted;
    std::uint32_t marked_piece = 0;
    std::uint32_t next_piece = 0;
  };
  struct Nic {
    ComponentLog log;
    std::map<std::uint32_t, Command> commands;     ///< under way, by mark
    std::optional<corespec::RandomStream> random;  ///< which pieces are marked
    std::array<Flow, 2> holders;
  };

  template <typename Do>
  void each_component(const Do& act) const;
  ComponentLog& own_log(Component component);
  std::uint32_t draw_mark(corespec::Time now);

  Choice choice_;
  Drain drain_;
  std::uint64_t seed_;
  unsigned servers_;
  std::vector<Nic> nics_;
  std::vector<ComponentLog> routers_;
  std::vector<Flow> holders_;  ///< by router and server
  corespec::Time routers_end_ = corespec::Time::max();
  Sampler own_sampler_;  ///< of the component that marks
  std::uint32_t own_marks_ = 0;
};

}  // namespace telemetry
