// Communicators, peers and messages as text for a user's question what a rank waits for. Nothing
// here is done on the way of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/threads/situation.h"
#include "netmod/device/interface/device.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod::people {

/// Of a list of what may be many.
constexpr std::size_t most_lines = 4;

/// The communicator with this context; null: it has been freed.
const Communicator* find_by_number(RankState& rank, std::uint32_t number);
/// Of a collective's message.
bool is_collective(const Envelope& envelope);

std::string communicator_text(const Communicator* comm);
/// A peer in point-to-point calls on `comm`.
std::string peer_text(const RankState& rank, const Communicator* comm, int member);
std::string tag_text(int tag);
std::string message_text(RankState& rank, const PendingMessage& message);
std::vector<std::string> texts_of(RankState& rank, const std::vector<PendingMessage>& messages);

/// `lines`, and how many more of `all` there are.
void add_lines(const std::vector<std::string>& lines, std::size_t all, std::string_view more,
               corespec::Situation& to);
/// One or two in the line of the call, more below it.
void add_pending(std::vector<std::string> texts, std::size_t of, corespec::Situation& to);

/// The same at all members. Groups that have no member in common may have one number.
std::string meeting_place(const Communicator& comm);
corespec::Situation::Meeting meeting(const Communicator& comm, const char* call,
                                     std::uint32_t number);
/// The collective call that the rank is in, on `comm`.
void add_collective(const Communicator* comm, corespec::Situation& to);

/// The requests of `awaited`, null: all sends.
std::vector<PendingMessage> pending_messages(RankState& rank, const Condition* awaited);

}  // namespace netmod::people
