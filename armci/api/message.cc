// ARMCI functions: messages and collectives beside the program's own MPI.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "armci/api/armci_call.h"
#include "corespec/job/job.h"
#include "corespec/threads/rank_memory.h"

using armci::Call;
using armci::Group;
using armci::State;

namespace {

constexpr int message_tag_base = 16;  ///< tags below are the library's own

enum class Scope : std::uint8_t { unknown, all, node, masters };

/// Of either dialect's constants.
Scope scope_of(int scope) {
  switch (scope) {
    case 0:
    case 333:
      return Scope::all;
    case 1:
    case 337:
      return Scope::node;
    case 2:
    case 339:
      return Scope::masters;
    default:
      return Scope::unknown;
  }
}

enum class Type : std::uint8_t { unknown, integer, long_integer, long_long, single, real };

Type type_of(int type) {
  switch (type) {
    case 0:
    case -99:
      return Type::integer;
    case 1:
    case -101:
      return Type::long_integer;
    case 2:
    case -102:
      return Type::long_long;
    case 3:
    case -306:
      return Type::single;
    case 4:
    case -307:
      return Type::real;
    default:
      return Type::unknown;
  }
}

template <typename Value>
Value absolute(Value value) {
  return value < 0 ? -value : value;
}

struct Operation {
  std::string_view name;
  MPI_Op op;
  bool absolutes = false;  ///< of the operands' absolute values
};

constexpr Operation operations[] = {
    {"+", MPI_SUM},     {"*", MPI_PROD},           {"max", MPI_MAX},
    {"min", MPI_MIN},   {"absmax", MPI_MAX, true}, {"absmin", MPI_MIN, true},
    {"or", MPI_BOR},    {"land", MPI_LAND},        {"lor", MPI_LOR},
    {"band", MPI_BAND}, {"bor", MPI_BOR},          {"&&", MPI_LAND},
    {"||", MPI_LOR},
};

/// As many as a line needs, and those that can be printed.
std::string first_characters(const char* text) {
  constexpr std::size_t most = 8;
  std::string shown;
  while (text != nullptr && shown.size() < most && *text >= ' ' && *text <= '~') shown += *text++;
  return shown;
}

/// By the operator's first characters, as every ARMCI has it: Fortran passes texts without an end.
const Operation& operation(const char* function, const char* op) {
  const auto begins = [op](const Operation& each) {
    return op != nullptr && std::strncmp(op, each.name.data(), each.name.size()) == 0;
  };
  const auto* found = std::find_if(std::begin(operations), std::end(operations), begins);
  if (found == std::end(operations)) {
    const std::string what = "unknown operation '" + first_characters(op) +
                             "': allowed is + * max min absmax absmin or land lor band bor && ||";
    armci::fail(function, what);
  }
  return *found;
}

template <typename Value>
void make_absolute(void* x, int n) {
  auto* values = static_cast<Value*>(x);
  std::transform(values, values + n, values, absolute<Value>);
}

MPI_Datatype datatype(const char* function, int type) {
  switch (type_of(type)) {
    case Type::integer:
      return MPI_INT;
    case Type::long_integer:
      return MPI_LONG;
    case Type::long_long:
      return MPI_LONG_LONG;
    case Type::single:
      return MPI_FLOAT;
    case Type::real:
      return MPI_DOUBLE;
    case Type::unknown:
      break;
  }
  armci::fail(function, "unknown type of elements");
}

void all_absolute(int type, void* x, int n) {
  switch (type_of(type)) {
    case Type::integer:
      return make_absolute<int>(x, n);
    case Type::long_integer:
      return make_absolute<long>(x, n);
    case Type::long_long:
      return make_absolute<long long>(x, n);
    case Type::single:
      return make_absolute<float>(x, n);
    case Type::real:
      return make_absolute<double>(x, n);
    case Type::unknown:
      break;
  }
}

/// Ranks of a group that are in a scope, by rank in the group, for a caller that is one of them (or
/// not).
std::vector<int> members(State& state, const Group& group, Scope scope) {
  std::vector<int> in;
  const int own_leader = state.peers().leader_of(state.rank());
  std::vector<int> leaders;
  for (std::size_t i = 0; i < group.world_ranks.size(); ++i) {
    const int leader = state.peers().leader_of(group.world_ranks[i]);
    const bool first = std::find(leaders.begin(), leaders.end(), leader) == leaders.end();
    if (first) leaders.push_back(leader);
    if (scope == Scope::all || (scope == Scope::node && leader == own_leader) ||
        (scope == Scope::masters && first)) {
      in.push_back(static_cast<int>(i));
    }
  }
  return in;
}

/// The ranks of a scope among themselves: all of a group by its communicator, others by messages
/// along a binomial tree, since a communicator would need all of the group's ranks to make it.
class Team {
 public:
  Team(State& state, const Group& group, int scope, const char* function)
      : comm_(group.comm), whole_(scope_of(scope) == Scope::all) {
    if (scope_of(scope) == Scope::unknown) armci::fail(function, "unknown scope");
    if (whole_) return;
    members_ = members(state, group, scope_of(scope));
    const auto own = std::find(members_.begin(), members_.end(), group.rank);
    in_ = own != members_.end();
    own_ = static_cast<int>(own - members_.begin());
  }
  /// The caller is of the scope: others have nothing to do.
  bool in() const { return whole_ || in_; }

  void broadcast(void* buffer, int bytes, int root) const {
    if (whole_) {
      PMPI_Bcast(buffer, bytes, MPI_BYTE, root, comm_);
      return;
    }
    const auto place = std::find(members_.begin(), members_.end(), root);
    const int from = place == members_.end() ? 0 : static_cast<int>(place - members_.begin());
    const int own = relative(from);
    int bit = 1;
    for (; bit < size(); bit <<= 1) {
      if ((own & bit) == 0) continue;
      receive(buffer, bytes, own - bit, from);
      break;
    }
    for (bit >>= 1; bit > 0; bit >>= 1) {
      if (own + bit < size()) send(buffer, bytes, own + bit, from);
    }
  }
  /// To the first of the scope.
  void reduce(void* x, int n, MPI_Datatype type, MPI_Op op) const {
    int each = 0;
    PMPI_Type_size(type, &each);
    std::vector<char> other =
        corespec::rank_vector<char>(static_cast<std::size_t>(n) * static_cast<std::size_t>(each));
    if (whole_) {
      int rank = 0;
      PMPI_Comm_rank(comm_, &rank);
      PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, n, type, op, 0, comm_);
      return;
    }
    for (int bit = 1; bit < size(); bit <<= 1) {
      if ((own_ & bit) != 0) {
        send(x, n * each, own_ - bit, 0);
        return;
      }
      if (own_ + bit >= size()) continue;
      receive(other.data(), n * each, own_ + bit, 0);
      PMPI_Reduce_local(other.data(), x, n, type, op);
    }
  }
  void reduce_to_all(void* x, int n, MPI_Datatype type, MPI_Op op) const {
    if (whole_) {
      PMPI_Allreduce(MPI_IN_PLACE, x, n, type, op, comm_);
      return;
    }
    int each = 0;
    PMPI_Type_size(type, &each);
    reduce(x, n, type, op);
    broadcast(x, n * each, members_.front());
  }

 private:
  static constexpr int tag = 2;
  int size() const { return static_cast<int>(members_.size()); }
  int relative(int root) const { return (own_ - root + size()) % size(); }
  int member(int place, int root) const {
    return members_[static_cast<std::size_t>((place + root) % size())];
  }
  void send(const void* buffer, int bytes, int place, int root) const {
    PMPI_Send(buffer, bytes, MPI_BYTE, member(place, root), tag, comm_);
  }
  void receive(void* buffer, int bytes, int place, int root) const {
    PMPI_Recv(buffer, bytes, MPI_BYTE, member(place, root), tag, comm_, MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_;
  bool whole_;
  bool in_ = false;
  int own_ = 0;
  std::vector<int> members_;
};

const Group& group_of(const Call& call, const char* function, const void* handle) {
  const Group* group = armci::find_group(call.state(), handle);
  if (group == nullptr) armci::fail(function, "no such group");
  return *group;
}

const Group& world_of(const Call& call) { return call->groups.at(call->world()); }

void combine(const Call& call, const char* function, const Group& group, int scope, void* x, int n,
             const char* op, int type) {
  const Operation& chosen = operation(function, op);
  const MPI_Datatype kind = datatype(function, type);
  if (n <= 0) return;
  const Team team(call.state(), group, scope, function);
  if (!team.in()) return;
  if (chosen.absolutes) all_absolute(type, x, n);
  team.reduce_to_all(x, n, kind, chosen.op);
}

constexpr int all_ranks = SCOPE_ALL;
constexpr int one_node = SCOPE_NODE;

}  // namespace

extern "C" {

void armci_msg_init(int* argc, char*** argv) {
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized == 0) PMPI_Init(argc, argv);
}

void armci_msg_finalize(void) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (finalized == 0) PMPI_Finalize();
}

// These work before ARMCI_Init, too.
int armci_msg_me(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int armci_msg_nproc(void) {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
void armci_msg_barrier(void) {
  const State* state = armci::this_state();
  PMPI_Barrier(state == nullptr ? MPI_COMM_WORLD : state->world());
}

void armci_msg_group_barrier(ARMCI_Group* group) {
  const Call call("armci_msg_group_barrier");
  PMPI_Barrier(group_of(call, "armci_msg_group_barrier", group).comm);
}

void armci_msg_snd(int tag, void* buf, int len, int to) {
  const Call call("armci_msg_snd");
  PMPI_Send(buf, len, MPI_BYTE, to, message_tag_base + tag, call->world());
}

void armci_msg_rcv(int tag, void* buf, int buflen, int* msglen, int from) {
  const Call call("armci_msg_rcv");
  MPI_Status status;
  PMPI_Recv(buf, buflen, MPI_BYTE, from, message_tag_base + tag, call->world(), &status);
  if (msglen != nullptr) PMPI_Get_count(&status, MPI_BYTE, msglen);
}

int armci_msg_rcvany(int tag, void* buf, int buflen, int* msglen) {
  const Call call("armci_msg_rcvany");
  MPI_Status status;
  PMPI_Recv(buf, buflen, MPI_BYTE, MPI_ANY_SOURCE, message_tag_base + tag, call->world(), &status);
  if (msglen != nullptr) PMPI_Get_count(&status, MPI_BYTE, msglen);
  return status.MPI_SOURCE;
}

void armci_msg_bcast_scope(int scope, void* buf, int len, int root) {
  const Call call("armci_msg_bcast_scope");
  const Team team(call.state(), world_of(call), scope, "armci_msg_bcast_scope");
  if (team.in()) team.broadcast(buf, len, root);
}
void armci_msg_bcast(void* buf, int len, int root) {
  armci_msg_bcast_scope(all_ranks, buf, len, root);
}
void armci_msg_brdcst(void* buf, int len, int root) {
  armci_msg_bcast_scope(all_ranks, buf, len, root);
}
void armci_msg_clus_brdcst(void* buf, int len) {
  const Call call("armci_msg_clus_brdcst");
  armci_msg_bcast_scope(one_node, buf, len, call->peers().leader_of(call->rank()));
}

// The root is the world's rank.
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* handle) {
  const Call call("armci_msg_group_bcast_scope");
  const Group& group = group_of(call, "armci_msg_group_bcast_scope", handle);
  const auto place = std::find(group.world_ranks.begin(), group.world_ranks.end(), root);
  if (place == group.world_ranks.end()) {
    armci::fail("armci_msg_group_bcast_scope", "the root is not in the group");
  }
  const Team team(call.state(), group, scope, "armci_msg_group_bcast_scope");
  if (team.in()) team.broadcast(buf, len, static_cast<int>(place - group.world_ranks.begin()));
}
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int, ARMCI_Group* group) {
  armci_msg_group_bcast_scope(one_node, buf, len, grp_master, group);
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
  const Call call("armci_msg_bintree");
  const Scope which = scope_of(scope);
  if (which == Scope::unknown) armci::fail("armci_msg_bintree", "unknown scope");
  const std::vector<int> all = members(call.state(), world_of(call), which);
  const auto own = std::find(all.begin(), all.end(), call->rank());
  const auto rank_at = [&all](std::ptrdiff_t place) {
    return place >= 0 && place < static_cast<std::ptrdiff_t>(all.size())
               ? all[static_cast<std::size_t>(place)]
               : -1;
  };
  *root = all.front();
  *up = *left = *right = -1;
  if (own == all.end()) return;
  const std::ptrdiff_t place = own - all.begin();
  if (place > 0) *up = rank_at((place - 1) / 2);
  *left = rank_at(2 * place + 1);
  *right = rank_at(2 * place + 2);
}

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  const Call call("armci_msg_gop_scope");
  combine(call, "armci_msg_gop_scope", world_of(call), scope, x, n, op, type);
}

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  const Call call("armci_msg_group_gop_scope");
  combine(call, "armci_msg_group_gop_scope", group_of(call, "armci_msg_group_gop_scope", group),
          scope, x, n, op, type);
}

#define ARMCI_GOP(prefix, type, constant)                                            \
  void armci_msg_##prefix##gop(type* x, int n, char* op) {                           \
    armci_msg_gop_scope(all_ranks, x, n, op, constant);                              \
  }                                                                                  \
  void armci_msg_clus_##prefix##gop(type* x, int n, char* op) {                      \
    armci_msg_gop_scope(one_node, x, n, op, constant);                               \
  }                                                                                  \
  void armci_msg_group_##prefix##gop(type* x, int n, char* op, ARMCI_Group* group) { \
    armci_msg_group_gop_scope(all_ranks, x, n, op, constant, group);                 \
  }
ARMCI_GOP(i, int, ARMCI_INT)
ARMCI_GOP(l, long, ARMCI_LONG)
ARMCI_GOP(ll, long long, ARMCI_LONG_LONG)
ARMCI_GOP(f, float, ARMCI_FLOAT)
ARMCI_GOP(d, double, ARMCI_DOUBLE)
#undef ARMCI_GOP

void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  const Call call("armci_msg_reduce_scope");
  const Operation& chosen = operation("armci_msg_reduce_scope", op);
  const MPI_Datatype kind = datatype("armci_msg_reduce_scope", type);
  const Team team(call.state(), world_of(call), scope, "armci_msg_reduce_scope");
  if (n <= 0 || !team.in()) return;
  int each = 0;
  PMPI_Type_size(kind, &each);
  std::vector<char> own =
      corespec::rank_vector<char>(static_cast<std::size_t>(n) * static_cast<std::size_t>(each));
  std::memcpy(own.data(), x, own.size());
  if (chosen.absolutes) all_absolute(type, own.data(), n);
  team.reduce(own.data(), n, kind, chosen.op);
  if (call->rank() == members(call.state(), world_of(call), scope_of(scope)).front()) {
    std::memcpy(x, own.data(), own.size());
  }
}
void armci_msg_reduce(void* x, int n, char* op, int type) {
  armci_msg_reduce_scope(all_ranks, x, n, op, type);
}

// The value that wins and, of several ranks that have it, the lowest: whose record all get.
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  const Call call("armci_msg_sel_scope");
  const Operation& chosen = operation("armci_msg_sel_scope", op);
  if (chosen.op != MPI_MAX && chosen.op != MPI_MIN) {
    armci::fail("armci_msg_sel_scope", "operation: allowed is max and min");
  }
  const MPI_Datatype kind = datatype("armci_msg_sel_scope", type);
  const Team team(call.state(), world_of(call), scope, "armci_msg_sel_scope");
  if (n <= 0 || !team.in()) return;
  int lowest = contribute != 0 ? call->rank() : call->size();
  team.reduce_to_all(&lowest, 1, MPI_INT, MPI_MIN);
  if (lowest == call->size()) return;  // no rank contributes
  int each = 0;
  PMPI_Type_size(kind, &each);
  // Ranks that do not contribute stand in for the lowest that does, whom they cannot beat.
  std::vector<char> own = corespec::rank_vector<char>(each);
  std::memcpy(own.data(), x, own.size());
  std::vector<char> stand_in = own;
  team.broadcast(stand_in.data(), each, lowest);
  if (contribute == 0) own = stand_in;
  if (chosen.absolutes) all_absolute(type, own.data(), 1);
  std::vector<char> winner = own;
  team.reduce_to_all(winner.data(), 1, kind, chosen.op);
  const bool has_it = contribute != 0 && winner == own;
  int source = has_it ? call->rank() : call->size();
  team.reduce_to_all(&source, 1, MPI_INT, MPI_MIN);
  team.broadcast(x, n, source);
}
void armci_msg_sel(void* x, int n, char* op, int type, int contribute) {
  armci_msg_sel_scope(all_ranks, x, n, op, type, contribute);
}

void armci_exchange_address(void* ptr_ar[], int n) {
  const Call call("armci_exchange_address");
  if (n != call->size())
    armci::fail("armci_exchange_address", "the table has not a place per rank");
  void* own = ptr_ar[call->rank()];
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, ptr_ar, sizeof own, MPI_BYTE, call->world());
}
void armci_exchange_address_grp(void* ptr_ar[], int n, ARMCI_Group* handle) {
  const Call call("armci_exchange_address_grp");
  const Group& group = group_of(call, "armci_exchange_address_grp", handle);
  if (n != static_cast<int>(group.world_ranks.size())) {
    armci::fail("armci_exchange_address_grp", "the table has not a place per rank");
  }
  void* own = ptr_ar[group.rank];
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, ptr_ar, sizeof own, MPI_BYTE, group.comm);
}

double armci_timer(void) { return PMPI_Wtime(); }

}  // extern "C"
