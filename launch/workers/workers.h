// The processes that run a job in virtual time, each a part of it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "launch/workers/host_courier.h"
#include "launch/workers/hosts.h"
#include "launch/workers/part.h"
#include "launch/workers/questions.h"
#include "launch/workers/shared_rounds.h"

namespace launch {

/// CPUs that this process may use.
std::size_t own_cpus();

/// Workers are copies of the process that makes this, which is the first of its host. So nothing is
/// shared that has not been made to be, and each worker's ranks have a process's variables, files
/// and libraries of their own, as on a machine of several nodes. Of several hosts the first one's
/// first worker is the first of the job.
class Workers {
 public:
  /// `counts`: by host. `hosts`: null if there is one. Returns in each worker. Throws
  /// std::runtime_error with one line.
  explicit Workers(const std::vector<std::size_t>& counts, Hosts* hosts);
  /// In the first worker of a host: waits for the others of it.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Part part();
  std::size_t number() const { return number_; }
  std::size_t count() const { return memory_.parts(); }
  /// How often they have met, and how much this one has written to others.
  std::uint32_t rounds() const { return rounds_->round() - 1; }
  std::uint64_t bytes_written() const { return rounds_->bytes_written(); }

  /// In a worker that cannot go on, before it says why: the first one ends the others; another one
  /// has what ranks have written come out first. If none can go on, the first one alone comes back.
  void prepare_to_fail();

  /// What a worker does now and then while it waits for others, apart from looking whether they are
  /// still there.
  void set_waiting(std::function<void()> action) { waiting_ = std::move(action); }
  Questions& questions() { return questions_; }
  /// In the first worker, from within the above: what the worker has written so far in the round
  /// that is under way, to the reader of that subject.
  void read_early(std::size_t worker, Subject subject) { rounds_->read_early(worker, subject); }
  /// In the first worker: wakes another one, for which there is a question. Not where it cannot be
  /// reached from here.
  void wake(std::size_t worker) const;
  bool reaches(std::size_t worker) const { return own_.holds(worker) || courier_; }
  /// What is done while a worker waits for others, of a worker whose rank computes for long.
  void look_around();
  /// In a copy of a worker. The courier between hosts can be used where the thread was not using it
  /// when the copy was made, and if the worker itself does not use it afterwards.
  void be_copy(bool run_goes_on);
  /// In the first worker: what is done before it ends because another one has.
  void set_before_end(std::function<void(std::size_t worker)> action) {
    before_end_ = std::move(action);
  }
  /// In each worker, after the last meeting.
  void leave();

 private:
  void make_processes();
  void make_courier(Hosts& hosts);
  bool is_first_of_host() const { return number_ == own_.begin; }
  void look_around_here();
  void look_for_ends();
  [[noreturn]] void end_with(std::size_t worker, int status);
  [[noreturn]] void end_without(std::size_t host, const char* what);

  std::vector<SharedRoundsMemory::Range> of_hosts_;
  SharedRoundsMemory::Range own_;  ///< this host's
  SharedRoundsMemory memory_;
  Questions questions_;
  std::function<void()> waiting_;
  std::function<void(std::size_t worker)> before_end_;
  std::unique_ptr<SharedRounds> rounds_;
  std::unique_ptr<HostCourier> courier_;  ///< the first worker's of each of several hosts
  std::size_t number_ = 0;
  std::vector<pid_t> others_;  ///< the first worker's, of its host
};

}  // namespace launch
