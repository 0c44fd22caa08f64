// The board of registered regions.
#include "ugni_emu/fabric/host/exposures.h"

#include <algorithm>

#include "corespec/host/check.h"
#include "corespec/host/os_thread.h"

namespace ugni::fabric {
namespace {

constexpr std::uint32_t slots = 1024;
constexpr std::size_t known_at_most = 64;
// A copy takes milliseconds; a process that is still at work after this was killed there.
constexpr corespec::Time patience = corespec::Time::picoseconds(1'000'000'000'000);

}  // namespace

/// Its owner fills it in while it is closed and no process is at work in it.
struct alignas(64) Exposures::Slot {
  /// Moves on when the slot is opened, and when it is closed: open while it is odd.
  std::atomic<std::uint32_t> opening{0};
  bool open() const { return (opening.load(std::memory_order_relaxed) & 1) != 0; }
  std::atomic<std::uint32_t> at_work{0};
  ProtectionName protection;
  std::uint64_t handle = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool writable = true;
  bool readable = true;
  bool wakes = true;
};

struct Exposures::Board {
  std::atomic<std::uint32_t> used;  ///< slots that have ever been used
  Slot slot[slots];
};

std::size_t Exposures::board_bytes() { return sizeof(Board); }

Exposures::Board& Exposures::board(std::size_t member) const {
  return *reinterpret_cast<Board*>(boards_ + member * sizeof(Board));
}

void Exposures::meet(std::byte* boards, std::size_t members, std::size_t own) {
  boards_ = boards;
  own_ = own;
  known_.resize(members);
}

std::uint32_t Exposures::show(const ExposedRegion& region) {
  if (boards_ == nullptr) return none;
  Board& own = board(own_);
  const std::uint32_t used = own.used.load(std::memory_order_relaxed);
  std::uint32_t number = 0;
  while (number < used && own.slot[number].open()) ++number;
  if (number == slots) return none;
  Slot& slot = own.slot[number];
  slot.protection = region.protection;
  slot.handle = region.handle;
  slot.address = reinterpret_cast<std::uint64_t>(region.address);
  slot.bytes = region.bytes;
  slot.writable = region.writable;
  slot.readable = region.readable;
  slot.wakes = region.wakes;
  slot.opening.fetch_add(1, std::memory_order_release);
  if (number == used) own.used.store(used + 1, std::memory_order_release);
  return number;
}

void Exposures::remove(std::uint32_t number) {
  if (number == none) return;
  Slot& slot = board(own_).slot[number];
  slot.opening.fetch_add(1, std::memory_order_seq_cst);
  if (slot.at_work.load(std::memory_order_seq_cst) == 0) return;
  const corespec::Time until = clock_.now() + patience;
  while (slot.at_work.load(std::memory_order_seq_cst) != 0 && clock_.now() < until) {
    corespec::OsThread::rest();
  }
}

bool Exposures::is_usable(const Slot& slot, Use use) {
  switch (use) {
    case Use::look:
      return true;
    case Use::write:
      return slot.writable;
    case Use::read:
      return slot.readable;
  }
  CASTOR_NEVER("no use of a region");
}

std::optional<Exposures::Entered> Exposures::try_slot(Slot& slot, std::uint32_t number,
                                                      const Transaction& transaction, Use use) {
  slot.at_work.fetch_add(1, std::memory_order_seq_cst);
  if ((slot.opening.load(std::memory_order_seq_cst) & 1) != 0) {
    const ProtectionName name{transaction.cookie, transaction.ptag};
    const std::uint64_t offset = transaction.remote_address - slot.address;
    const bool usable = is_usable(slot, use);
    if (usable && slot.protection == name && slot.handle == transaction.remote_handle.qword1 &&
        transaction.remote_address >= slot.address && offset <= slot.bytes &&
        transaction.length <= slot.bytes - offset) {
      return Entered{number, slot.wakes};
    }
  }
  slot.at_work.fetch_sub(1, std::memory_order_release);
  return std::nullopt;
}

Exposures::Known* Exposures::find_known(std::size_t member, const Transaction& transaction) {
  std::vector<Known>& known = known_[member];
  const ProtectionName name{transaction.cookie, transaction.ptag};
  const std::uint64_t handle = transaction.remote_handle.qword1;
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& each) {
    return each.handle == handle && each.protection == name;
  });
  return found == known.end() ? nullptr : &*found;
}

std::optional<Exposures::Entered> Exposures::find(std::size_t member,
                                                  const Transaction& transaction, Use use) {
  Board& its = board(member);
  std::vector<Known>& known = known_[member];
  if (Known* const found = find_known(member, transaction)) {
    if (auto entered = try_slot(its.slot[found->slot], found->slot, transaction, use))
      return entered;
    known.erase(known.begin() + (found - known.data()));
  }
  const std::uint32_t used = its.used.load(std::memory_order_acquire);
  for (std::uint32_t number = 0; number < used; ++number) {
    if (!its.slot[number].open()) continue;
    auto entered = try_slot(its.slot[number], number, transaction, use);
    if (!entered) continue;
    if (known.size() == known_at_most) known.erase(known.begin());
    const std::uint32_t opening = its.slot[number].opening.load(std::memory_order_relaxed);
    known.push_back({{transaction.cookie, transaction.ptag},
                     transaction.remote_handle.qword1,
                     number,
                     opening,
                     entered->wakes});
    return entered;
  }
  return std::nullopt;
}

std::optional<Exposures::Entered> Exposures::enter(std::size_t member,
                                                   const Transaction& transaction) {
  return find(member, transaction,
              transaction.kind == TransactionKind::get ? Use::read : Use::write);
}

bool Exposures::wakes(std::size_t member, const Transaction& transaction) {
  if (const Known* const found = find_known(member, transaction)) {
    const Slot& slot = board(member).slot[found->slot];
    if (slot.opening.load(std::memory_order_acquire) == found->opening) return found->wakes;
  }
  const auto entered = find(member, transaction, Use::look);
  if (!entered) return true;
  leave(member, *entered);
  return entered->wakes;
}

void Exposures::leave(std::size_t member, const Entered& entered) {
  board(member).slot[entered.slot].at_work.fetch_sub(1, std::memory_order_release);
}

}  // namespace ugni::fabric
