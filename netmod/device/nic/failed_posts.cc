// Transactions that failed: posted again, or the end of the job.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "corespec/job/job.h"
#include "corespec/threads/thread.h"
#include "netmod/device/nic/rank_port.h"

namespace netmod {
namespace {

constexpr int status_of_sigkill = 137;  // 128 + 9: what the driver ends such a process with

const char* name_of(DataDescriptor::Purpose purpose) {
  using Purpose = DataDescriptor::Purpose;
  switch (purpose) {
    case Purpose::eager_put:
      return "eager PUT";
    case Purpose::read:
      return "rendezvous GET";
    case Purpose::write:
      return "rendezvous PUT";
    case Purpose::dummy:
      return "dummy write";
    case Purpose::cq_write:
      return "CQ write";
    case Purpose::message:
      break;
  }
  return "message";
}

}  // namespace

DataDescriptor& RankPort::keep(DataDescriptor::Purpose purpose, const Receiver& to,
                               std::span<const std::byte> header, std::span<const std::byte> data) {
  DataDescriptor& descriptor = *take_descriptor();
  descriptor.purpose = purpose;
  descriptor.kept = std::make_unique<KeptPost>();
  descriptor.kept->to = to;
  std::vector<std::byte>& bytes = descriptor.kept->bytes;
  bytes.reserve(header.size() + data.size());
  bytes.assign(header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return descriptor;
}

gni_return_t RankPort::send_kept(DataDescriptor& message) {
  KeptPost& kept = *message.kept;
  const gni_return_t code = calls().send(kept.to.endpoint, kept.bytes, {}, kept.number, nullptr);
  if (code == GNI_RC_SUCCESS) ++message_events_due_;
  return code;
}

gni_return_t RankPort::put_kept(DataDescriptor& put) {
  put.gni.local_addr = reinterpret_cast<std::uint64_t>(put.kept->bytes.data());
  const gni_return_t code = GNI_PostFma(put.kept->to.endpoint, &put.gni);
  if (code == GNI_RC_SUCCESS) ++message_events_due_;
  return code;
}

void RankPort::message_event(gni_cq_entry_t entry, bool failed) {
  const auto number = static_cast<std::uint32_t>(GNI_CQ_GET_MSG_ID(entry));
  if (!keeps_) {
    if (failed) fail_transaction(entry, number, DataDescriptor::Purpose::message, 0);
    return;
  }
  const auto found = messages_.find(number);
  if (found == messages_.end()) return;
  DataDescriptor& message = *found->second;
  if (failed) {
    failed_post(entry, message);
  } else {
    messages_.erase(found);
    give_back(&message);
  }
}

void RankPort::check_failure(gni_cq_entry_t entry, DataDescriptor& descriptor) {
  std::uint32_t recoverable = 0;
  GNI_CqErrorRecoverable(entry, &recoverable);
  const auto most = static_cast<std::uint32_t>(settings_.parameters->post_tries);
  if (recoverable != 0 && keeps_ && descriptor.tries < most) {
    ++descriptor.tries;
    return;
  }
  const auto rank = descriptor.purpose == DataDescriptor::Purpose::message
                        ? static_cast<std::uint32_t>(descriptor.kept->to.rank)
                        : static_cast<std::uint32_t>(GNI_CQ_GET_INST_ID(entry));
  fail_transaction(entry, rank, descriptor.purpose, descriptor.tries);
}

void RankPort::failed_post(gni_cq_entry_t entry, DataDescriptor& descriptor) {
  // A peer that was to be woken for a message has taken it, and may be gone. The own thread is
  // woken to end.
  const auto woken = static_cast<int>(GNI_CQ_GET_INST_ID(entry));
  if (leaves_ && descriptor.purpose == DataDescriptor::Purpose::cq_write &&
      woken != process_.rank()) {
    give_back(&descriptor);
    return;
  }
  check_failure(entry, descriptor);
  again_.push_back(&descriptor);
}

void RankPort::failed_late(gni_cq_entry_t entry, DataDescriptor& descriptor) {
  check_failure(entry, descriptor);
  DataDescriptor& put = *take_descriptor();
  put.purpose = descriptor.purpose;
  put.tries = descriptor.tries;
  put.kept = std::make_unique<KeptPost>(std::move(*descriptor.kept));
  put.gni = descriptor.gni;
  put.gni.type = GNI_POST_FMA_PUT;
  put.gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  put.gni.dlvr_mode = eager_delivery();
  put.gni.src_cq_hndl = message_queue_;
  again_.push_back(&put);
}

bool RankPort::post_again() {
  bool any = false;
  // Each of those that wait now has one try: what is posted here may let others fail.
  for (std::size_t left = again_.size(); left != 0; --left) {
    DataDescriptor& descriptor = *again_.front();
    again_.pop_front();
    if (!try_again(descriptor)) {
      again_.push_back(&descriptor);
      continue;
    }
    any = true;
  }
  return any;
}

bool RankPort::try_again(DataDescriptor& descriptor) {
  using Purpose = DataDescriptor::Purpose;
  const Receiver to = descriptor.kept->to;
  const char* call = nullptr;
  gni_return_t code = GNI_RC_SUCCESS;
  switch (descriptor.purpose) {
    case Purpose::message:
      call = "GNI_SmsgSendWTag";
      code = send_kept(descriptor);
      break;
    case Purpose::eager_put:
      call = "GNI_PostFma";
      code = put_kept(descriptor);
      break;
    case Purpose::cq_write:
      call = "GNI_PostCqWrite";
      code = GNI_PostCqWrite(to.endpoint, &descriptor.gni);
      if (code == GNI_RC_SUCCESS) ++message_events_due_;
      break;
    case Purpose::dummy:
      call = "GNI_PostRdma";
      code = GNI_PostRdma(to.endpoint, &descriptor.gni);
      if (code == GNI_RC_SUCCESS) ++message_events_due_;
      break;
    case Purpose::read:
    case Purpose::write:
      return true;  // Rendezvous does
  }
  if (code == GNI_RC_NOT_DONE || code == GNI_RC_ERROR_RESOURCE) return false;
  check(call, code);
  // The CQ write that followed it came too early: the peer's thread sleeps again.
  const bool is_packet =
      descriptor.purpose == Purpose::message || descriptor.purpose == Purpose::eager_put;
  if (is_packet && settings_.wakes_thread()) wake_peer(to);
  return true;
}

void RankPort::fail_transaction(gni_cq_entry_t entry, std::uint32_t rank,
                                DataDescriptor::Purpose purpose, std::uint32_t tries) {
  std::array<char, 256> why{};
  GNI_CqErrorStr(entry, why.data(), why.size());
  const auto peer = static_cast<int>(rank);
  const bool is_known = peer >= 0 && peer < process_.job().size();
  const std::string target =
      is_known ? fmt::format(" (to nid{:05})", process_.job().nid_of(peer)) : std::string();
  const std::string posted = tries == 0 ? "" : fmt::format(", posted {} times", tries + 1);
  process_.job().abort(process_, status_of_sigkill,
                       fmt::format("killed: {}{}: MPI's {} to rank {}{}", why.data(), target,
                                   name_of(purpose), peer, posted));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

}  // namespace netmod
