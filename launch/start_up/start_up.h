// How the processes of a live job meet: a PMIx client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/start_up/start_watch.h"

namespace launch {

/// What the launcher tells a process, and the exchange of data between processes. Throws
/// std::runtime_error with one line if the launcher cannot be reached or refuses.
class StartUp {
 public:
  /// True if a launcher with PMIx started this process, and not the process that is already its
  /// rank.
  static bool launched(const std::vector<std::pair<std::string, std::string>>& environment);

  /// How long start-up waits for anything (see StartWatch), and how it says that it was too long;
  /// `tell` empty: on standard error.
  struct Waits {
    std::int64_t patience_s = 30;
    StartWatch::Tell tell;
  };
  StartUp() : StartUp(Waits()) {}
  /// PMIx_Init; a process that is not launched() is a job of its own.
  explicit StartUp(Waits waits);
  ~StartUp();
  StartUp(const StartUp&) = delete;
  StartUp& operator=(const StartUp&) = delete;

  /// What start-up waits for from now on: a phrase behind "has waited so long for".
  void waits_for(const std::string& what);
  /// Start-up is over: from now on there is time.
  void has_started();

  int rank() const;
  int size() const;
  /// Unique to the job, the same in all its processes, and usable in file names.
  const std::string& job_name() const;
  /// Ranks on this host (by the launcher's account), in ascending order, with this one.
  const std::vector<int>& local_ranks() const;
  /// First rank of the host that each rank is on, by rank.
  const std::vector<int>& host_of() const;

  /// Of memory that all ranks share, if they do: SharedExchange::bytes_for() them, zero at first.
  /// From now on it carries what they exchange. Collective, as the others are.
  void exchange_in(std::byte* memory);

  /// Calls `meanwhile`, if there is one, every now and then.
  void barrier(const std::function<void()>& meanwhile = nullptr);
  /// Every rank gives `in`, of any size of its own; the result holds all of them by rank. Throws as
  /// Job::exchange() does if some are in a barrier.
  std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> in);
  /// put() is seen by all after commit() and a barrier().
  void put(std::string_view key, std::string_view value);
  void commit();
  bool get(std::string_view key, std::string& value);

  /// To be called before this process complains of what may come of another rank's end: the
  /// launcher sees that at once, says which rank it was, and ends this process before the call
  /// returns.
  static void let_launcher_act();

  /// Ends the whole job; the launcher prints `why`, if it is not empty. Does not return.
  [[noreturn]] void abort(int code, std::string_view why);

  /// Leaves the job in order. Called once, by a process that ends normally.
  void finalize();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace launch
