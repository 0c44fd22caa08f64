// Wakes the sleeping processes of a host: a flag each in shared memory, and a socket to ring.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "corespec/host/futex.h"
#include "corespec/live/guest.h"
#include "ugni_emu/fabric/transport/secret.h"

namespace ugni::fabric {

/// A process that is about to sleep in the kernel sets its flag and looks once more; a peer that
/// has put something into its queue looks at the flag then, and only if it is set makes a system
/// call: a datagram. Both put a full fence between the two, so at least one sees the other. Nothing
/// of it has a name in a file system. Every process of the host can find the socket and send to it;
/// the kernel drops what is not the secret of the process that sleeps, which then sleeps on.
class Doorbell {
 public:
  /// What other processes of the host need to know of this one.
  struct Card {
    std::uint8_t name_size = 0;
    char name[15] = {};  ///< of its socket, abstract
    std::byte secret[Secret::bytes] = {};
  };

  /// One for each process of the host, in memory that they share; zero at first.
  struct alignas(64) Flag {
    std::atomic<std::uint32_t> asleep{0};  ///< a State
    corespec::futex::Word rung{0};         ///< moves on when a thread is woken that sleeps on it
    std::atomic<std::uint32_t> polls{0};   ///< some thread of it does, now
    std::atomic<corespec::Guest> guest{};  ///< the thread that sleeps on the word
  };

  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  Card card() const;
  /// The cards and flags of the host's processes, this one's at `own`.
  void meet(std::vector<Card> cards, Flag* flags, std::size_t own);

  /// This process goes to sleep, on word() or on wait_descriptor(), or polls again.
  void arm(bool on_word);
  void disarm();
  /// The thread that sleeps on word(), from the next arm() on.
  void set_sleeper(const corespec::Guest& guest);
  corespec::futex::Word* word() { return &flags_[own_].rung; }
  /// Takes in the datagrams of earlier rings.
  void take_rings();
  /// After something was put into `member`'s queue. False if it is gone.
  bool ring(std::size_t member) {
    full_fence();
    if (flags_[member].asleep.load(std::memory_order_relaxed) == awake) return true;
    return wake(member);
  }
  /// True if `member` has to be rung.
  bool sleeps(std::size_t member) const {
    full_fence();
    return flags_[member].asleep.load(std::memory_order_relaxed) != awake;
  }
  /// True if a thread of `member` looks for what comes, again and again.
  bool polls(std::size_t member) const {
    return flags_[member].polls.load(std::memory_order_relaxed) != 0;
  }
  /// Makes wait_descriptor() readable in this process itself.
  void ring_self();
  int wait_descriptor() const { return socket_; }
  /// Datagrams that were sent to wake this process up, so far taken in.
  std::uint64_t rung() const { return rung_; }

 private:
  enum State : std::uint32_t { awake, on_descriptor, on_word };
  /// Nothing passes it, not even a load a store. (The thread sanitizer refuses fences.)
  static void full_fence() {
#if defined(__SANITIZE_THREAD__)
    std::atomic<int> word{0};
    word.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }
  bool wake(std::size_t member);
  bool waits() const;
  void wake_on_word(Flag& sleeper) const;
  void silence();
  bool send_ring(const Card& card);

  std::size_t own_ = 0;
  int socket_ = -1;
  Flag* flags_ = nullptr;
  std::vector<Card> cards_;
  const Secret secret_ = Secret::draw();
  State armed_ = awake;
  std::uint64_t expected_ = 0;  ///< datagrams that were or will be sent, and are not taken in yet
  std::uint64_t rung_ = 0;
};

}  // namespace ugni::fabric
