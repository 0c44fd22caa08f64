// The rounds of parts whose workers share a host: through memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "corespec/virtual/rounds.h"
#include "launch/workers/mail.h"

namespace launch {

/// The memory. Made before the workers are: it has the same address in each of them.
class SharedRoundsMemory {
 public:
  /// Of addresses, for all letters of two rounds; memory is used where it is touched.
  static constexpr std::size_t usual_room = std::size_t{1} << 40;
  /// Throws std::runtime_error with one line.
  explicit SharedRoundsMemory(std::size_t parts, std::size_t room = usual_room);
  ~SharedRoundsMemory();
  SharedRoundsMemory(const SharedRoundsMemory&) = delete;
  SharedRoundsMemory& operator=(const SharedRoundsMemory&) = delete;

  std::size_t parts() const { return parts_; }

 private:
  friend class SharedRounds;
  struct Place;
  struct Box;
  Place& place(std::size_t part) const;
  /// What `from` writes to `to` in every other round.
  Box& box(std::uint32_t round, std::size_t from, std::size_t to) const;

  std::size_t parts_;
  std::size_t box_bytes_;
  std::size_t bytes_;
  std::byte* memory_;
};

/// One part's side. A worker that has arrived looks for a while whether the others are there, and
/// then sleeps: where there are fewer CPUs than workers at once.
class SharedRounds final : public corespec::Rounds, public Mail {
 public:
  /// `looks`: how often it looks before it sleeps. `waits`: called now and then while it sleeps.
  SharedRounds(SharedRoundsMemory& memory, std::size_t part, unsigned looks,
               std::function<void()> waits);

  // Rounds
  void arrive(const Front& own) override;
  bool meet(const std::atomic<bool>& stopped) override;
  std::span<const Front> fronts() const override { return fronts_; }
  std::size_t own_part() const override { return part_; }

  /// While this part waits in meet(): letters that a part has written in the round in which it
  /// still is.
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
  unsigned looks_;
  std::function<void()> waits_;
  std::uint32_t round_ = 1;  ///< that letters are written in
  std::vector<Front> fronts_;
};

}  // namespace launch
