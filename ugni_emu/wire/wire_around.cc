// The records of a wire around another.
#include "ugni_emu/wire/wire_around.h"

#include <utility>

namespace ugni {

WireAround::~WireAround() = default;
WireClientAround::~WireClientAround() = default;

Submission& WireAround::prepare(NicAddress) {
  if (free_ == nullptr) {
    free_ = &records_.emplace_back();
    free_->owner = this;
  }
  return *std::exchange(free_, free_->next_free);
}

void WireAround::drop(Submission& submission) { give_back(static_cast<Record&>(submission)); }

void WireAround::give_back(Record& record) {
  record.payload = {};
  record.next_free = std::exchange(free_, &record);
}

void WireAround::Record::perform() {
  WireAround& wire = *owner;
  const Transaction entering = transaction;
  Payload bytes = std::move(payload);
  wire.give_back(*this);  // what enters may make the NIC submit more
  wire.enter(entering, std::move(bytes));
}

}  // namespace ugni
