// Adds up what the ranks of a run do.
#include "launch/profile/profile_recorder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "corespec/threads/thread.h"

namespace launch {

using corespec::Occurrence;
using corespec::ThreadRole;
using corespec::Time;

namespace {

constexpr std::uint64_t key_of(std::uint32_t place, std::uint32_t part) {
  return std::uint64_t{place} << 32 | part;
}

bool serves(std::uint8_t role) {
  return role == static_cast<std::uint8_t>(ThreadRole::progress) ||
         role == static_cast<std::uint8_t>(ThreadRole::helper);
}

bool belongs_to_program(std::uint8_t role) {
  return role == static_cast<std::uint8_t>(ThreadRole::application);
}

/// Calls of a library's own threads are no calls of its rank's.
bool calls_for_program(const Occurrence& occurrence) {
  return occurrence.call != nullptr && occurrence.rank >= 0 && belongs_to_program(occurrence.role);
}

/// What sends without a call of the program's.
const char* name_of_role(std::uint8_t role) {
  switch (static_cast<ThreadRole>(role)) {
    case ThreadRole::progress:
      return "(progress thread)";
    case ThreadRole::helper:
      return "(helper thread)";
    case ThreadRole::application:
    case ThreadRole::daemon:
      break;
  }
  return "(outside of calls)";
}

MessageKind kind_of(const Occurrence& occurrence) {
  if (occurrence.kind == Occurrence::Kind::transfer_posted) return MessageKind::one_sided;
  return occurrence.part == 1 ? MessageKind::collective : MessageKind::point_to_point;
}

/// Which rendezvous it is, its receiver tells.
bool receiver_tells(std::string_view protocol) { return !protocol.empty() && protocol[0] == 'R'; }

}  // namespace

void ProfileRecorder::observe(const Occurrence& occurrence) {
  switch (occurrence.kind) {
    case Occurrence::Kind::call_begun:
      return call_begun(occurrence);
    case Occurrence::Kind::call_ended:
      return call_ended(occurrence);
    case Occurrence::Kind::thread_lost: {
      Thread& thread = thread_of(occurrence);
      end(thread, occurrence.begin);
      thread.lost = true;
      return;
    }
    case Occurrence::Kind::thread_switched:
      return switched(occurrence);
    case Occurrence::Kind::thread_left:
      return left(occurrence);
    case Occurrence::Kind::interrupt_raised:
      return stolen(occurrence, Loss::interrupts);
    case Occurrence::Kind::noise:
      return stolen(occurrence, Loss::noise);
    case Occurrence::Kind::lock_waited: {
      const Thread& thread = thread_of(occurrence);
      if (thread.main) rank_of(thread).lock_waits += occurrence.end - occurrence.begin;
      return;
    }
    case Occurrence::Kind::message_sent:
    case Occurrence::Kind::transfer_posted:
      return sent(occurrence);
    case Occurrence::Kind::message_received:
      return received(occurrence);
    case Occurrence::Kind::posted:
    case Occurrence::Kind::injected:
    case Occurrence::Kind::link_passed:
    case Occurrence::Kind::delivered:
    case Occurrence::Kind::event_queued:
      return;
  }
}

RankProfile& ProfileRecorder::rank_at(int rank, int nid) {
  const auto [found, fresh] = place_of_rank_.try_emplace(rank, data_.ranks.size());
  if (fresh) {
    RankProfile& made = data_.ranks.emplace_back();
    made.rank = rank;
    made.nid = nid;
  }
  return data_.ranks[found->second];
}

ProfileRecorder::Thread& ProfileRecorder::thread_of(const Occurrence& occurrence) {
  const auto [found, fresh] = threads_.try_emplace(key_of(occurrence.place, occurrence.thread));
  Thread& thread = found->second;
  if (fresh) {
    thread.rank = occurrence.rank;
    thread.role = occurrence.role;
    thread.since = occurrence.begin;
    if (occurrence.rank >= 0) {
      const bool first = place_of_rank_.count(occurrence.rank) == 0;
      RankProfile& rank = rank_at(occurrence.rank, static_cast<int>(occurrence.place));
      // A rank's first thread is its main thread.
      thread.main = first && belongs_to_program(occurrence.role);
      if (first) rank.begin = occurrence.begin;
    }
  }
  return thread;
}

ProfileRecorder::Cpu& ProfileRecorder::cpu_of(const Occurrence& occurrence) {
  return cpus_[key_of(occurrence.place, occurrence.part)];
}

CallStatistics& ProfileRecorder::statistics(RankProfile& rank, std::size_t call) {
  if (rank.calls.size() <= call) rank.calls.resize(call + 1);
  return rank.calls[call];
}

std::size_t ProfileRecorder::number_of(const char* function, bool main) {
  const auto [found, fresh] = (main ? call_by_name_ : other_call_by_name_).try_emplace(function, 0);
  if (fresh) found->second = data_.call(main ? function : of_other_thread(function));
  return found->second;
}

std::size_t ProfileRecorder::call_of(const Thread& thread, const Occurrence& occurrence) {
  return calls_for_program(occurrence) ? number_of(occurrence.call, thread.main)
                                       : number_of(name_of_role(occurrence.role), true);
}

// ---- calls

void ProfileRecorder::call_begun(const Occurrence& occurrence) {
  if (!calls_for_program(occurrence)) return;
  Thread& thread = thread_of(occurrence);
  if (thread.main) {
    rank_of(thread).computing += std::max(Time(), occurrence.begin - thread.since);
  }
  thread.call = number_of(occurrence.call, thread.main);
  thread.call_computes = group_of(occurrence.call) == CallGroup::computing;
  thread.since = occurrence.begin;
}

void ProfileRecorder::call_ended(const Occurrence& occurrence) {
  if (!calls_for_program(occurrence)) return;
  Thread& thread = thread_of(occurrence);
  const std::size_t call = std::exchange(thread.call, no_call);
  if (call == no_call) return;  // it had begun before the recorder listened
  const Time took = std::max(Time(), occurrence.begin - thread.since);
  RankProfile& rank = rank_of(thread);
  CallStatistics& own = statistics(rank, call);
  ++own.calls;
  own.time += took;
  own.longest = std::max(own.longest, took);
  if (thread.main && thread.call_computes) rank.computing += took;
  thread.last_call = call;
  thread.since = occurrence.begin;
}

// ---- CPUs

void ProfileRecorder::lose(Thread& thread, Time from, Time length, Loss loss) {
  if (length <= Time()) return;
  RankProfile& rank = rank_of(thread);
  const auto which = static_cast<std::size_t>(loss);
  // The thread runs ahead of the machine: its last step is still to come, and comes later now.
  const bool before_last_step = from < thread.since;
  const bool in_call = (thread.call != no_call) != before_last_step;
  const bool computes = !in_call || thread.call_computes;
  if (before_last_step) {
    thread.since += length;
    if (in_call && thread.last_call != no_call) {
      statistics(rank, thread.last_call).time += length;
    }
    if (computes) rank.computing += length;
  }
  (computes ? rank.lost_computing : rank.lost_in_calls)[which] += length;
}

void ProfileRecorder::switched(const Occurrence& occurrence) {
  Thread& thread = thread_of(occurrence);
  Cpu& cpu = cpu_of(occurrence);
  cpu.running = &thread;
  thread.has_cpu = true;
  thread.on_cpu = occurrence.begin;
  if (serves(thread.role) && thread.rank >= 0) ++rank_of(thread).service.turns;
  if (std::exchange(thread.wants_cpu, false)) {
    const auto place = std::find(cpu.pushed_aside.begin(), cpu.pushed_aside.end(), &thread);
    if (place != cpu.pushed_aside.end()) cpu.pushed_aside.erase(place);
    if (thread.main) {
      const Time length = occurrence.end - thread.without_cpu;
      rank_of(thread).without_cpu += length;
      lose(thread, thread.without_cpu, length, thread.taken_by);
    }
  }
  for (Thread* const other : cpu.pushed_aside) {
    if (std::exchange(other->taken, true)) continue;
    other->taken_by = serves(thread.role) ? Loss::progress : Loss::others;
  }
}

void ProfileRecorder::left(const Occurrence& occurrence) {
  Thread& thread = thread_of(occurrence);
  Cpu& cpu = cpu_of(occurrence);
  cpu.running = nullptr;
  thread.has_cpu = false;
  if (thread.rank < 0) return;
  const Time ran = occurrence.begin - thread.on_cpu;
  if (serves(thread.role)) rank_of(thread).service.cpu_time += ran;
  if (thread.main) rank_of(thread).cpu_time += ran;
  if (!occurrence.goes_on) {
    if (thread.main) rank_of(thread).end = occurrence.begin;
    return;
  }
  thread.wants_cpu = true;
  thread.without_cpu = occurrence.begin;
  thread.taken = false;
  thread.taken_by = Loss::others;
  cpu.pushed_aside.push_back(&thread);
}

void ProfileRecorder::stolen(const Occurrence& occurrence, Loss loss) {
  Thread* const thread = cpu_of(occurrence).running;
  if (thread == nullptr) return;
  const Time length = occurrence.end - occurrence.begin;
  if (serves(thread->role) && thread->rank >= 0) rank_of(*thread).service.cpu_time -= length;
  if (!thread->main) return;
  rank_of(*thread).cpu_time -= length;
  rank_of(*thread).without_cpu += length;
  lose(*thread, occurrence.begin, length, loss);
}

// ---- messages

void ProfileRecorder::sent(const Occurrence& occurrence) {
  const Thread& thread = thread_of(occurrence);
  if (thread.rank < 0) return;
  RankProfile& rank = rank_of(thread);
  const std::size_t call = call_of(thread, occurrence);
  CallStatistics& own = statistics(rank, call);
  ++own.messages;
  own.bytes += occurrence.bytes;
  data_.sizes[call].add(occurrence.bytes);
  data_.sizes_by_kind[static_cast<std::size_t>(kind_of(occurrence))].add(occurrence.bytes);
  if (serves(thread.role)) ++rank.service.sent;
  if (receiver_tells(occurrence.protocol)) return;
  ProtocolStatistics& protocol = data_.protocol(occurrence.protocol);
  ++protocol.messages;
  protocol.bytes += occurrence.bytes;
}

void ProfileRecorder::received(const Occurrence& occurrence) {
  const Thread& thread = thread_of(occurrence);
  if (thread.rank >= 0 && serves(thread.role)) ++rank_of(thread).service.received;
  if (!receiver_tells(occurrence.protocol)) return;
  ProtocolStatistics& protocol = data_.protocol(occurrence.protocol);
  ++protocol.messages;
  protocol.bytes += occurrence.bytes;
}

// ---- the end

/// The thread has told of more than there was time for: its last step has not been made to its end,
/// and a call behind it has not begun.
void ProfileRecorder::take_back(Thread& thread, Time end) {
  const Time over = thread.since - end;
  if (over <= Time()) return;
  RankProfile& rank = rank_of(thread);
  thread.since = end;
  if (std::exchange(thread.call, no_call) != no_call) {
    rank.computing -= over;
  } else if (thread.last_call != no_call) {
    statistics(rank, thread.last_call).time -= over;
    if (thread.call_computes) rank.computing -= over;
  }
}

void ProfileRecorder::end(Thread& thread, Time at) {
  if (thread.rank < 0) return;
  RankProfile& rank = rank_of(thread);
  const Time ran = thread.has_cpu ? std::max(Time(), at - thread.on_cpu) : Time();
  if (serves(thread.role)) rank.service.cpu_time += ran;
  if (!thread.main) return;
  take_back(thread, at);
  rank.cpu_time += ran;
  // One that has ended has left its CPU, and is in no call.
  if (thread.has_cpu || thread.call != no_call || rank.end < thread.since) {
    rank.end = std::max(at, thread.since);
  }
  const Time rest = std::max(Time(), rank.end - thread.since);
  if (thread.call == no_call || thread.call_computes) {
    rank.computing += rest;
  } else {
    CallStatistics& own = statistics(rank, thread.call);
    ++own.calls;
    own.time += rest;
    own.longest = std::max(own.longest, rest);
  }
}

ProfileData ProfileRecorder::take(Time end_of_run) {
  for (auto& [key, thread] : threads_) {
    if (!thread.lost) end(thread, end_of_run);
  }
  for (RankProfile& rank : data_.ranks) {
    for (const Time lost : rank.lost_computing) rank.computing -= lost;
  }
  ProfileData taken;
  taken.add(data_);
  *this = ProfileRecorder();
  return taken;
}

}  // namespace launch
