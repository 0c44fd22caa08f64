// A live job under test: aprun in the background, and what it leaves behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace launch_test {

/// False for zombies: they are no concern of a launcher that has been killed.
bool lives(pid_t pid);

/// aprun --clock live with `arguments`. The job is killed with the object.
class LiveJob {
 public:
  explicit LiveJob(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& variables = {});
  ~LiveJob();
  LiveJob(const LiveJob&) = delete;
  LiveJob& operator=(const LiveJob&) = delete;

  pid_t pid() const { return pid_; }
  std::string apid() const { return std::to_string(1000000 + pid_); }
  void send_signal(int number) const;

  /// Its exit code, or 128 + the signal that ended it; -1 if it does not end in time.
  int wait(std::chrono::seconds longest = std::chrono::seconds(30));
  std::string output() const;  ///< so far
  std::string errors() const;

  /// Processes of the job that live, aprun apart.
  std::vector<pid_t> processes() const;
  /// The launcher's PMIx server, a process of its own; -1: there is none.
  pid_t server() const;
  /// The process number of the launcher's child with that name; -1: there is none.
  pid_t child(const std::string& name) const;
  /// Waits until there are `count` lines of output; false if that does not happen.
  bool await_lines(std::size_t count) const;
  /// Living processes and files that bear the job's name, one to a line. Empty, or waits for a
  /// moment first: killed processes, and what clears their files away, need one.
  std::string left_behind() const;
  /// The same of its files.
  std::vector<std::string> files() const;

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  std::string folder_;
};

}  // namespace launch_test
