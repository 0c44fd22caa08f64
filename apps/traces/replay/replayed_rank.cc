// Handles by number, sizes, and memory.
#include "apps/traces/replay/replayed_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace replay {
namespace {

using dumpi::Call;

// Numbers of the format.
constexpr std::int32_t null_request = 1;
constexpr std::int32_t any = -1;  ///< MPI_ANY_SOURCE, MPI_ANY_TAG

template <typename Handle>
Handle find_handle(const std::map<std::int32_t, Handle>& known, std::int32_t number,
                   const char* kind, const ReplayedRank& rank) {
  const auto found = known.find(number);
  if (found == known.end()) {
    rank.fail(fmt::format("no {} {}: the trace does not have the call that made it", kind, number));
  }
  return found->second;
}

int rank_of(std::int32_t number) { return number < 0 ? MPI_PROC_NULL : number; }

}  // namespace

ReplayedRank::ReplayedRank(const dumpi::RankTrace& trace) : trace_(trace) {
  comms_[2] = MPI_COMM_WORLD;
  comms_[3] = MPI_COMM_SELF;
  groups_[2] = MPI_GROUP_EMPTY;
}

ReplayedRank::~ReplayedRank() {
  for (const auto& [address, bytes] : memory_) MPI_Free_mem(address);
}

bool ReplayedRank::leaves_out(Half half, std::size_t place) const {
  return std::find(left_out_.begin(), left_out_.end(), std::pair{half, place}) != left_out_.end();
}

void ReplayedRank::fail(std::string_view what) const {
  throw std::runtime_error(fmt::format("{}: call {}: {}: {}", trace_.name(), number_,
                                       dumpi::layout_of(label_).name(), what));
}

// Requests.

void ReplayedRank::keep(std::int32_t number, MPI_Request request, bool is_persistent) {
  requests_[number] = {request, is_persistent};
}

MPI_Request* ReplayedRank::find(std::int32_t number) {
  if (number <= null_request) return nullptr;
  const auto found = requests_.find(number);
  return found == requests_.end() ? nullptr : &found->second.request;
}

void ReplayedRank::forget(std::int32_t number) {
  const auto found = requests_.find(number);
  if (found != requests_.end() && !found->second.is_persistent) requests_.erase(found);
}

void ReplayedRank::wait(std::int32_t number) {
  if (MPI_Request* const request = find(number)) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    forget(number);
  }
}

void ReplayedRank::free(std::int32_t number) {
  if (MPI_Request* const request = find(number)) {
    MPI_Request_free(request);
    requests_.erase(number);
  }
}

void ReplayedRank::cancel_all() {
  for (auto& [number, known] : requests_) {
    if (known.request == MPI_REQUEST_NULL) continue;
    if (!known.is_persistent) MPI_Cancel(&known.request);
    MPI_Request_free(&known.request);
  }
  requests_.clear();
}

// Other handles.

MPI_Comm ReplayedRank::comm(std::int32_t number) const {
  return find_handle(comms_, number, "communicator", *this);
}

void ReplayedRank::keep_comm(std::int32_t number, MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) comms_[number] = comm;
}

void ReplayedRank::free_comm(std::int32_t number) {
  MPI_Comm gone = comm(number);
  if (gone == MPI_COMM_WORLD || gone == MPI_COMM_SELF) return;
  comms_.erase(number);
  MPI_Comm_free(&gone);
}

MPI_Group ReplayedRank::group(std::int32_t number) const {
  return find_handle(groups_, number, "group", *this);
}

void ReplayedRank::free_group(std::int32_t number) {
  MPI_Group gone = group(number);
  if (gone == MPI_GROUP_EMPTY) return;
  groups_.erase(number);
  MPI_Group_free(&gone);
}

ReplayedRank::Window& ReplayedRank::window(const Call& call) {
  const std::int32_t number = call.number("win");
  const auto found = windows_.find(number);
  if (found == windows_.end()) {
    fail(fmt::format("no window {}: the trace does not have the call that made it", number));
  }
  return found->second;
}

void ReplayedRank::free_window(const Call& call) {
  MPI_Win_free(&window(call).win);
  windows_.erase(call.number("win"));
}

MPI_Datatype ReplayedRank::reduced_type(std::int32_t number) {
  constexpr std::pair<std::int32_t, MPI_Datatype> types[] = {{7, MPI_SHORT},
                                                             {8, MPI_UNSIGNED_SHORT},
                                                             {9, MPI_INT},
                                                             {10, MPI_UNSIGNED},
                                                             {11, MPI_LONG},
                                                             {12, MPI_UNSIGNED_LONG},
                                                             {13, MPI_FLOAT},
                                                             {14, MPI_DOUBLE},
                                                             {15, MPI_LONG_DOUBLE},
                                                             {16, MPI_LONG_LONG},
                                                             {17, MPI_UNSIGNED_LONG_LONG},
                                                             {18, MPI_LONG_LONG},
                                                             {22, MPI_FLOAT_INT},
                                                             {23, MPI_DOUBLE_INT},
                                                             {24, MPI_LONG_INT},
                                                             {25, MPI_SHORT_INT},
                                                             {26, MPI_2INT}};
  for (const auto& [known, type] : types) {
    if (known == number) return type;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op ReplayedRank::op(std::int32_t number) {
  constexpr MPI_Op ops[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                            MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  return number >= 1 && number <= 12 ? ops[number - 1] : MPI_OP_NULL;
}

// The two sides of a message.

int ReplayedRank::dest(const Call& call) const {
  return leaves_out(Half::send) ? MPI_PROC_NULL : rank_of(call.number("dest"));
}

ReplayedRank::Source ReplayedRank::source(const Call& call, const char* tag,
                                          bool has_status) const {
  Source from{call.number("source"), call.number(tag)};
  if (has_status && !call.statuses("status").empty()) {
    const dumpi::Status& status = call.statuses("status").front();
    if (from.rank == any) from.rank = status.source;
    if (from.tag == any) from.tag = status.tag;
  }
  if (from.tag == any) from.tag = MPI_ANY_TAG;
  from.rank = from.rank == any ? MPI_ANY_SOURCE : rank_of(from.rank);
  if (leaves_out(Half::receive)) from.rank = MPI_PROC_NULL;
  return from;
}

// Sizes.

int ReplayedRank::bytes(std::int32_t count, std::int32_t type) const {
  const std::vector<std::uint32_t>& sizes = trace_.sections().type_sizes;
  // Of MPI's own types, for traces without sizes.
  constexpr std::uint32_t known[] = {0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                     8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
  const auto number = static_cast<std::size_t>(type);
  std::int64_t size = 0;
  if (number < sizes.size()) {
    size = sizes[number];
  } else if (number < std::size(known)) {
    size = known[number];
  } else {
    fail(fmt::format("the trace does not say how long data type {} is", type));
  }
  const std::int64_t all = count * size;
  if (count < 0 || all > std::numeric_limits<int>::max()) {
    fail(fmt::format("{} elements of {} bytes; a message has 0 to 2^31 - 1 bytes", count, size));
  }
  return static_cast<int>(all);
}

int ReplayedRank::bytes(const Call& call, const char* count, const char* type) const {
  return bytes(call.number(count), call.number(type));
}

std::vector<int> ReplayedRank::all_bytes(const Call& call, const char* counts,
                                         const char* type) const {
  std::vector<int> all;
  for (const std::int32_t count : call.numbers(counts)) {
    all.push_back(bytes(count, call.number(type)));
  }
  return all;
}

// Memory.

char* ReplayedRank::memory(int bytes) {
  const auto wanted = static_cast<std::size_t>(bytes);
  if (memory_.empty() || memory_.back().second < wanted) {
    const std::size_t size = std::max<std::size_t>(wanted, memory_.empty() ? 1 << 20 : 2 * wanted);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "none");
    void* made = nullptr;
    MPI_Alloc_mem(static_cast<MPI_Aint>(size), info, &made);
    MPI_Info_free(&info);
    memory_.emplace_back(static_cast<char*>(made), size);
  }
  return memory_.back().first;
}

char* ReplayedRank::values(std::size_t bytes) {
  if (values_.empty() || values_.back().size() < bytes) values_.emplace_back(bytes);
  return values_.back().data();
}

}  // namespace replay
