// Matches per second against posted receives and unexpected messages, by depth of the queue.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "netmod/device/messages/matching.h"

namespace {

netmod::Envelope envelope_of(std::int64_t tag) {
  netmod::Envelope envelope;
  envelope.context = 1;
  envelope.source = 0;
  envelope.tag = static_cast<std::int32_t>(tag);
  return envelope;
}

/// The receive that matches is always the last of `depth`; it is posted again behind the others.
void posted(benchmark::State& state) {
  const std::int64_t depth = state.range(0);
  std::vector<netmod::RequestImpl> receives(static_cast<std::size_t>(depth));
  netmod::MatchingQueues queues;
  for (std::int64_t i = 0; i < depth; ++i) {
    netmod::RequestImpl& receive = receives[static_cast<std::size_t>(i)];
    receive.kind = netmod::RequestImpl::Kind::receive;
    receive.envelope = envelope_of(i);
    queues.post(receive);
  }
  const netmod::Envelope message = envelope_of(depth - 1);
  for (auto _ : state) queues.post(*queues.match_posted(message));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(posted)->Arg(1)->Arg(10)->Arg(100);

/// The message that matches is always the last of `depth`; it comes again behind the others.
void unexpected(benchmark::State& state) {
  const std::int64_t depth = state.range(0);
  netmod::MatchingQueues queues;
  for (std::int64_t i = 0; i < depth; ++i) {
    netmod::PacketHeader header;
    header.envelope = envelope_of(i);
    constexpr int peer = 1;
    queues.add_unexpected(
        std::make_unique<netmod::Unexpected>(peer, false, header, netmod::MemoryReference()));
  }
  const netmod::Envelope receive = envelope_of(depth - 1);
  for (auto _ : state) queues.add_unexpected(queues.match_unexpected(receive));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(unexpected)->Arg(1)->Arg(10)->Arg(100);

}  // namespace
