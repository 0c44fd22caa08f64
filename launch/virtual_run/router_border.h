// Where segments leave a part of the network for another one, and come from there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "corespec/time/time.h"
#include "corespec/virtual/foreign_domain.h"
#include "corespec/virtual/virtual_domain.h"
#include "launch/workers/part.h"
#include "ugni_emu/gemini/network/network.h"

namespace launch {

/// The domains of a network's routers, for one of several parts.
class RouterBorder final : private corespec::Border {
 public:
  /// `own`: that of this part's routers; `least_delay`: between routers.
  RouterBorder(const Part& part, corespec::VirtualDomain& own, corespec::Time least_delay);
  ~RouterBorder() override = default;

  corespec::EventDomain& domain_of(std::size_t part);
  /// Before anything crosses.
  void set_network(gemini::Network& network);

 private:
  void send(std::size_t part, const corespec::EventQueue::Entry& entry) override;
  void receive(std::span<const std::byte> letter);

  Part part_;
  corespec::VirtualDomain& own_;
  std::vector<corespec::ForeignDomain> others_;  ///< by part
  gemini::Network* network_ = nullptr;
};

}  // namespace launch
