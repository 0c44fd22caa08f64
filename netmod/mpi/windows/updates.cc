// Accumulates that take the target's lock.
#include "netmod/mpi/windows/updates.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/windows/packed_elements.h"
#include "netmod/mpi/windows/remote_lock.h"

namespace netmod {
namespace {

/// So many are put off at most for a target, and so many bytes: a latency saved is little beside
/// moving these.
constexpr std::size_t most_updates = 64;
constexpr std::size_t most_bytes = 65536;
/// Packed elements begin at multiples of this, so that GETs need no copy.
constexpr std::size_t alignment = 8;

std::size_t place_of(const RemoteData& data) {
  return (static_cast<std::size_t>(data.bytes()) + alignment - 1) / alignment * alignment;
}

struct Update {
  Accumulation accumulation;
  LocalData from;
  RemoteData to;
  std::unique_ptr<std::byte[]> copied;  ///< of few bytes: then `from` is here
  // The program may free its handles.
  std::shared_ptr<const Datatype> kept_from;
  std::shared_ptr<const Datatype> kept_to;
};

std::shared_ptr<const Datatype> kept(RankState& rank, const TypeView& type) {
  const auto* made = rank.datatypes().made.find(type.handle);
  return made == nullptr ? nullptr : *made;
}

/// As of puts: what FMA would take at the call is the caller's again when that returns.
void copy_if_short(RankState& rank, Update& update) {
  const std::int64_t bytes = update.from.bytes();
  const std::uint64_t short_bytes = rank.device().one_sided().settings().offload_threshold;
  if (static_cast<std::uint64_t>(bytes) > short_bytes) return;
  update.copied = corespec::rank_bytes(bytes);
  pack(update.from.type, update.from.data, update.from.count, update.copied.get());
  rank.charge_copy(bytes);
  update.from = {update.copied.get(), bytes, rank.datatypes().known(MPI_BYTE)};
}

}  // namespace

struct PutOffUpdates {
  std::vector<Update> updates;
  std::size_t bytes = 0;  ///< of places for their packed elements
};

/// Where packed elements are while they move: registered once, since a registration costs more than
/// a round trip.
class UpdateMemory {
 public:
  UpdateMemory(RankState& rank, std::size_t bytes)
      : rank_(rank), bytes_(bytes), memory_(corespec::rank_bytes(bytes)) {
    registration_ = rank.device().one_sided().registrations().acquire(memory_.get(), bytes);
  }
  ~UpdateMemory() {
    if (registration_ == nullptr || rank_.finalized()) return;
    rank_.device().one_sided().registrations().release(registration_);
  }
  UpdateMemory(const UpdateMemory&) = delete;
  UpdateMemory& operator=(const UpdateMemory&) = delete;
  std::size_t bytes() const { return bytes_; }
  std::byte* data() { return memory_.get(); }

 private:
  RankState& rank_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> memory_;
  rma::CachedRegistration* registration_;
};

namespace {

/// The updates of one target: takes the lock, moves and combines, gives the lock back. It waits for
/// nothing but room at the rank's own NIC: a rank that holds a lock must not wait for another.
class Batch {
 public:
  /// Takes what was put off.
  Batch(RankState& rank, Window& window, Target& target)
      : rank_(rank),
        under_way_(target),
        put_off_(std::exchange(target.put_off, nullptr)),
        lock_(rank, accumulate_lock(target), window.unattended) {}
  /// Bytes of places for packed elements.
  std::size_t bytes() const { return put_off_->bytes; }
  /// Asks for the lock; the places are at `memory`.
  void begin(std::byte* memory) {
    memory_ = memory;
    turn_ = lock_.ask_exclusive();
  }

  bool done() const { return step_ == Step::done; }
  /// Looks only.
  bool may_advance() const {
    return !done() && (step_ == Step::asking ? turn_->may_step() : moved_.complete());
  }
  void advance();

 private:
  enum class Step : std::uint8_t { asking, fetching, storing, done };
  /// The target is not complete.
  struct UnderWay {
    explicit UnderWay(Target& on) : target(on) { ++target.recorded; }
    ~UnderWay() { --target.recorded; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    Target& target;
  };

  void begin_round();
  void combine_round();
  void end_round();
  template <class Use>
  void for_each_of_round(const Use& use);

  RankState& rank_;
  UnderWay under_way_;
  std::shared_ptr<PutOffUpdates> put_off_;
  std::byte* memory_ = nullptr;
  RemoteLock lock_;
  std::unique_ptr<RemoteLock::Asking> turn_;
  Step step_ = Step::asking;
  // Updates that are done at the same time: [round_, round_end_).
  std::size_t round_ = 0;
  std::size_t round_end_ = 0;
  rma::Completion moved_;
};

/// `use(update, its packed bytes)`.
template <class Use>
void Batch::for_each_of_round(const Use& use) {
  std::byte* at = memory_;
  for (std::size_t i = round_; i < round_end_; ++i) {
    const Update& update = put_off_->updates[i];
    use(update, at);
    at += place_of(update.to);
  }
}

void Batch::begin_round() {
  const std::vector<Update>& updates = put_off_->updates;
  std::vector<AddressRange> taken;
  for (round_end_ = round_; round_end_ < updates.size(); ++round_end_) {
    const AddressRange range = range_of(updates[round_end_].to);
    const auto overlaps = [&range](const AddressRange& other) {
      return range.begin < other.end && other.begin < range.end;
    };
    if (std::any_of(taken.begin(), taken.end(), overlaps)) break;
    taken.push_back(range);
  }
  step_ = Step::fetching;
  for_each_of_round([this](const Update& update, std::byte* packed) {
    if (update.accumulation.op() != MPI_REPLACE) gather_packed(rank_, moved_, update.to, packed);
  });
}

void Batch::combine_round() {
  step_ = Step::storing;
  for_each_of_round([this](const Update& update, std::byte* packed) {
    const PackedElements values(rank_, update.from);
    update.accumulation.apply(rank_, values.data(), packed, update.to.count);
    scatter_packed(rank_, moved_, packed, update.to);
  });
}

void Batch::end_round() {
  round_ = round_end_;
  if (round_ < put_off_->updates.size()) return begin_round();
  lock_.release_exclusive(turn_->ticket());
  step_ = Step::done;
}

void Batch::advance() {
  while (may_advance()) {
    if (step_ == Step::fetching) {
      combine_round();
    } else if (step_ == Step::storing) {
      end_round();
    } else if (turn_->step()) {
      begin_round();
    }
  }
}

void run(RankState& rank, Window& window, const std::vector<Target*>& targets) {
  // What went another way comes before.
  for (const Target* target : targets) wait_for_order(rank, *target);
  std::size_t bytes = 0;
  std::vector<std::unique_ptr<Batch>> batches;
  for (Target* target : targets) {
    if (target->put_off == nullptr) continue;  // another thread was here
    batches.push_back(std::make_unique<Batch>(rank, window, *target));
    bytes += batches.back()->bytes();
  }
  if (batches.empty()) return;
  // Another thread that comes meanwhile makes memory of its own.
  std::shared_ptr<UpdateMemory> memory = std::exchange(window.update_memory, nullptr);
  if (memory == nullptr || memory->bytes() < bytes) {
    memory = std::make_shared<UpdateMemory>(rank, std::bit_ceil(bytes));
  }
  std::byte* at = memory->data();
  for (const auto& batch : batches) {
    batch->begin(at);
    at += batch->bytes();
  }
  const auto may_advance = [&batches] {
    return std::any_of(batches.begin(), batches.end(),
                       [](const auto& batch) { return batch->may_advance(); });
  };
  while (!batches.empty()) {
    for (const auto& batch : batches) batch->advance();
    std::erase_if(batches, [](const auto& batch) { return batch->done(); });
    if (!batches.empty()) rank.wait_until(may_advance);
  }
  window.update_memory = std::move(memory);
}

}  // namespace

void put_off(RankState& rank, Window& window, const Accumulation& accumulation,
             const LocalData& from, const RemoteData& to) {
  Target& target = *to.target;
  if (target.put_off == nullptr) target.put_off = std::make_shared<PutOffUpdates>();
  std::vector<Update>& updates = target.put_off->updates;
  target.put_off->bytes += place_of(to);
  updates.push_back({accumulation, from, to, nullptr, kept(rank, from.type), kept(rank, to.type)});
  copy_if_short(rank, updates.back());
  if (updates.size() == most_updates || target.put_off->bytes > most_bytes) {
    run_updates(rank, window, target);
  }
}

void run_updates(RankState& rank, Window& window) {
  std::vector<Target*> targets;
  for (auto& [number, target] : window.targets) {
    if (target.put_off != nullptr) targets.push_back(&target);
  }
  run(rank, window, targets);
}

void run_updates(RankState& rank, Window& window, Target& target) {
  if (target.put_off != nullptr) run(rank, window, {&target});
}

RemotePlace accumulate_lock(const Target& target) {
  return {target.job_rank, target.entry.control + offsetof(WindowControl, accumulates),
          target.entry.control_handle};
}

}  // namespace netmod
