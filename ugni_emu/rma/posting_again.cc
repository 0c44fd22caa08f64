// A port's posts where transactions may fail: what is kept of them, and that they are made again.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "corespec/config/parameters.h"
#include "corespec/host/without_data.h"
#include "corespec/job/job.h"
#include "ugni_emu/rma/piece.h"

namespace rma {

bool RmaPort::keep(Piece& piece) {
  gni_post_descriptor_t& gni = piece.gni;
  const bool put = gni.type == GNI_POST_FMA_PUT || gni.type == GNI_POST_FMA_PUT_W_SYNCFLAG;
  const auto* const source = reinterpret_cast<const std::byte*>(gni.local_addr);
  if (put && !corespec::without_data::holds(source)) {
    piece.copy = std::make_unique_for_overwrite<std::byte[]>(gni.length);
    std::memcpy(piece.copy.get(), source, gni.length);
    gni.local_addr = address_of(piece.copy.get());
  }
  if (put) {
    piece.awaits_local = true;
    ++piece.completion->local;
  }
  piece.is_in_order = (put || gni.type == GNI_POST_AMO) &&
                      (gni.dlvr_mode & GNI_DLVMODE_IN_ORDER) == GNI_DLVMODE_IN_ORDER;
  if (!piece.is_in_order) return true;
  std::deque<Piece*>& line = in_order_[piece.peer];
  line.push_back(&piece);
  return line.size() == 1;
}

bool RmaPort::post_waiting() {
  bool any = false;
  while (!waiting_.empty() && try_post(*waiting_.front())) {
    waiting_.pop_front();
    any = true;
  }
  return any;
}

bool RmaPort::repeat(Piece& piece, gni_cq_entry_t entry) {
  std::uint32_t recoverable = 0;
  const bool does_no_harm =
      GNI_CQ_REM_OVERRUN(entry) ||
      (GNI_CqErrorRecoverable(entry, &recoverable) == GNI_RC_SUCCESS && recoverable != 0);
  if (!does_no_harm || piece.times_again >= process_->job().parameters().post_tries) return false;
  ++piece.times_again;
  waiting_.push_back(&piece);
  post_waiting();
  return true;
}

void RmaPort::note_failure(const Piece& piece, gni_cq_entry_t entry) {
  std::array<char, 256> text{};
  if (GNI_CQ_STATUS_OK(entry)) {
    fmt::format_to_n(text.data(), text.size() - 1, "the target's completion queue was full");
  } else {
    GNI_CqErrorStr(entry, text.data(), text.size());
  }
  const corespec::Job& job = process_->job();
  const int rank = piece.peer % job.size();
  failure_ =
      fmt::format("{} of {} bytes at rank {} (nid{:05}) failed: {}", protocol_of(piece.gni.type),
                  piece.gni.length, rank, job.nid_of(rank), text.data());
  if (piece.times_again != 0) {
    failure_ += fmt::format(" (posted {} times)", piece.times_again + 1);
  }
  if (!settings_.looks_at_results) fail_transfer();
}

void RmaPort::take_overrun(gni_return_t code, gni_cq_entry_t entry, const char* queue) const {
  if (code != GNI_RC_ERROR_RESOURCE || !GNI_CQ_OVERRUN(entry)) fail("GNI_CqGetEvent", code);
  if (!keeps_) end_job(fmt::format("an event of {} is lost: its queue was full", queue));
}

}  // namespace rma
