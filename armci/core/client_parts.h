// What a client keeps of nodes and of operations under way.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "armci/core/client.h"
#include "corespec/threads/situation.h"

namespace armci {

/// The way to a node.
struct Client::Link {
  int leader = 0;
  std::uint64_t buffers = 0;        ///< this client's at the helper
  std::vector<std::uint32_t> free;  ///< of them
  std::uint32_t unanswered = 0;     ///< requests
  std::uint32_t direct_puts = 0;    ///< PUTs past the helper that may not be visible yet
  bool direct_by_bte = false;       ///< and one of them was the BTE's
  bool settled() const { return unanswered == 0 && direct_puts == 0; }
};

struct Client::Operation {
  Kind kind = Kind::put;
  int proc = 0;
  Ticket ticket = no_ticket;
  Link* link = nullptr;
  rma::Completion network;
  bool posted = false;   ///< all of it
  bool request = false;  ///< to a helper: is answered
  bool answered = false;
  bool await_answer = false;  ///< locally complete with the answer (else with the network's)
  bool locally_complete = false;
  std::uint32_t number = 0;
  std::uint32_t buffer = 0;
  std::vector<std::byte> message;  ///< the request, as it travels
  std::vector<std::byte> packed;   ///< data packed for the helper to fetch, or landed to unpack
  rma::CachedRegistration* registration = nullptr;
  rma::RegistrationCache* registered_in = nullptr;
  Patch local;  ///< of a get whose data land in `packed`
  std::int64_t first = 0;
  std::int64_t runs = 0;
  std::uint64_t result = 0;  ///< the answer
  bool keep = false;         ///< its caller takes it out of the list
  bool waited_for = false;   ///< locally complete, and its caller has been told so
};

/// For a user's question what the rank does.
class Client::Awaited final : public corespec::Awaited {
 public:
  explicit Awaited(const Client& client)
      : corespec::Awaited(corespec::this_thread()), client_(client) {}
  bool describe(corespec::Situation& to) const override {
    constexpr std::size_t most = 4;
    std::size_t open = 0;
    for (const auto& op : client_.operations_) {
      if (op->network.complete() && (!op->request || op->answered)) continue;
      if (++open > most) continue;
      to.details += fmt::format("{} {} {}", open == 1 ? ":" : ",", text_of(op->kind),
                                corespec::Situation::rank(op->proc));
    }
    if (open > most) to.details += fmt::format(" and {} more", open - most);
    return open != 0;
  }

 private:
  static const char* text_of(Kind kind) {
    switch (kind) {
      case Kind::put:
        return "put to";
      case Kind::get:
        return "get from";
      case Kind::accumulate:
        return "accumulate to";
      case Kind::read_modify_write:
        return "read-modify-write at";
      case Kind::lock:
        return "lock at";
      case Kind::unlock:
        return "unlock at";
      case Kind::stop:
        return "end of the helper thread of";
    }
    return "";
  }
  const Client& client_;
};

}  // namespace armci
