// Sends credits and datagrams again.
#include "ugni_emu/nic/untracked.h"

#include <utility>

#include "ugni_emu/include/gni_pub.h"

namespace nic {

void Untracked::keep(ugni::Submission& submission) {
  submission.transaction.initiator_key = next_key_;
  kept_[next_key_++] = {submission.transaction, ugni::Payload(submission.payload.bytes()), 0};
}

bool Untracked::answered(const ugni::SegmentView& response) {
  const auto found = kept_.find(response.transaction.initiator_key);
  if (found == kept_.end()) return false;
  Kept& kept = found->second;
  const bool again =
      response.status == ugni::ResponseStatus::lost && kept.times < FMA_SMSG_MAX_RETRANS_DEFAULT;
  if (!again) {
    kept_.erase(found);
    return true;
  }
  ++kept.times;
  ugni::Submission& submission = wire_.prepare(kept.transaction.source);
  submission.transaction = kept.transaction;
  submission.payload = ugni::Payload(kept.payload.bytes());
  submission.perform();
  return true;
}

}  // namespace nic
