// Reads of routers' registers that are under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/wire/registers.h"

namespace gemini {

/// Each read is an event at the router, which samples the registers there, and one back at the NIC.
class RegisterReads {
 public:
  explicit RegisterReads(std::size_t nodes) : reads_(nodes) {}

  /// By the NIC `nid`, one of the router's, from within its domain; `way`: to the router.
  void begin(Nid nid, Router& router, corespec::EventSource& source, corespec::Time way,
             ugni::RegisterRead& read);

 private:
  enum Stage : std::uint8_t { at_router, answered };

  struct Read final : corespec::Event {
    void fire(std::uint64_t arg) override;
    void sample_tiles();
    void sample_nic();
    Router* router = nullptr;
    corespec::Time way;
    ugni::RegisterRead* read = nullptr;  ///< null: none, it may be used again
  };

  std::vector<std::vector<std::unique_ptr<Read>>> reads_;  ///< by nid: its domain's
};

}  // namespace gemini
