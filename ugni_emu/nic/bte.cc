// The block transfer engine: start-up, injection in order, fences.
#include "ugni_emu/nic/bte.h"

#include <algorithm>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

BlockTransferEngine::BlockTransferEngine(Nic& nic, unsigned channels)
    : nic_(&nic), channels_(channels) {}

std::size_t BlockTransferEngine::busy_channels() const {
  return static_cast<std::size_t>(
      std::count_if(channels_.begin(), channels_.end(), [](const Channel& channel) {
        return channel.state != State::idle || channel.waiting() != 0 || channel.unanswered != 0;
      }));
}

unsigned BlockTransferEngine::pick_channel() {
  const unsigned count = channels();
  unsigned best = next_in_turn_ % count;
  auto load = [this](unsigned channel) {
    const Channel& candidate = channels_[channel];
    return candidate.waiting() + (candidate.state == State::idle ? 0 : 1);
  };
  for (unsigned i = 1; i < count; ++i) {
    const unsigned candidate = (next_in_turn_ + i) % count;
    if (load(candidate) < load(best)) best = candidate;
  }
  next_in_turn_ = best + 1;
  return best;
}

void BlockTransferEngine::post(unsigned number, const Posting& posting, bool fenced) {
  posting.post->channel = posting.transaction().injector = static_cast<std::uint8_t>(number + 1);
  Channel& channel = channels_[number];
  channel.queue.push_back({posting.submission, fenced});
  if (channel.state == State::idle) {
    start_next(channel);
  } else if (channel.state == State::fenced) {
    begin_stall(channel);
  }
}

void BlockTransferEngine::start_next(Channel& channel) {
  if (channel.waiting() == 0) {
    channel.state = State::idle;
    return;
  }
  channel.state = State::starting;
  corespec::EventDomain& domain = nic_->node().domain();
  const auto number = static_cast<std::uint64_t>(&channel - channels_.data());
  domain.schedule(domain.now() + nic_->node().parameters().bte_startup, nic_->node().source(),
                  *this, number);
}

void BlockTransferEngine::fire(std::uint64_t number) {
  Channel& channel = channels_[number];
  if (channel.waiting() == 0) {  // its domain went away during the start-up
    channel.state = State::idle;
    return;
  }
  const Queued next = channel.queue[channel.first++];
  if (channel.first == channel.queue.size()) {
    channel.queue.clear();
    channel.first = 0;
  } else if (channel.first >= 64) {
    channel.queue.erase(channel.queue.begin(),
                        channel.queue.begin() + static_cast<std::ptrdiff_t>(channel.first));
    channel.first = 0;
  }
  channel.state = State::injecting;
  channel.fenced = next.fenced;
  ++channel.unanswered;
  const Post* post = nic_->posts().find(next.submission->transaction.initiator_key - 1);
  channel.fencing_domain = next.fenced && post != nullptr ? post->domain : nullptr;
  next.submission->perform();
}

void BlockTransferEngine::request_sent(unsigned number) {
  Channel& channel = channels_[number];
  if (channel.fenced && channel.unanswered != 0) {
    channel.state = State::fenced;
    if (channel.waiting() != 0) begin_stall(channel);
    return;
  }
  start_next(channel);
}

void BlockTransferEngine::begin_stall(Channel& channel) {
  if (channel.stalling) return;
  channel.stalling = true;
  channel.stalled_since = nic_->node().domain().now();
}

void BlockTransferEngine::answered(unsigned number) {
  Channel& channel = channels_[number];
  --channel.unanswered;
  if (channel.state == State::fenced && channel.unanswered == 0) leave_fence(channel);
}

void BlockTransferEngine::leave_fence(Channel& channel) {
  if (channel.stalling && channel.fencing_domain != nullptr) {
    NicStatistics& statistics = channel.fencing_domain->statistics();
    ++statistics.fence_stalls;
    statistics.fence_stalled += nic_->node().domain().now() - channel.stalled_since;
  }
  channel.stalling = false;
  channel.fenced = false;
  start_next(channel);
}

void BlockTransferEngine::forget(Domain& domain) {
  for (Channel& channel : channels_) {
    if (channel.fencing_domain == &domain) channel.fencing_domain = nullptr;
    auto begin = channel.queue.begin() + static_cast<std::ptrdiff_t>(channel.first);
    auto gone = [&](const Queued& queued) {
      const std::uint64_t number = queued.submission->transaction.initiator_key - 1;
      Post* post = nic_->posts().find(number);
      if (post == nullptr || post->domain != &domain) return false;
      nic_->posts().give_back(static_cast<std::uint32_t>(number));
      nic_->wire().drop(*queued.submission);
      return true;
    };
    channel.queue.erase(std::remove_if(begin, channel.queue.end(), gone), channel.queue.end());
  }
}

}  // namespace nic
