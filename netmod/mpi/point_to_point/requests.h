// The requests of a rank, by handle, the messages that probes took, and the buffer of MPI_Bsend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

/// A message that MPI_Mprobe found.
struct MatchedMessage {
  TakenMessage* message = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// MPI_Buffer_attach's memory: what MPI_Bsend may use, and uses.
struct AttachedBuffer {
  void* memory = nullptr;
  std::int64_t size = 0;
  struct Pending {
    std::shared_ptr<Request> message;
    std::int64_t offset;
    std::int64_t bytes;
    std::uint32_t context;  ///< of the message
  };
  std::vector<Pending> pending;  ///< by offset

  bool all_sent() const {
    return std::all_of(pending.begin(), pending.end(),
                       [](const Pending& each) { return each.message->complete(); });
  }
};

class Requests {
 public:
  HandleTable<RequestRecord> made{HandleKind::request};
  std::vector<MPI_Request> abandoned;  ///< freed by the program, still under way

  HandleTable<MatchedMessage>& messages() { return rare().messages; }
  std::size_t messages_taken() const { return rare_ == nullptr ? 0 : rare_->messages.count(); }
  AttachedBuffer& attached() { return rare().attached; }
  bool buffered_sent() const { return rare_ == nullptr || rare_->attached.all_sent(); }
  /// All of it has been sent.
  void forget_attached() {
    if (rare_ != nullptr) rare_->attached = AttachedBuffer();
  }

 private:
  /// What few ranks need: made when it is first asked for.
  struct Rare {
    HandleTable<MatchedMessage> messages{HandleKind::request};
    AttachedBuffer attached;
  };
  Rare& rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return *rare_;
  }

  std::unique_ptr<Rare> rare_;
};

}  // namespace netmod
