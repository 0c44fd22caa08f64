// What an endpoint's software does for telemetry: it decides which commands its NIC is to track,
// and writes down what it knows of these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "corespec/threads/context_table.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "corespec/time/time.h"
#include "ugni_emu/telemetry/network_records.h"
#include "ugni_emu/telemetry/sampler.h"
#include "ugni_emu/wire/wire.h"

namespace telemetry {

/// A rank's calling context; number 0: none is known.
struct RankContext {
  std::int32_t rank = -1;
  corespec::ContextNumber context = 0;
};

/// A command that its endpoint has marked.
struct MarkedCommand {
  std::uint32_t mark = 0;
  corespec::Time issued;  ///< true time: endpoints' clocks are the run's
  Flow flow;
  ugni::TransactionKind kind = ugni::TransactionKind::put;
  std::uint64_t bytes = 0;
  const char* call = nullptr;  ///< the library call that issued it; null: none, a thread's own
  corespec::ContextNumber context = 0;  ///< of the operation that it is for
  RankContext far;                      ///< of the operation at the other end, if that is known
  std::uint64_t message = 0;            ///< the sender's number for the MPI message; 0: none
};

/// What the commands of a thread are for, where that is not the call that the thread is in: the
/// transfer of a message comes to its end in another call, or in a progress thread.
struct Operation {
  std::uint32_t thread = 0;             ///< Thread::number()
  corespec::ContextNumber context = 0;  ///< of the call that began it; 0: not known
  RankContext far;
  std::uint64_t message = 0;
};

/// Software has taken from a queue, or seen the end of, what a marked command has brought.
struct Taking {
  enum class What : std::uint8_t {
    answer,   ///< the command's local event: it is complete for its endpoint
    arrival,  ///< its remote event: something has come
    message,  ///< an MPI message that came with it is in its receiver's buffer
  };
  What what = What::answer;
  std::uint32_t mark = 0;
  std::uint32_t source = 0;  ///< nid of the command's endpoint
  corespec::Time at;
  const char* call = nullptr;           ///< the library call that it was in; null: none
  corespec::ContextNumber context = 0;  ///< of that call; of message: of the receive
  std::uint64_t message = 0;            ///< of message: the sender's number for it
};

/// One for each rank of a job, while CASTOR_TELEMETRY is set. Its functions are called by the
/// rank's own threads, at their own time.
class EndpointLog final : public corespec::ProcessState {
 public:
  /// Tells whether one of a context's program frames has the choice's `site` in its text.
  using SiteTest = std::function<bool(std::span<void* const> context)>;

  EndpointLog(const corespec::Process& process, const corespec::Parameters& parameters,
              std::shared_ptr<const Choice> choice, SiteTest site);

  /// That of a rank; null: nothing is marked.
  static EndpointLog* of(const corespec::Process& process) {
    return static_cast<EndpointLog*>(process.state(corespec::Process::Slot::telemetry));
  }

  /// The calling thread is about to give this command to its NIC; its mark, 0: the NIC need not
  /// track it. `next_mark` numbers the marks of a node. Charges the thread.
  std::uint32_t issue(const ugni::Transaction& transaction, std::uint32_t& next_mark);
  /// The calling thread has taken what a marked command has brought. Charges the thread.
  void take(Taking::What what, std::uint32_t source, std::uint32_t mark);

  /// While it exists the calling thread works for an operation. One at a time in a rank: its maker
  /// holds the lock of the rank's messages.
  class Acting {
   public:
    /// `log` may be null.
    Acting(EndpointLog* log, const Operation& operation) : log_(log) {
      if (log_ != nullptr) before_ = std::exchange(log_->operation_, operation);
    }
    ~Acting() {
      if (log_ != nullptr) log_->operation_ = before_;
    }
    Acting(const Acting&) = delete;
    Acting& operator=(const Acting&) = delete;

   private:
    EndpointLog* log_;
    std::optional<Operation> before_;
  };

  // ---- for a library of messages

  /// The next event is about to be taken.
  void begin_packet() { packet_ = {}; }
  /// The packet that came with the event is the sender's message `number`.
  void packet_is(std::int32_t peer, std::uint64_t number);
  /// That message is in the buffer of a receive, which was begun in `context`.
  void received(std::int32_t peer, std::uint64_t number, corespec::ContextNumber context);

  const std::vector<MarkedCommand>& commands() const { return commands_; }
  const std::vector<Taking>& takings() const { return takings_; }
  std::uint64_t issued() const { return issued_; }  ///< commands, marked or not

 private:
  bool passes(const ugni::Transaction& transaction, corespec::ContextNumber context);

  const corespec::Process& process_;
  std::shared_ptr<const Choice> choice_;
  corespec::Time decision_, context_;  ///< CPU time
  SiteTest site_;
  Sampler sampler_;
  std::uint64_t issued_ = 0;
  std::optional<Operation> operation_;
  std::vector<bool> site_known_, site_fits_;  ///< by context
  std::vector<MarkedCommand> commands_;
  std::vector<Taking> takings_;
  std::pair<std::uint32_t, std::uint32_t> packet_;  ///< source and mark of the last taking
  std::map<std::pair<std::int32_t, std::uint64_t>, std::pair<std::uint32_t, std::uint32_t>>
      messages_;  ///< source and mark, by sender and number: on their way to a buffer
};

}  // namespace telemetry
