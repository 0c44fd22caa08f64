// A rank's side of transfers.
#include "armci/core/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "armci/core/blocks.h"
#include "armci/core/client_parts.h"
#include "armci/core/fail.h"
#include "armci/core/node_lock.h"
#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"
#include "corespec/threads/thread.h"

namespace armci {
namespace {

constexpr std::uint64_t word = 8;
constexpr std::uint64_t get_word = 4;  ///< bytes that GETs move whole
constexpr std::size_t most_spare = 8;  ///< messages' memory kept for later ones

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// The description of a target's patch in a request: the run's bytes, then counts and strides, or
/// the offsets of the runs meant.
std::uint32_t description_bytes(const Patch& remote, std::int64_t count) {
  const std::int64_t words =
      remote.listed ? 1 + count : 1 + 2 * std::int64_t{remote.strides.levels};
  return static_cast<std::uint32_t>(words * static_cast<std::int64_t>(word));
}

void describe(const Patch& remote, std::int64_t first, std::int64_t count, std::byte* to) {
  const auto put = [&to](std::int64_t value) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  };
  put(remote.run_bytes());
  if (remote.listed) {
    for (std::int64_t i = first; i < first + count; ++i)
      put(remote.list[static_cast<std::size_t>(i)]);
    return;
  }
  for (std::size_t level = 1; level <= static_cast<std::size_t>(remote.strides.levels); ++level) {
    put(remote.strides.count[level]);
    put(remote.strides.stride[level - 1]);
  }
}

}  // namespace

Client::Client(rma::RmaPort& port, const PeerTable& peers, RemoteMemory& memory)
    : port_(port),
      peers_(peers),
      memory_(memory),
      process_(port.process()),
      parameters_(port.process().job().parameters()),
      answers_(new std::uint64_t[most_requests]()),
      by_number_(most_requests) {
  answers_queue_ = port.make_queue(2 * most_requests, GNI_CQ_NOBLOCK);
  landing_ = std::make_unique<rma::RegistrationCache>(
      port.nic(), rma::RegistrationCache::Limits::of(parameters_), answers_queue_);
  for (std::uint32_t i = most_requests; i > 0; --i) free_numbers_.push_back(i - 1);
  const gni_return_t code = port.register_memory(answers_.get(), most_requests * sizeof answers_[0],
                                                 answers_queue_, answers_handle_);
  if (code != GNI_RC_SUCCESS) port.fail("GNI_MemRegister", code);
}

Client::~Client() {
  landing_.reset();
  port_.deregister_memory(answers_handle_);
  GNI_CqDestroy(answers_queue_);
}

void Client::publish(Peer& own) const {
  own.answers = address_of(answers_.get());
  own.answers_handle = answers_handle_;
}

bool Client::on_this_node(int proc) const {
  return process_.job().nid_of(proc) == process_.node().nid();
}

Client::Link& Client::link_to(int proc) {
  const int leader = peers_.leader_of(proc);
  std::unique_ptr<Link>& link = links_[leader];
  if (!link) {
    link = std::make_unique<Link>();
    link->leader = leader;
    const auto each = static_cast<std::uint32_t>(parameters_.armci_cht_buffers);
    const auto size = static_cast<std::uint64_t>(parameters_.armci_cht_buffer_size);
    link->buffers = peers_[leader].buffers + buffer_number(process_.rank(), 0, each) * size;
    for (std::uint32_t i = each; i > 0; --i) link->free.push_back(i - 1);
  }
  return *link;
}

template <typename Done>
void Client::wait_until(Done done) {
  if (done()) return;
  const Awaited for_people(*this);
  while (!done()) {
    const std::uint64_t seen = port_.arrivals().epoch();
    if (!progress() && !done()) port_.spin(seen);
  }
}

bool Client::reaches(const Transfer& transfer) const {
  return block_of(memory_, transfer.proc, transfer.remote) != nullptr ||
         !blocks_of_runs(memory_, transfer.proc, transfer.remote).empty();
}

bool Client::start(const Transfer& transfer, Ticket ticket) {
  corespec::charge(parameters_.armci_call);
  const Slot* slot = block_of(memory_, transfer.proc, transfer.remote);
  if (slot == nullptr) return start_by_block(transfer, ticket);
  start_in(*slot, transfer, ticket);
  return true;
}

void Client::start_in(const Slot& slot, const Transfer& transfer, Ticket ticket) {
  if (transfer.local.bytes() == 0) return;
  if (on_this_node(transfer.proc)) {
    copy_within_node(transfer, slot);
  } else if (goes_direct(transfer)) {
    start_direct(transfer, slot, ticket);
  } else {
    start_requests(transfer, slot, ticket);
  }
}

/// A list whose runs lie in several blocks: neighbours in one block travel together.
bool Client::start_by_block(const Transfer& transfer, Ticket ticket) {
  const std::vector<const Slot*> slots = blocks_of_runs(memory_, transfer.proc, transfer.remote);
  if (slots.empty()) return false;
  Transfer part = transfer;
  for (std::size_t first = 0; first < slots.size();) {
    std::size_t end = first;
    while (end < slots.size() && slots[end] == slots[first]) ++end;
    for (Patch Transfer::*side : {&Transfer::local, &Transfer::remote}) {
      const auto& whole = (transfer.*side).list;
      (part.*side)
          .list.assign(whole.begin() + static_cast<std::ptrdiff_t>(first),
                       whole.begin() + static_cast<std::ptrdiff_t>(end));
    }
    start_in(*slots[first], part, ticket);
    first = end;
  }
  return true;
}

void Client::charge_copy(std::int64_t runs, std::int64_t bytes) const {
  corespec::charge(
      parameters_.armci_run * runs +
      corespec::Time::for_bytes(static_cast<std::uint64_t>(bytes), parameters_.memory_copy));
}

void Client::copy_within_node(const Transfer& transfer, const Slot& slot) {
  const Patch& local = transfer.local;
  Patch remote = transfer.remote;
  remote.base =
      view_of(process_, slot.chunk) + (address_of(transfer.remote.base) - slot.chunk.address);
  const std::int64_t runs = remote.runs();
  const auto bytes = static_cast<std::size_t>(remote.run_bytes());
  corespec::this_thread().sync();
  if (transfer.kind == Kind::accumulate) {
    const NodeLock lock(process_.node());
    for_each_pair(remote, local, [&](std::byte* run, const std::byte* own) {
      accumulate(transfer.element, transfer.scale, run, own, bytes);
    });
    corespec::charge(parameters_.armci_accumulate *
                     (local.bytes() / static_cast<std::int64_t>(bytes_of(transfer.element))));
  } else {
    const bool put = transfer.kind == Kind::put;
    for_each_pair(put ? remote : local, put ? local : remote,
                  [bytes](std::byte* to, const std::byte* from) { std::memmove(to, from, bytes); });
  }
  charge_copy(runs, local.bytes());
}

bool Client::goes_direct(const Transfer& transfer) const {
  if (!transfer.local.contiguous() || !transfer.remote.contiguous()) return false;
  if (transfer.kind == Kind::accumulate) return false;
  if (parameters_.armci_direct) return true;
  return transfer.kind == Kind::get && parameters_.armci_eager_get &&
         transfer.local.bytes() <= parameters_.armci_eager_limit;
}

void Client::start_direct(const Transfer& transfer, const Slot& slot, Ticket ticket) {
  Link& link = link_to(transfer.proc);
  wait_until([&] { return link.unanswered == 0; });
  const bool put = transfer.kind == Kind::put;
  auto left = static_cast<std::uint64_t>(transfer.local.bytes());
  const bool by_bte = left > port_.settings().offload_threshold;
  // PUTs by FMA are delivered in order (the port's mode); whatever else is mixed is not.
  if (!put || by_bte || link.direct_by_bte) wait_until([&] { return link.direct_puts == 0; });
  if (link.direct_puts == 0) link.direct_by_bte = false;
  Operation& op = begin(transfer.proc, ticket);
  op.kind = transfer.kind;
  op.link = &link;
  op.network.tells_bad_memory = true;
  std::byte* local = transfer.local.begin();
  std::uint64_t remote = address_of(transfer.remote.begin());
  while (left != 0) {
    const std::uint64_t part = std::min(left, rma::RmaPort::most_bytes);
    port_.insist([&] {
      return put ? port_.put(op.network, transfer.proc, local, remote, slot.chunk.handle, part)
                 : port_.get(op.network, transfer.proc, local, remote, slot.chunk.handle, part);
    });
    if (rma::memory_fault(op.network.result) != nullptr) fail_local(transfer, op.network.result);
    local += part;
    remote += part;
    left -= part;
  }
  op.posted = true;
  if (put) {
    ++link.direct_puts;
    link.direct_by_bte = link.direct_by_bte || by_bte;
  }
}

Client::Operation& Client::begin(int proc, Ticket ticket) {
  operations_.push_back(std::make_unique<Operation>());
  Operation& op = *operations_.back();
  op.proc = proc;
  op.ticket = ticket;
  return op;
}

/// Bytes of a run that one request is for: a helper answers a get by one PUT.
std::int64_t Client::most_of_run(const Transfer& transfer) {
  const std::int64_t all = transfer.remote.run_bytes();
  if (transfer.kind != Kind::get) return all;
  return std::min(all, static_cast<std::int64_t>(rma::RmaPort::most_bytes));
}

/// What is not contiguous on both sides is packed, as much at a time as goes into a client's
/// buffer; lists of offsets have to go into the helper's.
void Client::start_requests(const Transfer& transfer, const Slot& slot, Ticket ticket) {
  const std::int64_t runs = transfer.remote.runs();
  const std::int64_t run_bytes = transfer.remote.run_bytes();
  std::int64_t most_runs = runs;
  if (most_of_run(transfer) < run_bytes) {
    start_by_run(transfer, slot, ticket);
    return;
  }
  if (!transfer.local.contiguous() || !transfer.remote.contiguous()) {
    if (run_bytes > parameters_.armci_client_buffer) {
      start_by_run(transfer, slot, ticket);
      return;
    }
    most_runs = std::min(most_runs, parameters_.armci_client_buffer / run_bytes);
  }
  if (transfer.remote.listed) {
    const bool eager =
        transfer.kind != Kind::get && transfer.local.bytes() <= parameters_.armci_eager_limit;
    const std::int64_t room =
        parameters_.armci_cht_buffer_size - static_cast<std::int64_t>(sizeof(RequestHeader) + word);
    const std::int64_t each = static_cast<std::int64_t>(word) + (eager ? run_bytes : 0);
    most_runs = std::min(most_runs, std::max<std::int64_t>(1, room / each));
  }
  for (std::int64_t first = 0; first < runs; first += most_runs) {
    start_request(transfer, slot, first, std::min(most_runs, runs - first), ticket);
  }
}

void Client::start_by_run(const Transfer& transfer, const Slot& slot, Ticket ticket) {
  for_each_pair(transfer.local, transfer.remote, [&](std::byte* own, std::byte* run) {
    Transfer one = transfer;
    one.local = {};
    one.remote = {};
    const std::int64_t bytes = transfer.remote.run_bytes();
    for (std::int64_t at = 0; at < bytes; at += most_of_run(transfer)) {
      one.local.base = own + at;
      one.remote.base = run + at;
      one.local.strides.count[0] = one.remote.strides.count[0] =
          std::min(bytes - at, most_of_run(transfer));
      start_request(one, slot, 0, 1, ticket);
    }
  });
}

void Client::start_request(const Transfer& transfer, const Slot& slot, std::int64_t first,
                           std::int64_t count, Ticket ticket) {
  const Patch& remote = transfer.remote;
  RequestHeader header;
  header.kind = transfer.kind;
  header.element = transfer.element;
  header.levels = static_cast<std::uint8_t>(remote.strides.levels);
  header.flags = remote.listed ? request_flag::listed : 0;
  header.chunk = slot.chunk.number;
  header.chunk_bytes = slot.chunk.bytes;
  header.base = static_cast<std::int64_t>(address_of(remote.base) - slot.chunk.address);
  header.first_run = remote.listed ? 0 : first;
  header.runs = count;
  header.description = description_bytes(remote, count);
  std::memcpy(header.operand.data(), transfer.scale.bytes, sizeof transfer.scale.bytes);

  const auto bytes = static_cast<std::size_t>(count * remote.run_bytes());
  const std::size_t head = sizeof header + header.description;
  const bool eager = transfer.kind != Kind::get &&
                     bytes <= static_cast<std::size_t>(parameters_.armci_eager_limit) &&
                     head + bytes <= static_cast<std::size_t>(parameters_.armci_cht_buffer_size);
  Operation& op = begin(transfer.proc, ticket);
  op.kind = transfer.kind;
  op.await_answer = !eager;
  if (!spare_messages_.empty()) {
    op.message = std::move(spare_messages_.back());
    spare_messages_.pop_back();
  }
  {
    const corespec::RankMemory own;
    op.message.resize(head + (eager ? bytes : 0));
  }
  describe(remote, first, count, op.message.data() + sizeof header);
  if (eager) {
    header.flags |= request_flag::eager;
    pack(transfer.local, first, count, op.message.data() + head);
    charge_copy(count, static_cast<std::int64_t>(bytes));
  } else {
    offer_memory(op, transfer, first, count, header);
  }
  send(op, header);
}

void Client::fail_local(const Transfer& transfer, gni_return_t code) const {
  const char* const fault = rma::memory_fault(code);
  if (fault == nullptr) port_.fail("GNI_MemRegister", code);
  fail(transfer.function, fmt::format("the data are in memory at {}, {}",
                                      static_cast<const void*>(transfer.local.begin()), fault));
}

/// Where the helper's GET finds the data, or its PUT brings them: the caller's own memory if that
/// is contiguous, else a buffer. GETs fetch whole words, so what is not made of them is copied,
/// too.
void Client::offer_memory(Operation& op, const Transfer& transfer, std::int64_t first,
                          std::int64_t count, RequestHeader& header) {
  const bool get = transfer.kind == Kind::get;
  const auto bytes = static_cast<std::size_t>(count * transfer.remote.run_bytes());
  std::byte* memory = nullptr;
  const bool words =
      get || (address_of(transfer.local.begin()) % get_word == 0 && bytes % get_word == 0);
  if (transfer.local.contiguous() && words) {
    memory = transfer.local.begin();
  } else {
    const corespec::RankMemory own;
    op.packed.resize((bytes + word - 1) / word * word);
    memory = op.packed.data();
    if (get) {
      op.local = transfer.local;
      op.first = first;
      op.runs = count;
    } else {
      pack(transfer.local, first, count, memory);
      charge_copy(count, static_cast<std::int64_t>(bytes));
    }
  }
  // Registered in whole words: that is what GETs fetch.
  const std::uint64_t begin = address_of(memory) / word * word;
  const std::uint64_t end = (address_of(memory) + bytes + word - 1) / word * word;
  op.registered_in = get ? landing_.get() : &port_.registrations();
  op.registration = op.registered_in->acquire(reinterpret_cast<const void*>(begin), end - begin);
  if (op.registration == nullptr) fail_local(transfer, op.registered_in->failure());
  if (get && op.registration->read_only) fail_local(transfer, GNI_RC_PERMISSION_ERROR);
  header.memory = address_of(memory);
  header.memory_handle = op.registration->handle;
}

void Client::send(Operation& op, RequestHeader& header) {
  Link& link = link_to(op.proc);
  op.link = &link;
  op.request = true;
  wait_until([&] { return !link.free.empty() && !free_numbers_.empty() && link.direct_puts == 0; });
  op.buffer = link.free.back();
  link.free.pop_back();
  op.number = free_numbers_.back();
  free_numbers_.pop_back();
  by_number_[op.number] = &op;
  ++link.unanswered;
  header.from = process_.rank();
  header.target = op.proc;
  header.number = op.number;
  std::memcpy(op.message.data(), &header, sizeof header);
  const auto each = static_cast<std::uint32_t>(parameters_.armci_cht_buffers);
  const std::uint64_t place =
      link.buffers + op.buffer * static_cast<std::uint64_t>(parameters_.armci_cht_buffer_size);
  port_.insist([&] {
    return port_.put_with_event(op.network, peers_.helper_of(op.proc), op.message.data(), place,
                                peers_[link.leader].buffers_handle, op.message.size(),
                                buffer_number(process_.rank(), op.buffer, each));
  });
  op.posted = true;
}

bool Client::progress() {
  bool any = port_.poll();
  gni_cq_entry_t entry = 0;
  for (;;) {
    const gni_return_t code = GNI_CqGetEvent(answers_queue_, &entry);
    if (code == GNI_RC_NOT_DONE) break;
    any = true;
    if (code != GNI_RC_SUCCESS) {
      port_.take_overrun(code, entry, "a helper thread's answer");
      continue;
    }
    const auto number = static_cast<std::uint32_t>(gni_cq_get_rem_inst_id(entry));
    if (number >= most_requests || by_number_[number] == nullptr) {
      fail("ARMCI", "a helper thread has answered a request that is not under way");
    }
    Operation& op = *by_number_[number];
    by_number_[number] = nullptr;
    free_numbers_.push_back(number);
    op.result = answers_[number];
    op.answered = true;
    op.link->free.push_back(op.buffer);
    --op.link->unanswered;
  }
  return advance() || any;
}

bool Client::is_locally_complete(const Operation& op) const {
  if (op.request) return op.await_answer ? op.answered : op.network.complete();
  return op.kind == Kind::get ? op.network.complete() : op.network.locally_complete();
}

/// What has changed for operations under way. True if one has become complete.
bool Client::advance() {
  bool any = false;
  for (auto it = operations_.begin(); it != operations_.end();) {
    Operation& op = **it;
    if (op.posted && !op.locally_complete && is_locally_complete(op)) {
      op.locally_complete = true;
      finish(op);
      any = true;
    }
    // No answer will come.
    if (op.request && op.network.result != GNI_RC_SUCCESS) port_.fail_transfer();
    const bool over =
        op.locally_complete && op.network.complete() && (!op.request || op.answered) && !op.keep;
    if (!over) {
      ++it;
      continue;
    }
    if (!op.request && op.kind == Kind::put) --op.link->direct_puts;
    if (op.network.result != GNI_RC_SUCCESS) {
      if (op.waited_for) port_.fail_transfer();  // its caller cannot be told any more
      ++failures_[op.ticket];
    }
    if (spare_messages_.size() < most_spare && op.message.capacity() != 0) {
      spare_messages_.push_back(std::move(op.message));
    }
    it = operations_.erase(it);
    any = true;
  }
  return any;
}

/// Locally complete: data that landed go where they belong, registrations are given back.
void Client::finish(Operation& op) {
  if (op.kind == Kind::get && op.runs != 0) {
    unpack(op.local, op.first, op.runs, op.packed.data());
    charge_copy(op.runs, op.runs * op.local.run_bytes());
  }
  if (op.registration != nullptr) op.registered_in->release(op.registration);
  op.registration = nullptr;
}

bool Client::any_under_way(Ticket ticket, int proc) const {
  return std::any_of(operations_.begin(), operations_.end(), [&](const auto& op) {
    return op->ticket == ticket && (proc < 0 || op->proc == proc) && !op->locally_complete;
  });
}

/// What its caller has been told of can fail later only for the whole job.
bool Client::tell(Ticket ticket, int proc) {
  for (const auto& op : operations_) {
    if (op->ticket == ticket && (proc < 0 || op->proc == proc)) op->waited_for = true;
  }
  return failures_.erase(ticket) == 0;
}

bool Client::wait(Ticket ticket, int proc) {
  wait_until([&] { return !any_under_way(ticket, proc); });
  return tell(ticket, proc);
}

bool Client::test(Ticket ticket, bool& failed) {
  progress();
  failed = false;
  if (any_under_way(ticket, -1)) return false;
  failed = !tell(ticket, -1);
  return true;
}

void Client::fence(int proc) {
  corespec::charge(parameters_.armci_call);
  const auto link = links_.find(peers_.leader_of(proc));
  if (link == links_.end()) return;
  wait_until([&] { return link->second->settled() && !any_under_way(implicit_ticket, proc); });
}

void Client::fence_all() {
  corespec::charge(parameters_.armci_call);
  wait_until([&] {
    return std::all_of(links_.begin(), links_.end(),
                       [](const auto& entry) { return entry.second->settled(); }) &&
           !any_under_way(implicit_ticket, -1);
  });
}

std::uint64_t Client::ask(RequestHeader& header, int proc) {
  Operation& op = begin(proc, no_ticket);
  op.kind = header.kind;
  op.await_answer = true;
  op.keep = true;
  {
    const corespec::RankMemory own;
    op.message.resize(sizeof header);
  }
  send(op, header);
  wait_until([&] { return op.answered && op.network.complete(); });
  const std::uint64_t result = op.result;
  op.keep = false;
  advance();
  return result;
}

bool Client::read_modify_write(Update update, bool wide, std::uint64_t remote, int proc,
                               std::int64_t operand, std::int64_t& old) {
  corespec::charge(parameters_.armci_call);
  const Slot* slot = memory_.find(proc, remote, wide ? sizeof(std::int64_t) : sizeof(std::int32_t));
  if (slot == nullptr) return false;
  if (on_this_node(proc)) {
    corespec::this_thread().sync();
    std::byte* at = view_of(process_, slot->chunk) + (remote - slot->chunk.address);
    old = update_word(at, update, wide, operand);
    return true;
  }
  RequestHeader header;
  header.kind = Kind::read_modify_write;
  header.flags = static_cast<std::uint8_t>((update == Update::swap ? request_flag::swap : 0) |
                                           (wide ? request_flag::wide : 0));
  header.chunk = slot->chunk.number;
  header.chunk_bytes = slot->chunk.bytes;
  header.base = static_cast<std::int64_t>(remote - slot->chunk.address);
  header.operand[0] = static_cast<std::uint64_t>(operand);
  old = static_cast<std::int64_t>(ask(header, proc));
  return true;
}

void Client::lock(std::int64_t mutex, int proc) {
  corespec::charge(parameters_.armci_call);
  RequestHeader header;
  header.kind = Kind::lock;
  header.base = mutex;
  ask(header, proc);
}

bool Client::unlock(std::int64_t mutex, int proc) {
  fence(proc);
  RequestHeader header;
  header.kind = Kind::unlock;
  header.base = mutex;
  return ask(header, proc) != 0;
}

void Client::stop_helper() {
  RequestHeader header;
  header.kind = Kind::stop;
  ask(header, process_.rank());
}

}  // namespace armci
