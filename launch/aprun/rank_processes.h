// The processes of a live job on this host: start, signals, ends.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace launch {

/// Child processes of the calling thread, which has to live as long as they do: with it they are
/// killed, by the kernel. What they leave behind becomes a child of this process too.
class RankProcesses {
 public:
  RankProcesses();
  /// Kills and awaits what is left.
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  struct Program {
    std::string path;
    std::vector<std::string> arguments;  ///< with its own name
  };
  /// Starts a rank's process, with the signal mask and dispositions of the time this object was
  /// made. Rank 0 has the launcher's standard input, the others none. Throws UsageError with one
  /// line if the program cannot be executed, std::runtime_error if there can be no process.
  void start(int rank, const Program& program, const std::vector<std::string>& environment);

  struct Ended {
    int rank = 0;
    int status = 0;  ///< as of waitpid()
  };
  /// Ranks whose process has ended since the last call. Does not wait.
  std::vector<Ended> ended();
  std::size_t living() const { return ranks_.size(); }
  void send_signal(int number) const;

 private:
  void await_all();

  sigset_t mask_;
  void (*broken_pipe_)(int);
  pid_t self_;
  std::map<pid_t, int> ranks_;
};

}  // namespace launch
