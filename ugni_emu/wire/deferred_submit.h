// Transactions that threads have posted and whose moment has not come yet.
#pragma once

#include <deque>
#include <utility>

#include "corespec/threads/thread.h"
#include "ugni_emu/wire/wire.h"

namespace ugni {

/// Hands a transaction to the wire at the time of the thread that posted it.
class DeferredSubmit final : public corespec::DeferredEffect {
 public:
  explicit DeferredSubmit(DeferredSubmits& owner) : owner_(&owner) {}
  void perform() override;

 private:
  friend class DeferredSubmits;
  DeferredSubmits* owner_;
  DeferredSubmit* next_free_ = nullptr;
  Transaction transaction_;
  Payload payload_;
};

/// Of a wire whose own records of transactions are not made ahead of their submission; used again
/// and again, last used first.
class DeferredSubmits {
 public:
  explicit DeferredSubmits(Wire& wire) : wire_(&wire) {}
  DeferredSubmits(const DeferredSubmits&) = delete;
  DeferredSubmits& operator=(const DeferredSubmits&) = delete;

  corespec::DeferredEffect& take(const Transaction& transaction, Payload payload) {
    if (free_ == nullptr) free_ = &all_.emplace_back(*this);
    DeferredSubmit& submit = *std::exchange(free_, free_->next_free_);
    submit.transaction_ = transaction;
    submit.payload_ = std::move(payload);
    return submit;
  }

 private:
  friend class DeferredSubmit;
  Wire* wire_;
  std::deque<DeferredSubmit> all_;
  DeferredSubmit* free_ = nullptr;
};

inline void DeferredSubmit::perform() {
  next_free_ = std::exchange(owner_->free_, this);
  owner_->wire_->submit(transaction_, std::move(payload_));
}

}  // namespace ugni
