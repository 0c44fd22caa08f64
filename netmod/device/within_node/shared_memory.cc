// Messages within a node.
#include "netmod/device/within_node/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>

#include "corespec/host/check.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "netmod/device/messages/observed_message.h"
#include "netmod/device/nic/rank_port.h"
#include "netmod/device/within_node/shared_memory_parts.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {
namespace {

constexpr std::uint64_t with_number(std::uint64_t before, std::uint32_t number) {
  return ((before >> 32) + 1) << 32 | number;
}

}  // namespace

SharedMemory::SharedMemory(corespec::Process& process, int ranks_on_node,
                           ugni::PayloadPool& payloads, const Settings& settings,
                           RequestNames& names, SharedMemoryClient& client,
                           CompletionClient& completions)
    : own_(process.local_rank()),
      ranks_(static_cast<std::uint32_t>(ranks_on_node)),
      rank_(process.rank()),
      process_(process),
      domain_(process.node().domain()),
      settings_(settings),
      client_(client),
      completions_(completions),
      names_(names) {
  first_enqueue_.owner = this;
  corespec::NodeMemory& memory = process.node().memory();
  static_assert(sizeof(Cell) == 2 * corespec::line_bytes &&
                offsetof(Cell, memory) == corespec::line_bytes);
  base_ = memory.segment("mpi.queues",
                         sizeof(Pool) + ranks_ * (sizeof(Queue) + near_cells * sizeof(Cell)));
  rest_ =
      memory.segment("mpi.cells", ranks_ * ((all_cells - near_cells) * sizeof(Cell) + room_bytes));
  if (memory.one_address_space()) {
    payloads_ = &payloads;
  } else {
    signals_ = std::make_unique<corespec::Signal*[]>(ranks_);
  }
}

SharedMemory::Size SharedMemory::size_of(std::uint32_t number) const {
  return number <= cells_of[0] * ranks_ ? Size::small : Size::large;
}

std::byte* SharedMemory::room_of(const Cell& cell) const {
  const std::size_t index = cell.number - 1;
  const std::size_t small = std::size_t{cells_of[0]} * ranks_;
  return rest_ + std::size_t{all_cells - near_cells} * ranks_ * sizeof(Cell) +
         std::min(index, small) * data_bytes[0] +
         (index < small ? 0 : index - small) * data_bytes[1];
}

int SharedMemory::local_rank(int rank) const { return process_.job().local_rank_of(rank); }

/// True if this rank may hold one more cell.
bool SharedMemory::take_credit(Size size) {
  const auto which = static_cast<std::size_t>(size);
  std::uint16_t& held = held_[which];
  const auto come_back = [&](std::memory_order order) {
    held = static_cast<std::uint16_t>(held - queue_of(own_).returned[which].exchange(0, order));
  };
  if (held == cells_of[which]) {
    come_back(std::memory_order_acquire);
    if (held == cells_of[which]) {
      queue_of(own_).starving.store(1, std::memory_order_seq_cst);
      // One may have come back before its holder could see that.
      come_back(std::memory_order_seq_cst);
      if (held == cells_of[which]) return false;
    }
  }
  ++held;
  return true;
}

SharedMemory::Cell* SharedMemory::take_cell(Size size) {
  if (!take_credit(size)) return nullptr;
  const auto which = static_cast<std::size_t>(size);
  Pool& shared = pool();
  // Cells come back before credits do: a rank that has a credit finds a cell.
  for (;;) {
    std::uint64_t top = shared.free[which].load(std::memory_order_acquire);
    while (const auto number = static_cast<std::uint32_t>(top)) {
      Cell& taken = cell(number);
      const std::uint32_t next = taken.next.load(std::memory_order_relaxed);
      if (shared.free[which].compare_exchange_weak(top, with_number(top, next),
                                                   std::memory_order_acq_rel)) {
        return &taken;
      }
    }
    std::uint32_t used = shared.fresh[which].load(std::memory_order_relaxed);
    if (used == cells_of[which] * ranks_ ||
        !shared.fresh[which].compare_exchange_weak(used, used + 1, std::memory_order_relaxed)) {
      continue;
    }
    const std::uint32_t number = (which == 0 ? 0 : cells_of[0] * ranks_) + used + 1;
    Cell& taken = cell(number);
    taken.number = number;
    return &taken;
  }
}

void SharedMemory::return_cell(Cell& returned) {
  std::atomic<std::uint64_t>& free =
      pool().free[static_cast<std::size_t>(size_of(returned.number))];
  std::uint64_t top = free.load(std::memory_order_relaxed);
  do {
    returned.next.store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
  } while (!free.compare_exchange_weak(top, with_number(top, returned.number),
                                       std::memory_order_acq_rel));
}

void SharedMemory::enqueue(int peer, Cell& sent) {
  corespec::charge(settings_.parameters->shm_queue);
  sent.sender = rank_;
  sent.sender_local = static_cast<std::uint16_t>(own_);
  sent.next.store(0, std::memory_order_relaxed);
  Enqueue& effect = free_enqueue();
  effect.cell = &sent;
  effect.peer = peer;
  effect.local = local_rank(peer);
  effect.queue = &queue_of(effect.local);
  corespec::this_thread().defer(effect);
}

SharedMemory::Enqueue& SharedMemory::free_enqueue() {
  if (first_enqueue_.cell == nullptr) return first_enqueue_;
  for (Enqueue& more : enqueues_) {
    if (more.cell == nullptr) return more;
  }
  Enqueue& made = enqueues_.emplace_front();
  made.owner = this;
  return made;
}

/// Touches nothing else of its owner's, as a rule.
void SharedMemory::Enqueue::perform() { owner->link(*std::exchange(cell, nullptr), *this); }

void SharedMemory::link(Cell& sent, const Enqueue& effect) {
  Queue& queue = *effect.queue;
  const std::uint32_t before = queue.tail.exchange(sent.number, std::memory_order_acq_rel);
  if (before == 0) {
    queue.first.store(sent.number, std::memory_order_release);
  } else {
    cell(before).next.store(sent.number, std::memory_order_release);
  }
  notify(queue, effect.peer, effect.local);
}

void SharedMemory::notify(Queue& queue, int peer, int local) {
  const auto known = signals_ == nullptr ? queue.signal.load(std::memory_order_relaxed) : 0;
  if (known != 0) {
    reinterpret_cast<corespec::Signal*>(known)->notify();
    return;
  }
  const auto find = [&]() -> corespec::Signal& {
    return doors::arrival_signal(process_.node(), static_cast<std::uint32_t>(peer),
                                 process_.job().cookie());
  };
  if (signals_ == nullptr) {
    corespec::Signal& found = find();
    queue.signal.store(reinterpret_cast<std::uint64_t>(&found), std::memory_order_relaxed);
    found.notify();
    return;
  }
  corespec::Signal*& signal = signals_[static_cast<std::size_t>(local)];
  if (signal == nullptr) signal = &find();
  signal->notify();
}

bool SharedMemory::has_arrivals() const {
  return queue_of(own_).first.load(std::memory_order_acquire) != 0;
}

bool SharedMemory::has_work() const {
  return has_arrivals() || !backlog_.empty() || !control_backlog_.empty();
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
    next = taken.next.load(std::memory_order_acquire);
    if (next == 0) {
      // Another cell is being linked behind this one, by a sender that has no CPU at the moment.
      queue.first.store(number, std::memory_order_relaxed);
      return nullptr;
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
  taken->header.without_data = request.without_data();
  ++messages_sent_;
  if (eager) {
    taken->header.send_request = request.number;
    corespec::charge(settings_.copy_time(request.bytes));
    put_data(*taken, request);
  } else {
    request.number = 0;
    request.name = names_.add(request);
    taken->header.send_request = request.name;
    taken->memory.address = reinterpret_cast<std::uint64_t>(request.data);
  }
  observe_sent(domain_, request, taken->header.kind, taken->header.send_request,
               protocol::within_node);
  enqueue(request.peer, *taken);
  if (eager) {
    request.finish_sent();
    completions_.request_complete(request);
  }
  return true;
}

void SharedMemory::put_data(Cell& cell, RequestImpl& request) {
  const std::span<const std::byte> data(request.eager_data(), request.bytes);
  if (data.size() <= sizeof cell.few) {
    std::copy(data.begin(), data.end(), cell.few);
  } else if (payloads_ == nullptr) {
    std::memcpy(room_of(cell), data.data(), data.size());
  } else {
    ugni::Loan* const loan = request.begin_loan();
    ugni::Payload payload(*payloads_, {}, data, loan);
    if (loan != nullptr) request.settle_loan();
    cell.lent = request.lends();
    cell.set_payload(payload.release());
  }
}

void SharedMemory::ask_back(RequestImpl& request) {
  send_control(request.peer, PacketKind::cancel, request.name);
}

void SharedMemory::recall(RequestImpl& request, std::uint32_t number) {
  send_control(request.peer, PacketKind::recall, names_.add(request), number);
}

bool SharedMemory::try_control(int peer, const PacketHeader& header) {
  Cell* taken = take_cell(Size::small);
  if (taken == nullptr) return false;
  taken->header = header;
  enqueue(peer, *taken);
  return true;
}

void SharedMemory::send_control(int peer, PacketKind kind, std::uint64_t send_request,
                                std::uint64_t receive_request) {
  PacketHeader header;
  header.kind = kind;
  header.send_request = send_request;
  header.receive_request = receive_request;
  if (!control_backlog_.empty() || !try_control(peer, header)) {
    control_backlog_.emplace_back(peer, header);
  }
}

/// The send that the peer's answer, which is its last, is about.
RequestImpl& SharedMemory::answered(const Cell& arrived) {
  const std::uint64_t name = arrived.header.send_request;
  RequestImpl* const request = names_.find(name);
  if (request == nullptr || request->peer != arrived.sender) {
    RankPort::fail_peer(process_, arrived.sender, "the name of a request that it was not given");
  }
  names_.remove(name);
  return *request;
}

/// Of what other processes of the node write: what is used as a place or a length.
void SharedMemory::check(const Cell& arrived) const {
  const std::uint64_t room = data_bytes[static_cast<std::size_t>(size_of(arrived.number))];
  const bool fits = arrived.header.kind != PacketKind::eager || arrived.header.bytes <= room;
  if (&cell(arrived.number) == &arrived && arrived.sender_local < ranks_ && fits &&
      arrived.sender >= 0 && arrived.sender < process_.job().size()) {
    return;
  }
  fail_memory();
}

void SharedMemory::fail_memory() const {
  process_.job().abort(process_, 1,
                       "MPI: the memory that this node's ranks share holds what none of them puts "
                       "there: a program has overwritten it");
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void SharedMemory::handle(Cell& arrived) {
  const PacketHeader& header = arrived.header;
  switch (header.kind) {
    case PacketKind::receive_done:
    case PacketKind::kept: {
      RequestImpl& send = answered(arrived);
      send.finish_sent();
      completions_.request_complete(send);
      break;
    }
    case PacketKind::cancel:
    case PacketKind::recall:
      if (client_.local_cancel_arrived(arrived.sender, header)) {
        send_control(arrived.sender, PacketKind::cancelled, header.send_request);
      } else if (header.kind == PacketKind::recall) {
        send_control(arrived.sender, PacketKind::kept, header.send_request);
      }
      break;
    case PacketKind::cancelled: {
      RequestImpl& send = answered(arrived);
      send.finish_cancelled();
      completions_.request_complete(send);
      break;
    }
    case PacketKind::eager:
    case PacketKind::rts:
      if (ugni::PayloadBlock* const block = payloads_ == nullptr ? nullptr : arrived.payload()) {
        ugni::Payload payload(*block);
        // What was copied lies in the block, which need not be looked into for that.
        const std::byte* const data = arrived.lent ? payload.at(0) : block->bytes().data();
        client_.local_envelope_arrived(arrived.sender, header, arrived.memory, data, &payload);
      } else {
        client_.local_envelope_arrived(
            arrived.sender, header, arrived.memory,
            header.bytes <= sizeof arrived.few ? arrived.few : room_of(arrived), nullptr);
      }
      break;
    case PacketKind::none:
    case PacketKind::cts:
    case PacketKind::send_done:
    case PacketKind::credits:
      CASTOR_NEVER("a packet that only travels between nodes");
  }
}

/// Back into the pool, and its sender may take another.
void SharedMemory::give_back(Cell& arrived) {
  const int sender = arrived.sender;
  const int local = arrived.sender_local;
  const auto which = static_cast<std::size_t>(size_of(arrived.number));
  return_cell(arrived);
  Queue& queue = queue_of(local);
  queue.returned[which].fetch_add(1, std::memory_order_seq_cst);
  if (queue.starving.load(std::memory_order_seq_cst) == 0) return;
  corespec::this_thread().sync();
  if (queue.starving.exchange(0, std::memory_order_seq_cst) != 0) notify(queue, sender, local);
}

void SharedMemory::drop_arrivals() {
  while (Cell* const arrived = dequeue()) {
    ugni::PayloadBlock* const block = payloads_ == nullptr ? nullptr : arrived->payload();
    if (block != nullptr) block->give_back();
    arrived->header.bytes = 0;
  }
}

bool SharedMemory::poll() {
  bool any = false;
  while (Cell* arrived = dequeue()) {
    any = true;
    if (payloads_ == nullptr) check(*arrived);
    corespec::charge(settings_.parameters->shm_latency + settings_.parameters->shm_queue);
    handle(*arrived);
    give_back(*arrived);
  }
  while (!control_backlog_.empty() &&
         try_control(control_backlog_.front().first, control_backlog_.front().second)) {
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
