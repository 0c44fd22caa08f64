// The initiator's side: requests set out, responses come back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "ugni_emu/wire/fabric/carrier.h"
#include "ugni_emu/wire/fabric/incoming.h"

namespace ugni::fabric {

/// What is under way from this process. The client hears of it at the modelled time, or when it
/// has happened if that is later.
class Outgoing {
 public:
  Outgoing(Carrier& carrier, Incoming& incoming) : carrier_(&carrier), incoming_(&incoming) {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// Sends `transaction` to the process that has its target; -1: there is none, which the response
  /// says. May be called from within Wire::submit().
  void launch(int rank, const Transaction& transaction, Payload payload);

  /// A response, or a piece of one, with its data.
  void answered(const ResponseMessage& response, Payload payload);

  /// The response to a whole transaction.
  void acknowledged(ResponseMessage response);

  /// Everything under way to `rank` has failed.
  void lost(int rank);

  /// Called with the transactions that met no domain at their target.
  void set_missed(std::function<void(const Transaction&)> missed) { missed_ = std::move(missed); }

 private:
  struct Post final : corespec::Event {
    enum Firing : std::uint64_t { sent = 0, response = 1 };
    void fire(std::uint64_t arg) override;
    Outgoing* owner = nullptr;
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    int rank = -1;
    bool live = false;
    bool awaits_sent = false;  ///< the client is still to hear that the request has left
    bool patient = false;      ///< nobody waits for the response
    bool ended = false;        ///< the response is here and waits for its time
    ResponseMessage last;
    Payload payload;
    Transaction transaction;
  };

  Post& take(const Transaction& transaction, int rank);
  void give_back(Post& post);
  Post* find(std::uint64_t number);
  static std::uint64_t number_of(const Post& post) {
    return std::uint64_t{post.generation} << 32 | post.index;
  }
  bool send_direct(int rank, RequestMessage& request);
  void answer_by_itself(RequestMessage& request);
  void send_fixed(int rank, RequestMessage& request);
  void send(int rank, RequestMessage& request, Buffer& buffer);
  bool wakes(int rank, const RequestMessage& request);
  void send_pieces(int rank, RequestMessage& request, Payload payload);
  void to_self(RequestMessage& request, Payload payload);
  void fail(Post& post);
  void schedule(corespec::Time at, Post& post, Post::Firing what);
  void end(Post& post);

  Carrier* carrier_;
  Incoming* incoming_;
  std::deque<Post> posts_;
  std::vector<std::uint32_t> free_;
  std::function<void(const Transaction&)> missed_;
};

}  // namespace ugni::fabric
