// The PMIx server of a live job whose processes are all on this host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace launch {

/// What a PMIx server serves.
struct PmixJob {
  std::string name;    ///< PMIx's namespace; a secret
  int ranks = 1;       ///< all of them processes of this host and this user
  std::string folder;  ///< exists; for the server's files
};

/// What a rank has done.
struct PmixReport {
  enum class Kind : std::uint8_t {
    joined,   ///< PMIx_Init
    left,     ///< PMIx_Finalize
    aborted,  ///< PMIx_Abort
    refused,  ///< PMIx_Init of a second process as this rank
  };
  Kind kind = Kind::joined;
  int rank = 0;
  int code = 0;      ///< of an abort
  std::string text;  ///< of an abort
};

/// Starts with the object and ends with the process, in which there may be one: see PmixProcess.
class PmixServer {
 public:
  /// Called by a thread of the server's before the rank is answered.
  using Tell = std::function<void(const PmixReport&)>;

  /// Throws std::runtime_error with one line. Signals that the caller takes are to be blocked
  /// before: the server's threads inherit the mask.
  PmixServer(PmixJob job, Tell tell);
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  /// What a rank's process needs in its environment, as NAME=value.
  std::vector<std::string> variables(int rank) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace launch
