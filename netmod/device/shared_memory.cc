// Messages within a node.
#include "netmod/device/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/nic/poll_signal.h"

namespace netmod {
namespace {

constexpr std::uint32_t cells_of[2] = {16, 8};
constexpr std::size_t data_bytes[2] = {1024, 8192};
constexpr std::size_t queue_bytes = 192;

}  // namespace

/// Lies in node memory: no pointers, only numbers. Zero bytes are an empty cell.
struct SharedMemory::Cell {
  std::atomic<std::uint32_t> next;  ///< in the receiver's queue, or in a list of free cells
  std::uint32_t number;             ///< + 1
  std::int32_t sender;              ///< rank of the job
  std::uint32_t reserved;
  PacketHeader header;
  MemoryReference memory;
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

/// A multiple-producer single-consumer list; zero bytes are an empty one.
struct SharedMemory::Queue {
  alignas(64) std::atomic<std::uint32_t> tail;         ///< last cell enqueued + 1
  std::atomic<std::uint32_t> first;                    ///< first of an empty queue's new cells
  alignas(64) std::atomic<std::uint32_t> returned[2];  ///< own cells that came back
  std::atomic<std::uint32_t> starving;                 ///< the owner waits for one of them
};

namespace {

constexpr std::size_t cell_stride(std::size_t data, std::size_t header) {
  return (header + data + 63) / 64 * 64;
}

}  // namespace

SharedMemory::SharedMemory(corespec::Process& process, const std::vector<int>& ranks_on_node,
                           const Settings& settings, DeviceStatistics& statistics,
                           SharedMemoryClient& client, CompletionClient& completions)
    : process_(process),
      settings_(settings),
      statistics_(statistics),
      client_(client),
      completions_(completions),
      own_(process.local_rank()) {
  static_assert(sizeof(Queue) <= queue_bytes);
  const std::size_t per_rank = queue_bytes +
                               cells_of[0] * cell_stride(data_bytes[0], sizeof(Cell)) +
                               cells_of[1] * cell_stride(data_bytes[1], sizeof(Cell));
  base_ = process.node().memory().segment("mpi.cells", ranks_on_node.size() * per_rank);
  signals_.resize(ranks_on_node.size(), nullptr);
}

SharedMemory::Queue& SharedMemory::queue_of(int local) const {
  constexpr std::size_t per_rank = queue_bytes +
                                   cells_of[0] * cell_stride(data_bytes[0], sizeof(Cell)) +
                                   cells_of[1] * cell_stride(data_bytes[1], sizeof(Cell));
  return *reinterpret_cast<Queue*>(base_ + static_cast<std::size_t>(local) * per_rank);
}

SharedMemory::Cell& SharedMemory::cell(std::uint32_t number) const {
  constexpr std::uint32_t per_rank = cells_of[0] + cells_of[1];
  const std::uint32_t owner = (number - 1) / per_rank;
  const std::uint32_t index = (number - 1) % per_rank;
  std::byte* at = reinterpret_cast<std::byte*>(&queue_of(static_cast<int>(owner))) + queue_bytes;
  if (index < cells_of[0]) {
    at += index * cell_stride(data_bytes[0], sizeof(Cell));
  } else {
    at += cells_of[0] * cell_stride(data_bytes[0], sizeof(Cell)) +
          (index - cells_of[0]) * cell_stride(data_bytes[1], sizeof(Cell));
  }
  return *reinterpret_cast<Cell*>(at);
}

int SharedMemory::local_rank(int rank) const { return process_.job().local_rank_of(rank); }

SharedMemory::Cell* SharedMemory::take_cell(Size size) {
  const auto which = static_cast<std::size_t>(size);
  std::uint32_t& free = free_[which];
  if (free == 0) free = queue_of(own_).returned[which].exchange(0, std::memory_order_acquire);
  if (free != 0) {
    Cell& taken = cell(free);
    free = taken.next.load(std::memory_order_relaxed);
    return &taken;
  }
  if (fresh_[which] == cells_of[which]) {
    queue_of(own_).starving.store(1, std::memory_order_seq_cst);
    // One may have come back before its holder could see that.
    free = queue_of(own_).returned[which].exchange(0, std::memory_order_seq_cst);
    if (free == 0) return nullptr;
    Cell& taken = cell(free);
    free = taken.next.load(std::memory_order_relaxed);
    return &taken;
  }
  const std::uint32_t index = (which == 0 ? 0 : cells_of[0]) + fresh_[which]++;
  const std::uint32_t number =
      static_cast<std::uint32_t>(own_) * (cells_of[0] + cells_of[1]) + index + 1;
  Cell& taken = cell(number);
  taken.number = number;
  return &taken;
}

void SharedMemory::enqueue(int peer, Cell& sent) {
  corespec::charge(settings_.parameters->shm_queue);
  sent.sender = process_.rank();
  sent.next.store(0, std::memory_order_relaxed);
  if (free_enqueues_.empty()) {
    enqueues_.push_back(std::make_unique<Enqueue>());
    enqueues_.back()->owner = this;
    free_enqueues_.push_back(enqueues_.back().get());
  }
  Enqueue& effect = *free_enqueues_.back();
  free_enqueues_.pop_back();
  effect.cell = &sent;
  effect.peer = peer;
  corespec::this_thread().defer(effect);
}

void SharedMemory::Enqueue::perform() {
  owner->free_enqueues_.push_back(this);
  owner->link(peer, *cell);
}

void SharedMemory::link(int peer, Cell& sent) {
  const int local = local_rank(peer);
  Queue& queue = queue_of(local);
  const std::uint32_t before = queue.tail.exchange(sent.number, std::memory_order_acq_rel);
  if (before == 0) {
    queue.first.store(sent.number, std::memory_order_release);
  } else {
    cell(before).next.store(sent.number, std::memory_order_release);
  }
  notify(peer);
}

void SharedMemory::notify(int peer) {
  corespec::Signal*& signal = signals_[static_cast<std::size_t>(local_rank(peer))];
  if (signal == nullptr) {
    signal = &nic::arrival_signal(process_.node(), static_cast<std::uint32_t>(peer),
                                  process_.job().cookie());
  }
  signal->notify();
}

bool SharedMemory::has_work() const {
  return queue_of(own_).first.load(std::memory_order_acquire) != 0 || !backlog_.empty() ||
         !control_backlog_.empty();
}

SharedMemory::Cell* SharedMemory::dequeue() {
  Queue& queue = queue_of(own_);
  const std::uint32_t number = queue.first.load(std::memory_order_acquire);
  if (number == 0) return nullptr;
  Cell& taken = cell(number);
  std::uint32_t next = taken.next.load(std::memory_order_acquire);
  if (next == 0) {
    queue.first.store(0, std::memory_order_relaxed);
    std::uint32_t expected = number;
    if (queue.tail.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return &taken;
    // Another cell is being linked behind this one: its sender is between two instructions.
    while ((next = taken.next.load(std::memory_order_acquire)) == 0) {
    }
  }
  queue.first.store(next, std::memory_order_relaxed);
  return &taken;
}

void SharedMemory::send(RequestImpl& request) {
  if (backlog_.empty() && transmit(request)) return;
  backlog_.push_back(request);
}

bool SharedMemory::withdraw(RequestImpl& request) {
  if (!request.queued) return false;
  backlog_.remove(request);
  return true;
}

bool SharedMemory::transmit(RequestImpl& request) {
  const bool eager =
      !request.synchronous && request.bytes <= data_bytes[1] &&
      request.bytes < static_cast<std::uint64_t>(settings_.parameters->smp_single_copy);
  const bool small = !eager || request.bytes <= data_bytes[0];
  Cell* taken = take_cell(small ? Size::small : Size::large);
  if (taken == nullptr) return false;
  taken->header = PacketHeader();
  taken->header.kind = eager ? PacketKind::eager : PacketKind::rts;
  taken->header.envelope = request.envelope;
  taken->header.bytes = request.bytes;
  ++statistics_.intra_node;
  if (eager) {
    corespec::charge(settings_.copy_time(request.bytes));
    if (request.bytes != 0) std::memcpy(taken->data(), request.data, request.bytes);
  } else {
    taken->header.send_request = reinterpret_cast<std::uint64_t>(&request);
    taken->memory.address = reinterpret_cast<std::uint64_t>(request.data);
  }
  enqueue(request.peer, *taken);
  if (eager) {
    request.finish(request.envelope.source, request.envelope.tag, request.bytes, false);
    completions_.request_complete(request);
  }
  return true;
}

bool SharedMemory::send_control(int peer, const PacketHeader& header) {
  Cell* taken = take_cell(Size::small);
  if (taken == nullptr) return false;
  taken->header = header;
  enqueue(peer, *taken);
  return true;
}

void SharedMemory::accept(int peer, RequestImpl& receive, const PacketHeader& header,
                          const MemoryReference& source) {
  const std::uint64_t bytes = std::min(header.bytes, receive.bytes);
  corespec::charge(settings_.copy_time(bytes));
  corespec::this_thread().sync();
  process_.node().memory().copy_from_rank(
      peer, receive.data, reinterpret_cast<const std::byte*>(source.address), bytes);
  PacketHeader done;
  done.kind = PacketKind::receive_done;
  done.send_request = header.send_request;
  if (!control_backlog_.empty() || !send_control(peer, done)) {
    control_backlog_.emplace_back(peer, done);
  }
  receive.finish(header.envelope.source, header.envelope.tag, bytes, header.bytes > receive.bytes);
  completions_.request_complete(receive);
}

void SharedMemory::handle(Cell& arrived) {
  const PacketHeader& header = arrived.header;
  if (header.kind != PacketKind::receive_done) {
    client_.local_envelope_arrived(arrived.sender, header, arrived.memory, arrived.data());
    return;
  }
  auto& send = *reinterpret_cast<RequestImpl*>(header.send_request);
  send.finish(send.envelope.source, send.envelope.tag, send.bytes, false);
  completions_.request_complete(send);
}

/// Back to its sender, last in first out: the cell is warm.
void SharedMemory::give_back(Cell& arrived) {
  constexpr std::uint32_t per_rank = cells_of[0] + cells_of[1];
  const std::uint32_t index = (arrived.number - 1) % per_rank;
  const int sender = arrived.sender;
  Queue& queue = queue_of(local_rank(sender));
  auto& returned = queue.returned[index < cells_of[0] ? 0 : 1];
  std::uint32_t top = returned.load(std::memory_order_relaxed);
  do {
    arrived.next.store(top, std::memory_order_relaxed);
  } while (!returned.compare_exchange_weak(top, arrived.number, std::memory_order_seq_cst));
  if (queue.starving.load(std::memory_order_seq_cst) == 0) return;
  corespec::this_thread().sync();
  if (queue.starving.exchange(0, std::memory_order_seq_cst) != 0) notify(sender);
}

bool SharedMemory::poll() {
  bool any = false;
  while (Cell* arrived = dequeue()) {
    any = true;
    corespec::charge(settings_.parameters->shm_latency + settings_.parameters->shm_queue);
    handle(*arrived);
    give_back(*arrived);
  }
  while (!control_backlog_.empty() &&
         send_control(control_backlog_.front().first, control_backlog_.front().second)) {
    control_backlog_.erase(control_backlog_.begin());
    any = true;
  }
  while (!backlog_.empty()) {
    RequestImpl& request = *backlog_.front();
    backlog_.remove(request);
    if (!transmit(request)) {
      backlog_.push_front(request);
      break;
    }
    any = true;
  }
  return any;
}

}  // namespace netmod
