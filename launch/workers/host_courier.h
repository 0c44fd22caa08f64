// What goes between the hosts of a job in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/workers/parcels.h"
#include "launch/workers/questions.h"
#include "launch/workers/shared_rounds.h"
#include "launch/workers/shared_rounds_memory.h"

namespace launch {

/// The first worker of each host has one, which is not used inside itself: no signal handler may
/// call it that may have interrupted it. Its host's workers have places, boxes and pages for those
/// of all hosts in the memory that they share: the courier keeps them as they are on the other
/// hosts, as far as a worker here looks at them.
class HostCourier final : public SharedRounds::Courier {
 public:
  using Range = SharedRoundsMemory::Range;

  /// What the courier has its worker do.
  struct Orders {
    /// The job's first worker asks this one of this host what its ranks are doing.
    std::function<void(std::size_t worker)> ask;
    /// In the job's first worker: a worker of another host has ended so.
    std::function<void(std::size_t worker, int status)> end;
    /// Another host cannot be reached, or does not say what it should.
    std::function<void(std::size_t host, const char* what)> lose;
    /// Now and then while it waits for other hosts.
    std::function<void()> wait;
  };

  /// `workers_of`: by host. `looks`: how often it looks for parcels at most before it sleeps.
  HostCourier(Parcels& parcels, std::vector<Range> workers_of, SharedRoundsMemory& memory,
              Questions& questions, const SharedRounds& rounds, unsigned looks, Orders orders);

  bool carry(std::uint32_t round, const std::atomic<bool>& stopped) override;
  /// While its worker does something else than carry(): answers the other hosts.
  void look();

  /// In the job's first worker: asks one of another host, by Questions::ask().
  void ask(std::size_t worker);
  /// A worker of this host has ended so: the job's first one ends the job.
  void tell_end(std::size_t worker, int status);
  /// After the last meeting, before its process ends: the others have all that it has sent.
  void leave();
  /// In a signal handler: whether it has interrupted the courier, or what that uses.
  bool is_in_use() const { return in_use_; }

 private:
  enum class Kind : std::uint32_t {
    round,
    question,
    answer,
    write_out,
    written_out,
    ended,
    leaving
  };
  /// Of a parcel about a worker; a text or letters follow.
  struct About {
    std::uint64_t worker = 0;
    std::uint32_t round = 0;
    std::int32_t number = 0;  ///< a rank, or the status of a process
  };

  class Use;
  bool poll();
  void wait_for_parcels(int milliseconds);
  void send_round(std::uint32_t round);
  bool have_all_come(std::uint32_t round) const;
  void send(std::size_t to, Kind kind, const About& about, std::span<const std::byte> rest);
  void read(std::size_t from, Kind kind, std::span<const std::byte> content);
  void read_about(std::size_t from, Kind kind, const About& about, std::span<const std::byte> rest);
  void answer_first_host();
  void answer_others();
  void look_for_losses();
  bool is_first_host() const { return parcels_.own() == 0; }
  Range own() const { return workers_of_[parcels_.own()]; }
  std::size_t host_of(std::size_t worker) const;

  Parcels& parcels_;
  const std::vector<Range> workers_of_;
  SharedRoundsMemory& memory_;
  Questions& questions_;
  const SharedRounds& rounds_;
  Looks looks_;
  const Orders orders_;
  volatile bool in_use_ = false;
  std::uint32_t sent_ = 0;           ///< this round has been
  std::vector<std::uint32_t> come_;  ///< of each host, up to this round
  std::vector<bool> has_left_;
  // On other hosts than the first.
  std::vector<std::size_t> asked_;    ///< workers
  std::vector<std::size_t> writing_;  ///< workers for which the first host writes out
  // On the first host.
  struct WriteOut {
    About about;
    std::vector<std::byte> letters;
    bool is_begun = false;
  };
  std::map<std::size_t, WriteOut> write_outs_;  ///< by worker
};

}  // namespace launch
