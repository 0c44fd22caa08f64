// The initiator's side: requests set out, responses come back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "ugni_emu/fabric/carrier.h"
#include "ugni_emu/fabric/incoming.h"

namespace ugni::fabric {

/// What is under way from this process. The client hears of it at the modelled time, or when it
/// has happened if that is later.
class Outgoing {
 public:
  Outgoing(Carrier& carrier, Incoming& incoming) : carrier_(&carrier), incoming_(&incoming) {}
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  /// Performs a submission: finds the process that it goes to and launches it, or keeps it
  /// meanwhile.
  class Performer {
   public:
    virtual void perform(Submission& submission) = 0;

   protected:
    ~Performer() = default;
  };

  /// See Wire::prepare(); `performer` is told when it is performed.
  Submission& prepare(Performer& performer);
  void drop(Submission& submission) { give_back(static_cast<Post&>(submission)); }

  /// Sends a performed submission to `rank`, the process that has its target; -1: there is none,
  /// which the response says.
  void launch(int rank, Submission& submission);

  /// A response of a peer's, or a piece of one, with its data.
  void answered(const ResponseMessage& response, Payload payload);
  /// A peer may not read a PUT's data: it is sent.
  void fetch(const FetchMessage& wish);
  /// One of this process's own.
  void answered_here(const ResponseMessage& response, Payload payload);

  /// A peer's response to a whole transaction. What no thread waits for is set aside until there is
  /// time.
  void acknowledged(const Acknowledgement& acknowledgement, int rank);
  /// Takes in what was set aside.
  void take_set_aside();
  bool has_set_aside() const { return !set_aside_.empty(); }

  /// Everything under way to `rank` has failed.
  void lost(int rank);

  /// Called with the transactions that met no domain or region at their target.
  void set_missed(std::function<void(const Transaction&)> missed) { missed_ = std::move(missed); }

 private:
  /// A transaction from its submission to its response, whose payload it has in the end.
  struct Post final : Submission, corespec::Event {
    enum Firing : std::uint64_t { sent = 0, response = 1 };
    void fire(std::uint64_t arg) override;
    void perform() override { performer->perform(*this); }
    Outgoing* owner = nullptr;
    Performer* performer = nullptr;
    Post* next_free = nullptr;
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    int rank = -1;
    bool live = false;           ///< under way
    bool awaits_sent = false;    ///< the client is still to hear that the request has left
    bool patient = false;        ///< no thread waits for the response
    bool ended = false;          ///< the response is here and waits for its time
    bool direct = false;         ///< the target has been told where the data is or goes
    std::uint64_t answered = 0;  ///< bytes, by pieces of the response
    ResponseMessage last;
  };

  struct SetAside {
    Acknowledgement acknowledgement;
    int rank;
  };

  static Asked asked(const Post& post) {
    return {post.transaction, post.rank, post.answered, post.direct};
  }
  void take_in(const SetAside& arrived);
  void take(Post& post, const ResponseMessage& response, Payload payload);
  void give_back(Post& post);
  Post* find(std::uint64_t number);
  static std::uint64_t number_of(const Post& post) {
    return std::uint64_t{post.generation} << 32 | post.index;
  }
  bool set_out(Post& post, RequestHead& request);
  bool fetched(Post& post, const RequestHead& request);
  bool send_direct(Post& post, RequestHead& request);
  void answer_by_itself(Post& post, RequestHead& request);
  void send_fixed(const Post& post, RequestHead& request);
  void send(const Post& post, RequestHead& request, Buffer& buffer);
  bool wakes(const Post& post, const RequestHead& request);
  void send_pieces(Post& post, RequestHead& request);
  void to_self(Post& post, RequestHead& request);
  void fail(Post& post);
  void answered_at(corespec::Time due, Post& post);
  void schedule(corespec::Time at, Post& post, Post::Firing what);
  void end(Post& post);

  Carrier* carrier_;
  Incoming* incoming_;
  std::deque<Post> posts_;
  Post* free_ = nullptr;
  std::vector<SetAside> set_aside_;
  std::function<void(const Transaction&)> missed_;
};

}  // namespace ugni::fabric
