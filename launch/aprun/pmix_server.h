// The PMIx server of a live job whose processes are all on this host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace launch {

/// Starts with the object and ends with the process, in which there may be one.
class PmixServer {
 public:
  struct Job {
    std::string name;    ///< PMIx's namespace
    int ranks = 1;       ///< all of them processes of this host and this user
    std::string folder;  ///< exists; for the server's files
  };
  /// Throws std::runtime_error with one line. Signals that the caller takes are to be blocked
  /// before: the server's threads inherit the mask.
  explicit PmixServer(Job job);
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  /// What a rank's process needs in its environment, as NAME=value.
  std::vector<std::string> variables(int rank) const;

  /// What a rank has done.
  struct Report {
    enum class Kind : std::uint8_t {
      joined,   ///< PMIx_Init
      left,     ///< PMIx_Finalize
      aborted,  ///< PMIx_Abort
    };
    Kind kind = Kind::joined;
    int rank = 0;
    int code = 0;      ///< of an abort
    std::string text;  ///< of an abort
  };
  /// Readable (POLLIN) when there are reports.
  int descriptor() const;
  /// All that have come since the last call, in order. What a process did before it ended is here
  /// by the time its end can be seen.
  std::vector<Report> take();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace launch
