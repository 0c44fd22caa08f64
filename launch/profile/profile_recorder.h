// An observer that adds up what the ranks of a run do.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "corespec/events/observer.h"
#include "launch/profile/profile_data.h"

namespace launch {

/// Adds occurrences up as they come. What a rank's main thread loses is booked to what the thread
/// did at that moment: to its computing, or to the library call that it was in. A thread tells of a
/// call before the machine's time has come that far; what it loses until then moves the call.
class ProfileRecorder final : public corespec::Observer {
 public:
  void observe(const corespec::Occurrence& occurrence) override;

  /// Everything up to `end`, which is the end of the run. The recorder is empty then.
  ProfileData take(corespec::Time end);

 private:
  using Time = corespec::Time;
  static constexpr std::size_t no_call = ~std::size_t{0};

  struct Thread {
    int rank = -1;
    std::uint8_t role = 0;
    bool main = false;
    std::size_t call = no_call;       ///< the one it is in
    std::size_t last_call = no_call;  ///< the one that it has left at `since`
    bool call_computes = false;       ///< the one it is in, or that it has left
    Time since;   ///< when the call began; between calls, when the last one ended
    Time on_cpu;  ///< since when, of a service thread
    bool has_cpu = false;
    bool wants_cpu = false;  ///< it was taken away
    Time without_cpu;        ///< since when
    Loss taken_by = Loss::others;
    bool taken = false;  ///< taken_by is known
    bool lost = false;   ///< with its node: its end has come
  };
  struct Cpu {
    Thread* running = nullptr;
    std::vector<Thread*> pushed_aside;
  };

  Thread& thread_of(const corespec::Occurrence& occurrence);
  RankProfile& rank_of(const Thread& thread) {
    return data_.ranks[static_cast<std::size_t>(place_of_rank_.at(thread.rank))];
  }
  RankProfile& rank_at(int rank, int nid);
  Cpu& cpu_of(const corespec::Occurrence& occurrence);
  CallStatistics& statistics(RankProfile& rank, std::size_t call);
  std::size_t number_of(const char* function, bool main);
  std::size_t call_of(const Thread& thread, const corespec::Occurrence& occurrence);

  void call_begun(const corespec::Occurrence& occurrence);
  void call_ended(const corespec::Occurrence& occurrence);
  void switched(const corespec::Occurrence& occurrence);
  void left(const corespec::Occurrence& occurrence);
  void stolen(const corespec::Occurrence& occurrence, Loss loss);
  void sent(const corespec::Occurrence& occurrence);
  void received(const corespec::Occurrence& occurrence);
  /// Between `from` and `from + length` the main thread's CPU did something else.
  void lose(Thread& thread, Time from, Time length, Loss loss);
  void end(Thread& thread, Time at);
  void take_back(Thread& thread, Time end);

  ProfileData data_;
  std::unordered_map<std::uint64_t, Thread> threads_;   ///< by node and number
  std::unordered_map<std::uint64_t, Cpu> cpus_;         ///< by node and number
  std::unordered_map<int, std::size_t> place_of_rank_;  ///< in data_.ranks
  // Literals of several libraries; calls of main threads and of others.
  std::unordered_map<const char*, std::size_t> call_by_name_, other_call_by_name_;
};

}  // namespace launch
