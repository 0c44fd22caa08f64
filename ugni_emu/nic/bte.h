// The block transfer engine: DMA channels that serve descriptors in order.
#pragma once

#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class Domain;
class Nic;
struct Posting;

/// Each channel takes one descriptor after another: it starts up (engine time), hands the
/// transaction to the wire, and goes on to the next when the whole request has left. A fenced
/// descriptor holds the channel until every transaction the channel has issued is answered.
class BlockTransferEngine final : public corespec::Event {
 public:
  BlockTransferEngine(Nic& nic, unsigned channels);

  unsigned channels() const { return static_cast<unsigned>(channels_.size()); }

  /// Channels that serve a descriptor, or have some waiting.
  std::size_t busy_channels() const;

  /// The channel a descriptor goes to when it may use any: the one with the fewest waiting, of
  /// equals the next in turn.
  unsigned pick_channel();

  /// Queues a post's transaction on a channel (numbered from 0).
  void post(unsigned channel, const Posting& posting, bool fenced);

  /// The channel's current request has left the NIC.
  void request_sent(unsigned channel);
  /// All responses to one of the channel's transactions have come.
  void answered(unsigned channel);

  /// Drops what a domain has queued and not started.
  void forget(Domain& domain);

  void fire(std::uint64_t channel) override;

 private:
  enum class State : std::uint8_t { idle, starting, injecting, fenced };
  struct Queued {
    ugni::Submission* submission;
    bool fenced;
  };
  struct Channel {
    std::vector<Queued> queue;  // from `first` on
    std::size_t first = 0;
    std::uint32_t unanswered = 0;
    State state = State::idle;
    bool fenced = false;    // the current descriptor
    bool stalling = false;  // the fence holds another descriptor back
    corespec::Time stalled_since;
    Domain* fencing_domain = nullptr;
    std::size_t waiting() const { return queue.size() - first; }
  };

  void start_next(Channel& channel);
  void leave_fence(Channel& channel);
  void begin_stall(Channel& channel);

  Nic* nic_;
  std::vector<Channel> channels_;
  unsigned next_in_turn_ = 0;
};

}  // namespace nic
