// A node in virtual time: threads, interrupts, shared memory.
#include "corespec/virtual/virtual_node.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <stdexcept>

#include "corespec/events/observer.h"
#include "corespec/events/prefetch_lines.h"
#include "corespec/host/without_data.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/observed_thread.h"
#include "corespec/threads/process.h"
#include "corespec/virtual/machine.h"
#include "corespec/virtual/noise.h"
#include "corespec/virtual/virtual_mutex.h"

namespace corespec {

VirtualNodeMemory::~VirtualNodeMemory() {
  for (const auto& [name, segment] : segments_) release(segment);
}

void VirtualNodeMemory::release(const Segment& segment) {
  if (segment.mapped()) {
    munmap(segment.base, segment.bytes);
  } else {
    operator delete(segment.base, std::align_val_t(line_bytes));
  }
}

std::byte* VirtualNodeMemory::segment(const std::string& name, std::size_t bytes) {
  const auto found = segments_.find(name);
  if (found != segments_.end()) {
    if (found->second.bytes != bytes) {
      throw std::invalid_argument("node memory '" + name + "' exists with another size");
    }
    return found->second.base;
  }
  Segment segment{nullptr, bytes};
  if (segment.mapped()) {
    void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    madvise(base, bytes, MADV_NOHUGEPAGE);  // of most only the beginning is used
    segment.base = static_cast<std::byte*>(base);
  } else {
    segment.base = static_cast<std::byte*>(operator new(bytes, std::align_val_t(line_bytes)));
    std::memset(segment.base, 0, bytes);
  }
  segments_.emplace(name, segment);
  return segment.base;
}

std::byte* VirtualNodeMemory::find(const std::string& name, std::size_t bytes) {
  const auto found = segments_.find(name);
  const bool is_it = found != segments_.end() && found->second.bytes == bytes;
  return is_it ? found->second.base : nullptr;
}

bool VirtualNodeMemory::holds(const void* at) const {
  const auto* address = static_cast<const std::byte*>(at);
  return std::any_of(segments_.begin(), segments_.end(), [address](const auto& entry) {
    const Segment& segment = entry.second;
    return address >= segment.base && address < segment.base + segment.bytes;
  });
}

Signal& VirtualNodeMemory::signal(const std::string& name) {
  std::unique_ptr<Signal>& signal = signals_[name];
  if (!signal) signal = std::make_unique<Signal>();
  return *signal;
}

void VirtualNodeMemory::copy_from_rank(int rank, std::byte* to, const std::byte* from,
                                       std::size_t bytes) {
  copy_ = {rank, from, bytes};
  std::atomic_signal_fence(std::memory_order_seq_cst);
  without_data::copy(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy_.rank = -1;
}

bool VirtualNodeMemory::offers_memory_without_data() {
  if (!without_data::reserve()) {
    throw std::runtime_error(
        fmt::format("the host has no {} TiB of addresses for memory without data (ulimit -v?)",
                    without_data::range_bytes >> 40));
  }
  return true;
}

int VirtualNodeMemory::rank_copied_from(const void* address) const {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(copy_.from);
  return offset < copy_.bytes ? copy_.rank : -1;
}

void VirtualNodeMemory::remove(const std::string& name) {
  const auto found = segments_.find(name);
  if (found == segments_.end()) return;
  release(found->second);
  segments_.erase(found);
}

namespace {

// What EventSource::id has room for: half for what a machine is built of, half for threads.
constexpr std::uint32_t first_thread_source = 1U << 28;
constexpr std::uint32_t threads_per_node = 1U << 13;
constexpr std::size_t most_nodes = first_thread_source / threads_per_node;

}  // namespace

ThreadSources::ThreadSources(std::size_t node)
    : next_(first_thread_source + static_cast<std::uint32_t>(node) * threads_per_node),
      end_(next_ + threads_per_node) {
  if (node >= most_nodes) {
    throw std::runtime_error(fmt::format("a machine has at most {} nodes", most_nodes));
  }
}

EventSource ThreadSources::make() {
  if (next_ == end_) {
    throw std::runtime_error(
        fmt::format("a node has started {} threads, and may start no more", threads_per_node));
  }
  return {next_++, 0};
}

VirtualNode::VirtualNode(VirtualMachine& machine, int nid, VirtualDomain& domain,
                         EventSource source, ThreadSources threads,
                         std::shared_ptr<const Placement> placement)
    : machine_(machine),
      parameters_(machine.parameters()),
      domain_(domain),
      nid_(nid),
      source_(source),
      thread_sources_(threads),
      placement_(std::move(placement)),
      many_interrupts_(parameters_.inband_interrupts == "many"),
      draws_slices_(parameters_.slice_phase == "drawn"),
      shares_units_(parameters_.shared_unit_speed != VirtualThread::full_speed),
      wake_jitter_(static_cast<std::uint64_t>(parameters_.seed),
                   0x6a69747465720000ull + static_cast<std::uint64_t>(nid)),
      slice_phase_(static_cast<std::uint64_t>(parameters_.seed),
                   0x736c696365730000ull + static_cast<std::uint64_t>(nid)) {
  const int count = placement_->topology->size();
  cpus_.reserve(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) cpus_.emplace_back(*this, number);
  own_threads_.resize(placement_->rank_cpus.size());
  if (shares_units_) unit_mates_ = placement_->topology->unit_mates();
  if (parameters_.noise) {
    noise_ = std::make_unique<Noise>(*this, machine.news(), machine.make_source(),
                                     static_cast<std::uint64_t>(parameters_.seed));
    noise_->start();
  }
}

VirtualNode::~VirtualNode() {
  // Devices refer to the node's threads and memory: they go first.
  set_device(nullptr);
}

const std::vector<int>& VirtualNode::cpus_for(ThreadRole role, const Process* process) const {
  const auto local = static_cast<std::size_t>(process == nullptr ? 0 : process->local_rank());
  switch (role) {
    case ThreadRole::application:
      if (process != nullptr) return placement_->rank_cpus[local];
      return placement_->application_cpus;
    case ThreadRole::progress:
    case ThreadRole::helper:
      if (process != nullptr) return placement_->progress_cpus[local];
      break;
    case ThreadRole::daemon:
      break;
  }
  return placement_->noise_cpus;
}

std::size_t VirtualNode::take_place(const Process& process) {
  const auto local = static_cast<std::size_t>(process.local_rank());
  const std::size_t places = placement_->rank_cpus[local].size();
  if (places == 1) return 0;
  std::vector<int>& threads = own_threads_[local].at_place;
  threads.resize(places);
  const auto emptiest = std::min_element(threads.begin(), threads.end());
  ++*emptiest;
  return static_cast<std::size_t>(emptiest - threads.begin());
}

void VirtualNode::leave_place(const Process& process, std::size_t place) {
  std::vector<int>& threads = own_threads_[static_cast<std::size_t>(process.local_rank())].at_place;
  if (!threads.empty()) --threads[place];
}

const std::vector<int>& VirtualNode::cpus_at(const Process& process, std::size_t place) {
  const auto local = static_cast<std::size_t>(process.local_rank());
  const std::vector<int>& all = placement_->rank_cpus[local];
  if (place == 0) return all;
  std::vector<std::vector<int>>& one_by_one = own_threads_[local].cpus;
  if (one_by_one.empty()) {
    for (const int cpu : all) one_by_one.push_back({cpu});
  }
  return one_by_one[place];
}

Thread& VirtualNode::start_thread(ThreadRole role, Process* process, std::function<void()> body) {
  if (this_thread_or_null() != nullptr) this_thread().sync();
  // As under a launcher that binds: a rank's second thread stays on its second CPU, and so on.
  const bool own = role == ThreadRole::application && process != nullptr;
  const std::size_t place = own ? take_place(*process) : 0;
  threads_.push_back(std::make_unique<VirtualThread>(
      *this, process, role, thread_sources_.make(),
      own ? cpus_at(*process, place) : cpus_for(role, process), std::move(body)));
  VirtualThread& thread = *threads_.back();
  thread.place_ = place;
  if (role == ThreadRole::application) ++application_threads_;
  thread.schedule(domain_.now(), VirtualThread::woken, thread.wait_.generation);
  return thread;
}

VirtualThread& VirtualNode::adopt_thread(Process& process, VirtualThread::Adopt adopt) {
  threads_.push_back(std::make_unique<VirtualThread>(
      *this, &process, thread_sources_.make(), cpus_for(ThreadRole::application, &process), adopt));
  VirtualThread& thread = *threads_.back();
  thread.place_ = take_place(process);
  ++application_threads_;
  cpu(thread.cpu_).adopt(thread);
  executing_ = &thread;
  exchange_current_thread(&thread);
  return thread;
}

void VirtualNode::leave_adopted_thread() {
  executing_ = nullptr;
  exchange_current_thread(nullptr);
}

void VirtualNode::thread_finished(VirtualThread& thread) {
  if (thread.role() == ThreadRole::application) {
    if (--application_threads_ == 0 && noise_) noise_->stop();
    if (const Process* process = thread.process()) leave_place(*process, thread.place_);
  }
  cpu(thread.cpu_).leave(thread);
  if (application_threads_ == 0) {
    for (Cpu& each : cpus_) each.forget_slices();
  }
  thread.fiber_.release();
  if (thread.joiner_ != nullptr) thread.joiner_->wake(wake_cost(), true);
}

void VirtualNode::join(Thread& thread) {
  auto& target = static_cast<VirtualThread&>(thread);
  auto& caller = static_cast<VirtualThread&>(this_thread());
  caller.sync();
  if (!target.finished()) {
    target.joiner_ = &caller;
    caller.block(VirtualThread::Wait::join);
  }
  target.joined_ = true;
  if (target.events_ == 0) forget(target);
}

void VirtualNode::forget(VirtualThread& thread) {
  std::erase_if(threads_, [&](const auto& owned) { return owned.get() == &thread; });
}

std::unique_ptr<Mutex> VirtualNode::make_mutex() { return std::make_unique<VirtualMutex>(*this); }

Cpu& VirtualNode::choose_cpu(const VirtualThread& thread) {
  const std::vector<int>& allowed = thread.allowed();
  const bool stays = std::find(allowed.begin(), allowed.end(), thread.cpu_) != allowed.end();
  if (stays && (allowed.size() == 1 || cpu(thread.cpu_).idle())) return cpu(thread.cpu_);
  for (int number : allowed) {
    if (cpu(number).idle()) return cpu(number);
  }
  return cpu(stays ? thread.cpu_ : allowed.front());
}

void VirtualNode::make_ready(VirtualThread& thread) { choose_cpu(thread).make_ready(thread); }

// ---- the in-band interrupt

void VirtualNode::observe_interrupt(int cpu, Time handler) const {
  observe(domain_, [&] {
    Occurrence made{Occurrence::Kind::interrupt_raised};
    made.place = static_cast<std::uint32_t>(nid_);
    made.part = static_cast<std::uint32_t>(cpu);
    made.begin = domain_.now();
    made.end = made.begin + handler;
    return made;
  });
}

void VirtualNode::halt() {
  CASTOR_CHECK(executing_ == nullptr, "a node fails between what its threads do");
  halted_ = true;
  application_threads_ = 0;
  for (const Cpu& each : cpus_) {
    if (each.current() != nullptr) each.observe_leaving(*each.current(), false);
  }
  for (const auto& each : threads_) {
    if (each->finished()) continue;
    observe(domain_, [&] {
      return observed(Occurrence::Kind::thread_lost, *each, domain_.now(), each->library_call());
    });
  }
  for (Cpu& each : cpus_) each.forget_slices();
  if (noise_) noise_->stop();
}

void VirtualNode::raise_interrupt() {
  if (many_interrupts_) {
    raise_own_interrupts();
    return;
  }
  if (interrupt_pending_) {
    ++statistics_.coalesced;
    return;
  }
  interrupt_pending_ = true;
  ++statistics_.interrupts;
  // Waking on another CPU takes an interrupt there; the first is part of the handler's own cost.
  const auto others = std::count_if(waiters_.begin(), waiters_.end(),
                                    [&](const auto* thread) {
                                      return thread->cpu() != placement_->interrupt_cpu;
                                    }) -
                      1;
  const Time handler = parameters_.interrupt_handler +
                       parameters_.interrupt_sleeper * std::max<std::int64_t>(others, 0);
  cpu(placement_->interrupt_cpu).steal(handler);
  observe_interrupt(placement_->interrupt_cpu, handler);
  domain_.schedule(domain_.now() + handler, source_, *this, 0);
}

void VirtualNode::raise_own_interrupts() {
  // The event lies in its queue: a sleeper that is ready and not on its way is the one it is for.
  bool on_its_way = false;
  for (VirtualThread* thread : waiters_) {
    if (!thread->wait_.interrupt->ready()) continue;
    if (thread->state_ != ThreadState::blocked || thread->wait_.wake_pending) {
      on_its_way = true;
      continue;
    }
    ++statistics_.interrupts;
    thread->mode_ = VirtualThread::Mode::recheck;
    thread->wait_.long_sleep = true;
    thread->off_.dispatch_cost = Time();
    thread->wait_.wake_pending = true;
    Cpu& taken = choose_cpu(*thread);
    taken.steal(parameters_.interrupt_handler);
    observe_interrupt(taken.number(), parameters_.interrupt_handler);
    thread->schedule(domain_.now() + parameters_.interrupt_handler, VirtualThread::woken,
                     thread->wait_.generation);
    return;
  }
  if (on_its_way) {
    ++statistics_.coalesced;
    return;
  }
  ++statistics_.interrupts;  // no thread sleeps on the queue
  cpu(placement_->interrupt_cpu).steal(parameters_.interrupt_handler);
  observe_interrupt(placement_->interrupt_cpu, parameters_.interrupt_handler);
}

void VirtualNode::fire(std::uint64_t) {
  interrupt_pending_ = false;
  // Waking changes the list (threads with work leave it): walk a copy.
  const std::vector<VirtualThread*> asleep = waiters_;
  for (VirtualThread* thread : asleep) {
    if (thread->state_ == ThreadState::blocked && !thread->wait_.wake_pending) {
      wake_from_interrupt(*thread);
    }
  }
}

void VirtualNode::wake_from_interrupt(VirtualThread& thread) {
  thread.mode_ = VirtualThread::Mode::recheck;
  thread.wait_.long_sleep = true;
  thread.off_.dispatch_cost = Time();
  if (choose_cpu(thread).number() == placement_->interrupt_cpu) {
    make_ready(thread);
  } else {
    thread.wait_.wake_pending = true;
    thread.schedule(domain_.now() + parameters_.cross_cpu_wake, VirtualThread::woken,
                    thread.wait_.generation);
  }
}

void VirtualNode::wake_waiter(const InterruptWaiter& waiter) {
  const std::vector<VirtualThread*> asleep = waiters_;
  for (VirtualThread* thread : asleep) {
    if (thread->wait_.interrupt != &waiter) continue;
    if (thread->state_ != ThreadState::blocked) continue;  // on its way already
    thread->wait_.answered = true;
    unregister_waiter(*thread);
    thread->wake(wake_cost(), true);
  }
}

Time VirtualNode::wake_cost() {
  if (parameters_.wake_jitter == Time()) return parameters_.thread_wake;
  const auto bound = static_cast<std::uint64_t>(parameters_.wake_jitter.ps());
  return parameters_.thread_wake +
         Time::picoseconds(static_cast<std::int64_t>(wake_jitter_.below(bound)));
}

Time VirtualNode::rest_of_slice() {
  if (!draws_slices_) return parameters_.time_slice;
  const auto whole = static_cast<std::uint64_t>(parameters_.time_slice.ps());
  return Time::picoseconds(1 + static_cast<std::int64_t>(slice_phase_.below(whole)));
}

void VirtualNode::unregister_waiter(VirtualThread& thread) { std::erase(waiters_, &thread); }

}  // namespace corespec
