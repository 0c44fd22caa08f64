// A virtual collective engine (VCE) of an Aries: a node of a reduction's tree.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/collective.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class CompletionQueue;
class Domain;

/// Its children are participants (PEs, which post operands) and other engines. When each child has
/// contributed to a reduction, the engine combines their values, in the order of the children's
/// numbers, and sends the value to its parent as one contribution. The engine without a parent has
/// the result, which goes the same way down: to engines as a transaction of kind `collective`, into
/// the memory that a participant has named as a PUT.
///
/// A child's contributions belong to one reduction after the other, whichever ids they have (they
/// travel in order, whatever the routing mode): the first child to contribute to a reduction says
/// its id and operation, and the engine refuses what differs. What it refuses counts as not sent.
class alignas(64) CollectiveEngine final {
 public:
  /// Reductions that an engine has under way at the most: a contribution to a further one is lost,
  /// that is, the same again may well succeed.
  static constexpr std::size_t most_reductions = 64;

  /// The far end of an edge of the tree.
  struct Link {
    gni_ce_child_t type = GNI_CE_CHILD_UNUSED;
    ugni::NicAddress address = 0;
    std::uint32_t engine = 0;  ///< its id, if it is one
  };
  struct Setup {
    std::array<Link, GNI_CE_MAX_CHILDREN> children;  ///< by number
    Link parent;                                     ///< UNUSED: it is the tree's root
    unsigned number_at_parent = 0;                   ///< which child it is there
    CompletionQueue* queue = nullptr;                ///< for its events, or null
    std::uint32_t modes = 0;                         ///< GNI_CE_MODE_*
  };

  /// An engine of the domain's NIC, which has room for it.
  explicit CollectiveEngine(Domain& domain);
  ~CollectiveEngine();
  CollectiveEngine(const CollectiveEngine&) = delete;
  CollectiveEngine& operator=(const CollectiveEngine&) = delete;

  Domain& domain() const { return *domain_; }
  std::uint32_t id() const { return id_; }
  /// Never used again, unlike the id.
  std::uint64_t serial() const { return serial_; }

  /// A reduction is under way.
  bool busy() const { return !reductions_.empty(); }
  void configure(const Setup& setup);
  void forget(const CompletionQueue& queue);
  /// It is about to go: the children that take part in a reduction learn that it has failed.
  void abandon();

  // From the wire: transactions for it.
  ugni::ResponseStatus contribution_arrived(const ugni::Transaction& transaction);
  ugni::ResponseStatus result_arrived(const ugni::Transaction& transaction);
  /// One of its own was not accepted.
  void refused(const ugni::Transaction& transaction, ugni::ResponseStatus status);

  enum Step : std::uint64_t { send_up, send_down };
  /// The time for a step has passed.
  void take(Step step);

 private:
  /// What a child has contributed, and where a participant wants the result.
  struct Contribution {
    CollectiveValue value;
    ugni::MemoryHandleBits handle;
    std::uint64_t address = 0;
  };
  enum class Stage : std::uint8_t { gathering, complete, sent_up, ended };
  struct Reduction {
    std::uint32_t id = 0;
    CollectiveOperation operation;
    Stage stage = Stage::gathering;
    ugni::ResponseStatus status = ugni::ResponseStatus::ok;
    std::uint32_t arrived = 0;  ///< a bit for each child that has contributed
    CollectiveValue value;
    std::array<Contribution, GNI_CE_MAX_CHILDREN> from;
  };
  using Place = std::deque<Reduction>::iterator;

  bool is_child(const ugni::Transaction& transaction, unsigned child) const;
  ugni::ResponseStatus refuse(std::uint32_t reduction, ugni::ResponseStatus status);
  Place first_in(Stage stage);
  Place sent_up(std::uint32_t reduction);
  void combine_all(Reduction& reduction) const;
  static void set_end(Reduction& reduction, ugni::ResponseStatus status);
  void end(Reduction& reduction, ugni::ResponseStatus status);
  void schedule(Step step);
  void tell(std::uint32_t reduction, ugni::ResponseStatus status);

  ugni::Submission& transaction_to(const Link& link, ugni::TransactionKind kind) const;
  void contribute(const Reduction& reduction) const;
  void deliver(const Reduction& reduction) const;
  void deliver_to_engine(const Reduction& reduction, const Link& child) const;
  void deliver_to_memory(const Reduction& reduction, const Link& child,
                         const Contribution& to) const;

  Domain* domain_;
  std::uint32_t id_ = 0;
  std::uint64_t serial_ = 0;
  Setup setup_;
  std::uint32_t children_ = 0;  ///< a bit for each
  std::deque<Reduction> reductions_;
};

}  // namespace nic
