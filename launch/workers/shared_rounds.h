// The rounds of parts whose workers share a host: through memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "corespec/virtual/rounds.h"
#include "launch/workers/looks.h"
#include "launch/workers/mail.h"
#include "launch/workers/shared_rounds_memory.h"

namespace launch {

/// One part's side. A worker that has arrived looks for a while whether the others are there, if
/// that pays (Looks), and then sleeps.
class SharedRounds final : public corespec::Rounds, public Mail {
 public:
  /// `looks`: how often it looks at most before it sleeps. `waits`: called now and then while it
  /// sleeps.
  SharedRounds(SharedRoundsMemory& memory, std::size_t part, unsigned looks,
               std::function<void()> waits);

  /// Where some parts are on other hosts: brings what they say in a round here, and what the parts
  /// of this host say there.
  class Courier {
   public:
    /// All of `own` have arrived. False: `stopped`; called again.
    virtual bool carry(std::uint32_t round, const std::atomic<bool>& stopped) = 0;

   protected:
    ~Courier() = default;
  };
  /// `own`: this host's parts, of which this is the one that has to do with the courier.
  void set_courier(Courier& courier, SharedRoundsMemory::Range own) {
    courier_ = &courier;
    own_host_ = own;
  }
  /// In which this part is.
  std::uint32_t round() const { return round_; }
  /// Letters with their heads, so far.
  std::uint64_t bytes_written() const { return bytes_written_; }

  // Rounds
  void arrive(const Front& own) override;
  bool meet(const std::atomic<bool>& stopped) override;
  std::span<const Front> fronts() const override { return fronts_; }
  std::size_t own_part() const override { return part_; }

  /// Letters of a part that stands still, which the next meet() would bring, and, where it has gone
  /// on from there, of its next round so far.
  void read_early(std::size_t from, Subject subject);

  // Mail
  std::size_t parts() const override { return memory_.parts(); }
  std::span<std::byte> add(std::size_t to, Subject subject, std::size_t bytes) override;
  void expect_at_routers(std::size_t to, corespec::Time at) override;
  void expect_at_nodes(std::size_t to, corespec::Time at) override;

 private:
  using Box = SharedRoundsMemory::Box;
  Box& box(std::size_t to) { return memory_.box(round_, part_, to); }
  bool wait_for(std::size_t part, const std::atomic<bool>& stopped);
  using Read = std::function<void(Subject, std::span<const std::byte>)>;
  static void each_letter(Box& box, const Read& read);
  void empty_boxes();

  SharedRoundsMemory& memory_;
  std::size_t part_;
  Looks looks_;
  std::function<void()> waits_;
  Courier* courier_ = nullptr;
  SharedRoundsMemory::Range own_host_;
  std::uint32_t round_ = 1;  ///< that letters are written in
  std::uint64_t bytes_written_ = 0;
  std::vector<Front> fronts_;
};

}  // namespace launch
