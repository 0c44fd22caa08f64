// Reads of routers' registers that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/counters/network_counters.h"
#include "ugni_emu/wire/registers.h"

namespace gemini {

/// Counts what has not come to its end yet.
class CountsUnderWay {
 public:
  /// Up to now; in the router's domain.
  virtual void count_so_far() = 0;

 protected:
  ~CountsUnderWay() = default;
};

/// A router as a reader of its registers sees it.
struct RegisterPlace {
  RouterId number;
  corespec::EventDomain& domain;
  corespec::EventDomain& nodes_domain;
  corespec::EventSource& source;
  NetworkCounters& counters;
  CountsUnderWay* under_way = nullptr;  ///< null: nothing is
};

/// Each read is an event at the router, which samples the registers there, and one back at the NIC.
class RegisterReads {
 public:
  explicit RegisterReads(const Topology& topology)
      : topology_(topology), reads_(topology.nodes()) {}

  /// By the NIC `nid`, one of the router's, from within its domain; `way`: to the router. Throws
  /// std::invalid_argument if the registers are another router's.
  void begin(Nid nid, const RegisterPlace& router, corespec::EventSource& source,
             corespec::Time way, ugni::RegisterRead& read);

 private:
  enum Stage : std::uint8_t { at_router, answered };

  struct Read final : corespec::Event {
    void fire(std::uint64_t arg) override;
    void sample_tiles();
    void sample_nic();
    std::optional<RegisterPlace> router;
    corespec::Time way;
    ugni::RegisterRead* read = nullptr;  ///< null: none, it may be used again
  };

  const Topology& topology_;
  std::vector<std::vector<std::unique_ptr<Read>>> reads_;  ///< by nid: its domain's
};

}  // namespace gemini
