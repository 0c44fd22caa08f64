// Transactions that threads have posted and whose moment has not come yet.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "corespec/threads/thread.h"
#include "ugni_emu/wire/wire.h"

namespace nic {

class DeferredSubmits;

/// Hands a transaction to the wire at the time of the thread that posted it.
class DeferredSubmit final : public corespec::DeferredEffect {
 public:
  void perform() override;

 private:
  friend class DeferredSubmits;
  DeferredSubmits* owner_ = nullptr;
  ugni::Transaction transaction_;
  ugni::Payload payload_;
};

/// A NIC's, used again and again, last used first.
class DeferredSubmits {
 public:
  explicit DeferredSubmits(ugni::Wire& wire) : wire_(&wire) {}
  DeferredSubmits(const DeferredSubmits&) = delete;
  DeferredSubmits& operator=(const DeferredSubmits&) = delete;

  corespec::DeferredEffect& take(const ugni::Transaction& transaction, ugni::Payload payload) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<DeferredSubmit>());
      all_.back()->owner_ = this;
      free_.push_back(all_.back().get());
    }
    DeferredSubmit& submit = *free_.back();
    free_.pop_back();
    submit.transaction_ = transaction;
    submit.payload_ = std::move(payload);
    return submit;
  }

 private:
  friend class DeferredSubmit;
  ugni::Wire* wire_;
  std::vector<std::unique_ptr<DeferredSubmit>> all_;
  std::vector<DeferredSubmit*> free_;
};

inline void DeferredSubmit::perform() {
  owner_->free_.push_back(this);
  owner_->wire_->submit(transaction_, std::move(payload_));
}

}  // namespace nic
