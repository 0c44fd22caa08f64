// Reads of a Gemini's registers by the ranks of its nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "corespec/threads/signal.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/wire/registers.h"

namespace nic {

class Nic;

/// What the kernel's performance counter daemon does for a rank that asks: it reads registers one
/// by one, on the rank's CPU.
class RegisterReader {
 public:
  explicit RegisterReader(Nic& nic) : nic_(&nic) {}

  /// Their values (RegisterRead); the calling thread waits for them. Those of NICs are `nic`'s, of
  /// the same Gemini. Nothing if the wire has no registers, or does not count.
  std::optional<std::vector<std::uint64_t>> read(corespec::Thread& thread, ugni::NicAddress nic,
                                                 std::vector<ugni::Register> registers);

 private:
  struct Read final : ugni::RegisterRead {
    using RegisterRead::RegisterRead;
    void answered() override {
      done = true;
      signal.notify();
    }
    bool done = false;
    corespec::Signal signal;
  };

  Nic* nic_;
  // Not the threads': one that is ended while it waits leaves its read behind.
  std::vector<std::unique_ptr<Read>> reads_;
};

}  // namespace nic
