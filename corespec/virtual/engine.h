// The discrete-event loop over all domains of a machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/time/time.h"
#include "corespec/virtual/rounds.h"
#include "corespec/virtual/turns.h"
#include "corespec/virtual/virtual_domain.h"

namespace corespec {

/// Runs one domain up to its horizon, then another. The result does not depend on which and how
/// far (launch_one_result_test): effects between domains take at least the least delay, and each
/// domain's own order is total. Routers go first, as far as they may: then nodes, whose state is
/// large, run for as long as possible each time their turn comes and their memory is in the cache.
class Engine {
 public:
  /// Hears how far a run has come: nothing earlier than `time` is still to happen, in any domain of
  /// any part.
  class SettledListener {
   public:
    /// Between two turns. True: to be told again after the next one.
    virtual bool settled(Time time) = 0;

   protected:
    ~SettledListener() = default;
  };

  enum class End {
    stopped,       ///< by stop()
    nothing_left,  ///< no event is left, or give_up()
    interrupted,   ///< by interrupt(): run() may be called again, and goes on
    time_limit     ///< all nodes have come to the time limit
  };

  VirtualDomain& add_domain(DomainClass kind = DomainClass::nodes,
                            QueueKind queue = QueueKind::heap);
  /// The least delay between any two domains; to be set before run().
  void set_least_delay(Time delay);
  /// The least delays by class: router to router, node to router or back, and what nodes (and the
  /// launcher) tell each other past the network.
  void set_least_delays(Time router_to_router, Time node_to_router, Time node_to_node);

  /// For one of the parts in which a machine is run: where the parts meet. Null: this is all of it.
  /// No part's routers affect another's sooner than a least delay, and nodes affect other parts
  /// through their routers, or past the network.
  void set_rounds(Rounds* rounds) { rounds_ = rounds; }

  /// Nodes stop before their first event at or after this time.
  void set_time_limit(Time limit) { time_limit_ = limit; }

  /// No turn of a node's takes its domain farther than this past the turn's first event, however
  /// far it might go. The result is the same whatever it is: so that tests can see that.
  void set_longest_turn(Time length) { longest_turn_ = length; }

  /// Runs until one of the ends (a domain of lanes ends its bucket first).
  End run();
  void stop() {
    ended_ = true;
    leave_loop();
  }
  /// Ends the run as if no event were left: in parts, when all of them give up.
  void give_up();
  /// There is news.
  void go_on() { would_give_up_ = false; }
  bool gave_up() const { return given_up_; }
  /// Has run() return after the present event, or, if it is not running, at its next call. What is
  /// still to happen is not changed by it. A signal handler may call it.
  void interrupt() {
    interrupted_.store(true, std::memory_order_relaxed);
    leave_loop();
  }
  /// The same where a thread moves its clock on and on without an event: it waits for one now. The
  /// number of events, but nothing else, may become another one. A signal handler may call it.
  void interrupt_advance() {
    interrupt();
    if (running_ != nullptr) running_->horizon_ = Time();
  }

  /// They outlive the engine's runs, or are removed.
  void add_settled_listener(SettledListener& listener) { settled_listeners_.push_back(&listener); }
  void remove_settled_listener(SettledListener& listener) {
    std::erase(settled_listeners_, &listener);
  }
  /// Has all listeners told at the end of the present turn, or, in parts, when they have met.
  void tell_when_settled() { tells_settled_ = true; }

  /// Time of the latest event handled in any domain.
  Time latest() const;
  std::uint64_t events() const;
  std::size_t domains() const { return domains_.size(); }
  void set_observer(Observer* observer) {
    for (const auto& domain : domains_) domain->set_observer(observer);
  }
  /// False if what is still to come, in all domains, brings no news (Event::brings_news()).
  bool expects_news() const;
  /// Events begun so far; moves whenever a thread or anything else gets its turn. May be read from
  /// a signal handler.
  std::uint64_t switches() const { return begun_; }
  /// Of what happens at nodes, in order: equal runs reproduce it. What routers do shows in when it
  /// arrives there. By domain of nodes; those of other parts have had nothing to record here, which
  /// is no_hash.
  std::vector<std::uint64_t> hashes() const;
  static constexpr std::uint64_t no_hash = VirtualDomain::first_hash;
  static std::uint64_t fingerprint(const std::vector<std::uint64_t>& hashes);
  std::uint64_t fingerprint() const { return fingerprint(hashes()); }

 private:
  friend class VirtualDomain;
  End run_alone();
  End run_in_rounds();
  /// The next event of each class.
  struct Ahead {
    Time node = Time::max();
    Time router = Time::max();
  };
  bool has_ended(const Ahead& ahead, End& end);
  void tell_settled(Time time);
  Rounds::Front front() const;
  /// What a round does, and the run's end, if it is over.
  struct Round {
    Ahead ahead;
    bool of_routers = false;
    bool gives_up = false;
  };
  Round begin_round();
  bool routers_may_run() const;
  bool nodes_may_run() const;
  void run_first_of(DomainClass kind);
  void fire(VirtualDomain& domain, const EventQueue::Entry& entry);
  void run_queue(VirtualDomain& domain);
  void run_lane_queue(VirtualDomain& domain);
  void moved_earlier(VirtualDomain& domain);
  Turns& turns_of(const VirtualDomain& domain) {
    return turns_[static_cast<std::size_t>(domain.class_)];
  }
  Time delay(const VirtualDomain& from, const VirtualDomain& to) const {
    return direct_[static_cast<std::size_t>(from.class_)][static_cast<std::size_t>(to.class_)];
  }
  Time horizon_of_first(DomainClass kind) const;
  void leave_loop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  std::vector<std::unique_ptr<VirtualDomain>> domains_;
  Turns turns_[domain_classes];
  Time direct_[domain_classes][domain_classes];   ///< of one effect
  Time soonest_[domain_classes][domain_classes];  ///< of any chain of effects
  VirtualDomain* running_ = nullptr;
  Time time_limit_ = Time::max();
  Time longest_turn_ = Time::max();
  std::atomic<bool> stopped_ = false;  ///< for whatever reason
  std::atomic<bool> interrupted_ = false;
  std::vector<SettledListener*> settled_listeners_;
  bool tells_settled_ = false;
  bool ended_ = false;
  bool given_up_ = false;

  // In parts.
  Rounds* rounds_ = nullptr;
  Time bounds_[domain_classes] = {Time::max(), Time::max()};  ///< of the present round
  Round round_;
  bool in_round_ = false;
  bool has_arrived_ = false;  ///< and waits for the other parts
  bool would_give_up_ = false;
  volatile std::uint64_t begun_ = 0;
};

}  // namespace corespec
