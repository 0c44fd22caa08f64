// What the ranks of a live job are doing, said when a user asks or nothing has come for long.
#pragma once

#include <memory>

#include "corespec/live/live_node.h"
#include "launch/live_rank/live_job.h"

namespace launch {

/// What a rank and its launcher tell each other (launch/live_rank/launcher_socket.h). The first
/// byte says what it is; the rest of an answer is packed() text.
namespace state_message {
constexpr char ask = 'q';     ///< launcher: how are you? Rank: a user asks for all ranks' states
constexpr char stuck = 's';   ///< rank: nothing has come for CASTOR_STUCK seconds
constexpr char answer = 'a';  ///< rank
constexpr char late = 'l';    ///< rank: for what its start-up has waited too long; a line
constexpr char fault = 'f';   ///< rank, in a handler: a signal's number (a byte), and what is known
constexpr char order = 'o';   ///< rank: with what codes it may end from now on (order_code)
}  // namespace state_message
constexpr const char* states_variable = "ALPS_APP_STATES";

/// With what codes a rank may end, as it is now (corespec::Process::ends_in_order).
namespace order_code {
constexpr char none = '-';  ///< it has to end a library first
constexpr char zero = '0';
constexpr char any = '*';
}  // namespace order_code

/// While it exists, SIGQUIT to this process (unless the program has a handler of its own), and
/// CASTOR_STUCK seconds in one call without anything that comes, make the launcher gather all
/// ranks' states; without our launcher the rank prints its own on standard error. And what the
/// program prints goes out at its end (KeptOutput). A thread of its own, asleep until then.
class StateReport {
 public:
  StateReport(LiveJob& job, corespec::LiveNode& node, const corespec::Process& process);
  ~StateReport();
  StateReport(const StateReport&) = delete;
  StateReport& operator=(const StateReport&) = delete;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace launch
