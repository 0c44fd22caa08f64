// Which processes are let in to the PMIx server.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "launch/live_launcher/pmix_hello.h"

namespace launch {

/// Stands in front of libpmix, which believes what a TCP client says of itself and crashes over
/// what is garbled: this process's own accept() gives it the connections of the job's ranks and
/// closes all others. In are processes of the user whom this process runs as, by the kernel's
/// account, whose first message is well-formed and names a rank that is not there already. One at a
/// time, before PMIx begins to listen.
class PmixDoor {
 public:
  /// Called with the rank if a second process wants to be it; by PMIx's listening thread.
  using Refused = std::function<void(int rank)>;

  /// `space`: the job's namespace.
  PmixDoor(std::string space, int ranks, Refused refused);
  ~PmixDoor();
  PmixDoor(const PmixDoor&) = delete;
  PmixDoor& operator=(const PmixDoor&) = delete;

  /// The rank has left: it may come again.
  void left(int rank);
  /// False: the rank's process came past this door.
  bool has_let_in(int rank) const;

  /// accept() of a listening socket that does not block: the first of those that wait and may come
  /// in, or -1 with errno as accept() has it.
  int admit(int listener, sockaddr* address, socklen_t* size);

 private:
  bool may_come_in(int connection);
  bool take_place(const PmixHello& hello);

  const std::string space_;
  const Refused refused_;
  mutable std::mutex mutex_;
  std::vector<bool> there_;  ///< by rank
};

}  // namespace launch
