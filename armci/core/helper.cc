// The communication helper thread of a node.
#include "armci/core/helper.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "armci/core/request_check.h"
#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"

namespace armci {
namespace {

constexpr std::uint32_t most_outstanding = 4096;
constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

bool waits_blocked(const corespec::Parameters& parameters) {
  if (!parameters.portals_blocking_poll.empty()) return parameters.portals_blocking_poll == "1";
  return parameters.armci_cht_wait == "blocked";
}

std::uint64_t buffer_bytes(const corespec::Process& process) {
  const corespec::Parameters& parameters = process.job().parameters();
  return static_cast<std::uint64_t>(parameters.armci_cht_buffer_size) *
         static_cast<std::uint64_t>(parameters.armci_cht_buffers) *
         static_cast<std::uint64_t>(process.job().size());
}

}  // namespace

Helper::Helper(corespec::Process& process)
    : process_(process),
      parameters_(process.job().parameters()),
      blocked_(waits_blocked(parameters_)),
      port_(process, "ARMCI's helper thread",
            {.cookie_offset = cookie_offset,
             .instance_group = 1,
             .queue_mode = static_cast<gni_cq_mode_t>(blocked_ ? GNI_CQ_BLOCKING : GNI_CQ_NOBLOCK),
             .most_outstanding = most_outstanding}) {
  const auto events = static_cast<std::uint32_t>(parameters_.armci_cht_buffers) *
                      static_cast<std::uint32_t>(process.job().size());
  // That an answer has arrived is the client's concern: a helper that sleeps is not woken for it.
  answers_.quiet = blocked_;
  requests_ = port_.make_queue(events + 1, blocked_ ? GNI_CQ_BLOCKING : GNI_CQ_NOBLOCK);
  buffers_ = process.node().memory().segment("armci helper buffers", buffer_bytes(process));
  const gni_return_t code =
      port_.register_memory(buffers_, buffer_bytes(process), requests_, buffers_handle_);
  if (code != GNI_RC_SUCCESS) port_.fail("GNI_MemRegister", code);
}

Helper::~Helper() {
  port_.deregister_memory(buffers_handle_);
  GNI_CqDestroy(requests_);
  process_.node().memory().remove("armci helper buffers");
}

void Helper::publish(Peer& own) const {
  own.buffers = reinterpret_cast<std::uint64_t>(buffers_);
  own.buffers_handle = buffers_handle_;
}

void Helper::start(const PeerTable& peers) {
  peers_ = &peers;
  thread_ =
      &process_.node().start_thread(corespec::ThreadRole::helper, &process_, [this] { run(); });
}

void Helper::join() { process_.node().join(*thread_); }

void Helper::report() const {
  if (!parameters_.armci_cht_stats) return;
  process_.job().report(process_, fmt::format("ARMCI helper stats node {}: {}",
                                              process_.node().nid(), statistics_.text()));
}

void Helper::run() {
  corespec::Thread& self = corespec::this_thread();
  self.use_service_cpus();
  if (parameters_.armci_cht_stats) statistics_.begun = self.now();
  while (!stopping_) {
    if (blocked_ && !port_.waits_for_room()) {
      wait_blocked();
    } else {
      wait_polling();
    }
    advance();
  }
  while (!tasks_.empty() || !answers_.complete()) {  // which wake no thread
    wait_polling();
    advance();
  }
  if (!parameters_.armci_cht_stats) return;
  statistics_.ended = self.now();
  statistics_.cpu_time = self.cpu_time();
}

/// The clock is read for the statistics only.
template <typename Wait>
void Helper::timed(Wait wait) {
  if (!parameters_.armci_cht_stats) return wait();
  corespec::Thread& self = corespec::this_thread();
  const corespec::Time from = self.now();
  wait();
  statistics_.waited += self.now() - from;
}

void Helper::wait_blocked() {
  gni_cq_handle_t queues[] = {requests_, port_.queue()};
  gni_cq_entry_t entry = 0;
  std::uint32_t which = 0;
  gni_return_t code = GNI_RC_SUCCESS;
  timed([&] { code = GNI_CqVectorWaitEvent(queues, 2, for_ever, &entry, &which); });
  ++statistics_.wake_ups;
  if (which == 1) {
    port_.take(code, entry);
  } else {
    take(code, entry);
  }
  // What else has come is done before the thread sleeps again.
  gni_return_t more = GNI_RC_SUCCESS;
  while ((more = GNI_CqGetEvent(requests_, &entry)) != GNI_RC_NOT_DONE) {
    take(more, entry);
    port_.poll();
  }
  port_.poll();
}

/// Completions are looked for between any two requests: they give registrations and posts back.
void Helper::wait_polling() {
  const std::uint64_t seen = port_.arrivals().epoch();
  const bool any = port_.poll();
  gni_cq_entry_t entry = 0;
  const gni_return_t code = GNI_CqGetEvent(requests_, &entry);
  if (code != GNI_RC_NOT_DONE) {
    take(code, entry);
  } else if (!any) {
    timed([&] { port_.spin(seen); });
  }
}

void Helper::take(gni_return_t code, gni_cq_entry_t entry) {
  if (code != GNI_RC_SUCCESS) return port_.take_overrun(code, entry, "a request");
  corespec::charge(parameters_.armci_request);
  const auto number = static_cast<std::uint32_t>(gni_cq_get_rem_inst_id(entry));
  const auto client = static_cast<int>(number / parameters_.armci_cht_buffers);
  if (client >= process_.job().size()) fail(client, "an event for a buffer that there is not");
  const auto bytes = static_cast<std::uint64_t>(parameters_.armci_cht_buffer_size);
  const std::span<const std::byte> buffer(buffers_ + number * bytes, bytes);
  RequestHeader header;
  std::memcpy(&header, buffer.data(), sizeof header);
  const std::span<const std::byte> rest = buffer.subspan(sizeof header);
  Patch patch;
  if (const char* fault = fault_in(process_, header, client, rest, patch)) fail(client, fault);
  statistics_.count(header, header.runs * patch.run_bytes());
  handle(header, std::move(patch), rest);
}

/// Neither can be answered: what its client waits for is not known.
void Helper::fail(int client, const char* fault) {
  process_.job().abort(
      process_, 1,
      fmt::format("ARMCI: rank {} has asked the helper thread of node {} for what no rank asks "
                  "({}): has it another version of Castor, or has its memory been overwritten?",
                  client, process_.node().nid(), fault));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void Helper::handle(const RequestHeader& header, Patch patch, std::span<const std::byte> rest) {
  switch (header.kind) {
    case Kind::put:
    case Kind::accumulate:
      return put(header, std::move(patch), rest.data() + header.description);
    case Kind::get:
      return get(header, std::move(patch));
    case Kind::read_modify_write: {
      corespec::this_thread().sync();
      const std::int64_t old = update_word(
          patch.base, header.flags & request_flag::swap ? Update::swap : Update::add,
          (header.flags & request_flag::wide) != 0, static_cast<std::int64_t>(header.operand[0]));
      return answer(header.from, header.number, static_cast<std::uint64_t>(old));
    }
    case Kind::lock:
      return lock(header);
    case Kind::unlock:
      return unlock(header);
    case Kind::stop:
      stopping_ = true;
      return answer(header.from, header.number, 0);
  }
}

void Helper::charge_copy(std::int64_t runs, std::int64_t bytes) const {
  corespec::charge(
      parameters_.armci_run * runs +
      corespec::Time::for_bytes(static_cast<std::uint64_t>(bytes), parameters_.memory_copy));
}

void Helper::put(const RequestHeader& header, Patch patch, const std::byte* data) {
  if (header.flags & request_flag::eager) {
    store(header, patch, data);
    answer(header.from, header.number, 0);
    return;
  }
  tasks_.emplace_back();
  Task& task = tasks_.back();
  task.header = header;
  task.patch = std::move(patch);
  fetch(task);
}

/// Straight to where it belongs, if that is one run, else into memory of the task's.
void Helper::fetch(Task& task) {
  const RequestHeader& header = task.header;
  const auto bytes = static_cast<std::uint64_t>(header.runs * task.patch.run_bytes());
  std::byte* into = nullptr;
  if (header.kind == Kind::put && header.runs == 1) {
    for_each_run(task.patch, header.first_run, 1, [&](std::byte* run) { into = run; });
  } else {
    const corespec::RankMemory own;
    task.data.resize(bytes);
    into = task.data.data();
  }
  std::uint64_t from = header.memory;
  for (std::uint64_t left = bytes; left != 0;) {
    const std::uint64_t part = std::min(left, rma::RmaPort::most_bytes);
    port_.insist([&] {
      return port_.get(task.network, header.from, into, from, header.memory_handle, part);
    });
    into += part;
    from += part;
    left -= part;
  }
}

void Helper::store(const RequestHeader& header, const Patch& patch, const std::byte* data) {
  const std::int64_t bytes = header.runs * patch.run_bytes();
  corespec::this_thread().sync();
  if (header.kind == Kind::accumulate) {
    Scale scale;
    std::memcpy(scale.bytes, header.operand.data(), sizeof scale.bytes);
    const auto run_bytes = static_cast<std::size_t>(patch.run_bytes());
    {
      const NodeLock lock(process_.node());
      for_each_run(patch, header.first_run, header.runs, [&](std::byte* run) {
        accumulate(header.element, scale, run, data, run_bytes);
        data += run_bytes;
      });
    }
    corespec::charge(parameters_.armci_accumulate *
                     (bytes / static_cast<std::int64_t>(bytes_of(header.element))));
  } else {
    unpack(patch, header.first_run, header.runs, data);
  }
  charge_copy(header.runs, bytes);
}

void Helper::get(const RequestHeader& header, Patch patch) {
  tasks_.emplace_back();
  Task& task = tasks_.back();
  task.network.quiet = blocked_;  // its end is the answer's
  task.header = header;
  task.patch = std::move(patch);
  const auto bytes = static_cast<std::uint64_t>(header.runs * task.patch.run_bytes());
  const std::byte* data = nullptr;
  corespec::this_thread().sync();
  if (header.runs == 1) {
    for_each_run(task.patch, header.first_run, 1, [&](const std::byte* run) { data = run; });
  } else {
    const corespec::RankMemory own;
    task.data.resize(bytes);
    pack(task.patch, header.first_run, header.runs, task.data.data());
    charge_copy(header.runs, static_cast<std::int64_t>(bytes));
    data = task.data.data();
  }
  port_.insist([&] {
    return port_.put_with_event(task.network, header.from, data, header.memory,
                                header.memory_handle, bytes, header.number);
  });
}

void Helper::advance() {
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    Task& task = *it;
    if (!task.network.complete()) {
      ++it;
      continue;
    }
    const RequestHeader header = task.header;
    if (header.kind != Kind::get) {
      if (!task.data.empty()) store(header, task.patch, task.data.data());
      answer(header.from, header.number, 0);
    }
    it = tasks_.erase(it);
  }
}

void Helper::lock(const RequestHeader& header) {
  Mutex& mutex = mutexes_[{header.target, header.base}];
  if (mutex.holder < 0) {
    mutex.holder = header.from;
    answer(header.from, header.number, 1);
  } else {
    mutex.waiting.emplace_back(header.from, header.number);
  }
}

void Helper::unlock(const RequestHeader& header) {
  Mutex& mutex = mutexes_[{header.target, header.base}];
  const bool holds = mutex.holder == header.from;
  answer(header.from, header.number, holds ? 1 : 0);
  if (!holds) return;
  mutex.holder = -1;
  if (mutex.waiting.empty()) return;
  const auto [client, number] = mutex.waiting.front();
  mutex.waiting.pop_front();
  mutex.holder = client;
  answer(client, number, 1);
}

void Helper::answer(int client, std::uint32_t number, std::uint64_t value) {
  const Peer& peer = (*peers_)[client];
  port_.insist([&] {
    return port_.put_with_event(answers_, client, &value, peer.answers + number * sizeof value,
                                peer.answers_handle, sizeof value, number);
  });
}

}  // namespace armci
