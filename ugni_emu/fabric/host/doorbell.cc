// The doorbell: flags in a memory file, datagrams between abstract sockets.
#include "ugni_emu/fabric/host/doorbell.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "corespec/host/futex.h"
#include "corespec/host/os_thread.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/fabric/host/host_error.h"

namespace ugni::fabric {
namespace {

constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);
// A peer that has just left off polling often comes back at once: waiting is cheaper than waking.
constexpr int looks_before_waking = 32;

/// From now on the kernel puts only such datagrams into the socket's queue that begin with the
/// secret. (A load behind a datagram's end drops it.)
bool keep_out_others(int socket, const Secret& secret) {
  constexpr std::uint32_t word = sizeof(std::uint32_t);
  constexpr std::uint32_t words = Secret::bytes / word;
  std::array<sock_filter, 2 * words + 2> program{};
  std::array<std::uint32_t, words> wanted{};
  std::memcpy(wanted.data(), secret.view().data(), Secret::bytes);
  for (std::uint32_t i = 0; i < words; ++i) {
    const auto to_the_end = static_cast<std::uint8_t>(2 * (words - i) - 1);
    program[2 * i] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, i * word);
    program[2 * i + 1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(wanted[i]), 0, to_the_end);
  }
  program[2 * words] = BPF_STMT(BPF_RET | BPF_K, Secret::bytes);
  program[2 * words + 1] = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter{program.size(), program.data()};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

}  // namespace

Doorbell::Doorbell() {
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // Without a path the kernel picks an abstract name that no socket has.
  const sa_family_t unnamed = AF_UNIX;
  if (socket_ < 0 || !keep_out_others(socket_, secret_) ||
      bind(socket_, reinterpret_cast<const sockaddr*>(&unnamed), sizeof unnamed) != 0) {
    refused_by_host("no socket for the doorbell");
  }
}

Doorbell::~Doorbell() {
  if (socket_ >= 0) close(socket_);
}

Doorbell::Card Doorbell::card() const {
  Card card;
  sockaddr_un name{};
  socklen_t size = sizeof name;
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &size) != 0 || size <= path_at ||
      size - path_at > sizeof card.name) {
    refused_by_host("the doorbell's socket has no name");
  }
  card.name_size = static_cast<std::uint8_t>(size - path_at);
  std::memcpy(card.name, name.sun_path, card.name_size);
  std::memcpy(card.secret, secret_.view().data(), Secret::bytes);
  return card;
}

void Doorbell::meet(std::vector<Card> cards, Flag* flags, std::size_t own) {
  cards_ = std::move(cards);
  flags_ = flags;
  own_ = own;
}

void Doorbell::arm(bool on_its_word) {
  silence();
  flags_[own_].polls.store(0, std::memory_order_relaxed);
  if (expected_ != 0) take_rings();  // no peer rings now, so these are of earlier rings
  armed_ = on_its_word ? on_word : on_descriptor;
  flags_[own_].asleep.store(armed_, std::memory_order_release);
  full_fence();
}

void Doorbell::disarm() {
  silence();
  flags_[own_].polls.store(1, std::memory_order_relaxed);
}

void Doorbell::set_sleeper(const corespec::Guest& guest) {
  flags_[own_].guest.store(guest, std::memory_order_relaxed);
}

void Doorbell::silence() {
  if (armed_ == awake) return;
  const State before = std::exchange(armed_, awake);
  const bool taken = flags_[own_].asleep.exchange(awake, std::memory_order_acq_rel) == awake;
  // The peer that has taken the flag away sends a datagram, or has sent it.
  if (taken && before == on_descriptor) ++expected_;
}

void Doorbell::take_rings() {
  const corespec::WithoutCancellation without_cancellation;
  char bytes[8];
  while (recv(socket_, bytes, sizeof bytes, 0) >= 0) {
    ++rung_;
    if (expected_ != 0) --expected_;
  }
}

bool Doorbell::wake(std::size_t member) {
  for (int looks = 0; looks < looks_before_waking; ++looks) {
    corespec::futex::pause();
    if (flags_[member].asleep.load(std::memory_order_relaxed) == awake) return true;
  }
  switch (flags_[member].asleep.exchange(awake, std::memory_order_acq_rel)) {
    case awake:
      return true;
    case on_word:
      wake_on_word(flags_[member]);
      return true;
    default:
      return send_ring(cards_[member]);
  }
}

/// The caller does nothing but wait for what this brings about, now or in a moment. The library's
/// own threads run where their rank does, so there the rank counts.
bool Doorbell::waits() const {
  const corespec::Thread* const thread = corespec::this_thread_or_null();
  if (thread == nullptr || thread->role() != corespec::ThreadRole::application) return polls(own_);
  return thread->expects_wait();
}

void Doorbell::wake_on_word(Flag& sleeper) const {
  const corespec::Guest guest = sleeper.guest.load(std::memory_order_relaxed);
  if (guest.thread != 0) {
    const int cpu = waits() ? sched_getcpu() : guest.home;
    if (cpu != guest.cpu) corespec::OsThread::bind(guest.thread, cpu);
  }
  sleeper.rung.fetch_add(1, std::memory_order_seq_cst);
  corespec::futex::wake_all(sleeper.rung, corespec::futex::Scope::shared);
}

void Doorbell::ring_self() {
  ++expected_;
  send_ring(cards_[own_]);
}

bool Doorbell::send_ring(const Card& card) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, card.name, card.name_size);
  const corespec::WithoutCancellation without_cancellation;
  const long sent = sendto(socket_, card.secret, sizeof card.secret, MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&name),
                           static_cast<socklen_t>(path_at + card.name_size));
  // A full queue wakes as well as one more would.
  return sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace ugni::fabric
