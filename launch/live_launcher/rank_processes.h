// The processes of a live job on this host: start, signals, ends.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace launch {

/// Child processes of the calling thread, which has to live as long as they do: with it they are
/// killed, by the kernel. What they leave behind becomes a child of this process too. This process
/// may open as many files as the system lets it: it has some for each rank. It is told of its
/// children's ends, even if its own parent had them ignored.
class RankProcesses {
 public:
  RankProcesses();
  ~RankProcesses() { end(); }
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  struct Program {
    std::string path;
    std::vector<std::string> arguments;  ///< with its own name
    double cpu_limit_s = 0;              ///< of each process, rounded up to seconds; 0: none
  };
  /// Where a rank writes: descriptors of this process, or -1 for the launcher's own.
  struct Output {
    int output = -1;
    int errors = -1;
    int states = -1;  ///< the rank inherits it as it is
  };
  /// Starts a rank's process, with the signal mask, dispositions and limit of descriptors of the
  /// time before this object was made. Rank 0 has the launcher's standard input, the others none.
  /// Throws UsageError with one line if the program cannot be executed, std::runtime_error if there
  /// can be no process.
  void start(int rank, const Program& program, const std::vector<std::string>& environment,
             const Output& output);

  /// The launcher was started with SIGPIPE ignored: no rank is to end by it, either.
  bool ignored_broken_pipes() const { return broken_pipe_ == SIG_IGN; }

  /// Adds what is to be waited for: a descriptor of each process, which tells its end whatever
  /// becomes of SIGCHLD.
  void watch(std::vector<pollfd>& ready) const;
  struct Ended {
    int rank = 0;
    int status = 0;  ///< as of waitpid()
  };
  /// Ranks whose process has ended since the last call. Does not wait: the processes stay there
  /// until reap() or end(). (Linux takes seconds over taking one away, on a busy host that looks at
  /// it in /proc, and holds up its parent meanwhile.)
  std::vector<Ended> ended();
  /// Takes away ended ranks that ended() has told of, and what ranks have left behind and has
  /// ended.
  void reap();
  std::size_t living() const { return living_; }
  void send_signal(int number) const;
  /// Kills and awaits what is left, also of what ranks have left behind.
  void end();

 private:
  void await_all();

  sigset_t mask_;
  rlimit descriptors_{};
  void (*broken_pipe_)(int);
  void (*child_ended_)(int);
  pid_t self_;
  std::set<pid_t> others_;  ///< children that were there before this object
  struct Rank {
    int number = 0;
    int descriptor = -1;  ///< of the process; -1: the system gives none, or it has ended
    bool ended = false;
  };
  std::map<pid_t, Rank> ranks_;
  std::size_t living_ = 0;
};

}  // namespace launch
