// Looks through a NIC's tables once a run is over.
#include "ugni_emu/nic/audit.h"

#include <fmt/format.h>

#include "ugni_emu/nic/nic.h"

namespace nic {

std::vector<std::string> audit(Nic& nic) {
  std::vector<std::string> found;
  const auto note = [&](std::size_t count, const char* one, const char* several) {
    if (count == 0) return;
    found.push_back(
        fmt::format("nid{:05} holds {} {}", nic.address(), count, count == 1 ? one : several));
  };
  std::size_t unanswered = 0;
  for (std::uint32_t number = 0; number < nic.posts_.size(); ++number) {
    const Post& post = nic.posts_[number];
    if (post.live && (!post.finished || post.chained)) ++unanswered;
  }
  note(unanswered, "transaction without an answer", "transactions without an answer");
  note(nic.kept_.size(), "message that is to be sent again", "messages that are to be sent again");
  if (nic.untracked_) {
    note(nic.untracked_->size(), "credit or datagram without an answer",
         "credits and datagrams without an answer");
  }
  note(nic.chains_.size(), "chain of posts under way", "chains of posts under way");
  // What a source has given up may have left some here, until it posts the next one.
  const bool may_be_given_up = nic.untracked_ != nullptr;
  note(may_be_given_up ? 0 : nic.pieces_.size(), "transaction of which pieces are missing",
       "transactions of which pieces are missing");
  note(nic.bte_.busy_channels(), "DMA channel at work", "DMA channels at work");
  return found;
}

}  // namespace nic
