// Responses without data: collected by initiator, sent together or behind other messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ugni_emu/fabric/links.h"
#include "ugni_emu/fabric/transport/process_message.h"

namespace ugni::fabric {

/// Those that a thread waits for leave at the next flush(), and take along what else there is for
/// their rank. Others travel behind the next message to their rank, in batches, or when
/// a polling thread has found nothing for a while. A process that does not poll may keep a few
/// of them: less than a batch for each rank.
class Acknowledgements {
 public:
  explicit Acknowledgements(Links& links);
  Acknowledgements(const Acknowledgements&) = delete;
  Acknowledgements& operator=(const Acknowledgements&) = delete;

  /// `leaves`: at the next flush(). `wakes`: its rank is woken up for it.
  void add(int rank, const Acknowledgement& acknowledgement, bool leaves, bool wakes);
  /// Puts those for `rank` behind a composed message, as many as fit; how many.
  std::uint16_t append(int rank, Buffer& message);

  /// Sends to the ranks for which there are some that shall leave, or a full batch.
  void flush() {
    if (any_leaves_) flush_those();
  }
  /// Sends all.
  void flush_all();
  bool empty() const { return ranks_.empty(); }
  /// True if there are some for `rank` that it is to be woken up for.
  bool wake(int rank) const { return collected_[static_cast<std::size_t>(rank)].wakes; }

 private:
  struct Collected {
    std::vector<Acknowledgement> items;
    bool listed = false;
    bool leaves = false;
    bool wakes = false;
  };

  Collected& of(int rank) { return collected_[static_cast<std::size_t>(rank)]; }
  void flush_those();
  void send(int rank, Collected& collected);

  Links* links_;
  std::vector<Collected> collected_;  ///< by rank
  std::vector<int> ranks_;            ///< that have some, or had
  bool any_leaves_ = false;
};

}  // namespace ugni::fabric
