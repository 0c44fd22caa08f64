// Finds the process that has a region, or a communication domain, asking once.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ugni_emu/fabric/carrier.h"

namespace ugni::fabric {

/// A handle says which of a node's processes has registered its region, the id of a collective
/// engine which has that. Where a handle does not (clients
/// rebuild handles), and for a datagram's domain, one on this node is looked up in the node's
/// tables; for one on another node a process there is asked at first contact, and what is to go
/// there waits, in order. Datagrams go to the rank of the domain's number if it lives there: the
/// domain may attach later.
class Routes {
 public:
  /// Called with what waited, in order: the rank, or -1 if no rank has the domain.
  using Launch = std::function<void(int rank, Submission&)>;

  Routes(Carrier& carrier, const corespec::Job& job);

  /// The rank that `transaction` goes to; -1: no rank has its aim; unknown: hold() it.
  static constexpr int unknown = -2;
  int find(const Transaction& transaction);
  /// Keeps a submission until its route is known.
  void hold(Submission& submission);

  void answer(const RouteMessage& question);
  void answered(const RouteMessage& answer, const Launch& launch);
  /// Its aim was not where it was thought to be.
  void forget(const Transaction& transaction);
  /// Questions to a process that cannot be reached are answered with "no rank".
  void lost(int rank, const Launch& launch);

 private:
  /// What a transaction is aimed at: a region (`handle` is its first word), or a domain (0).
  struct Place {
    NicAddress nid = 0;
    DomainName name;
    std::uint64_t handle = 0;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  struct Route {
    Place place;
    int rank = unknown;
    int asked = -1;  ///< the rank that was asked and has not answered
    std::vector<Submission*> waiting;
  };

  static Place aim_of(const Transaction& transaction);
  /// The ranks on `nid`, in their order; null if the job is not there.
  const std::vector<int>* ranks_on(NicAddress nid) const;
  /// Some rank on its node, of a domain best the one with the domain's own number; -1 if none.
  int some_rank(const Place& place) const;
  /// The rank on this node that has it; -1 if none has.
  int find_here(const DomainName& name, std::uint64_t handle) const;
  Route& route(const Transaction& transaction);
  void settle(Route& route, int rank, const Launch& launch);

  Carrier* carrier_;
  std::unordered_map<NicAddress, std::vector<int>> ranks_;  ///< by node
  std::unordered_map<Place, std::uint32_t, Hash> numbers_;
  std::vector<Route> routes_;
  std::size_t last_ = 0;  ///< the one used last
};

}  // namespace ugni::fabric
