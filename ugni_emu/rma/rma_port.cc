// One process's one-sided access to its job over uGNI.
#include "ugni_emu/rma/rma_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/observed_thread.h"
#include "corespec/threads/situation.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/rma/piece.h"

namespace rma {
namespace {

constexpr std::uint64_t word_bytes = 4;  ///< what GETs move whole
constexpr std::uint64_t bounce_bytes = 16384;
constexpr std::uint64_t amo_bytes = 8;

std::uint64_t down(std::uint64_t value, std::uint64_t unit) { return value - value % unit; }
std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return down(value + unit - 1, unit); }

}  // namespace

/// Source bytes [from, from + window) are whole words; [from + skip, ... + bytes) of them go to
/// `target`, directly if that is all of them.
struct RmaPort::Fetch {
  std::uint64_t from;
  std::uint64_t window;
  std::uint64_t skip;
  std::uint64_t bytes;
  std::uint64_t target;
  bool direct;
};

namespace {

/// Cuts a GET into pieces and calls `use` with each.
template <typename Fetch, typename Use>
void for_each_fetch(std::uint64_t target, std::uint64_t source, std::uint64_t bytes, Use use) {
  const auto through_buffer = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = down(begin, word_bytes);
    use(Fetch{from, up(end, word_bytes) - from, begin - from, end - begin,
              target + (begin - source), false});
  };
  const std::uint64_t end = source + bytes;
  const bool same_phase = source % word_bytes == target % word_bytes;
  const std::uint64_t first = up(source, word_bytes);
  const std::uint64_t last = down(end, word_bytes);
  const bool whole_words = first == source && last == end;
  if (same_phase && (whole_words || bytes > bounce_bytes)) {
    if (source < first) through_buffer(source, first);
    use(Fetch{first, last - first, 0, last - first, target + (first - source), true});
    if (last < end) through_buffer(last, end);
    return;
  }
  for (std::uint64_t begin = source; begin < end;) {
    const std::uint64_t stop = std::min(end, down(begin, word_bytes) + bounce_bytes);
    through_buffer(begin, stop);
    begin = stop;
  }
}

}  // namespace

const char* memory_fault(gni_return_t result) {
  switch (result) {
    case GNI_RC_INVALID_PARAM:
      return "which is not there";
    case GNI_RC_PERMISSION_ERROR:
      return "which must not be written";
    case GNI_RC_ERROR_RESOURCE:
      return "for which the NIC has no room";
    default:
      return nullptr;
  }
}

RmaPort::RmaPort(corespec::Process& process, const char* name, const Settings& settings)
    : process_(&process),
      name_(name),
      settings_(settings),
      keeps_(process.job().parameters().transactions_may_fail()) {
  const corespec::Job& job = process.job();
  std::uint32_t address = 0;
  const std::uint32_t modes = GNI_CDM_MODE_DUAL_EVENTS | GNI_CDM_MODE_ERR_NO_KILL;
  gni_return_t code = GNI_CdmCreate(
      static_cast<std::uint32_t>(settings.instance_group * job.size() + process.rank()), job.ptag(),
      job.cookie() + settings.cookie_offset, modes, &cdm_);
  if (code != GNI_RC_SUCCESS) fail("GNI_CdmCreate", code);
  code = GNI_CdmAttach(cdm_, 0, &address, &nic_);
  if (code != GNI_RC_SUCCESS) fail("GNI_CdmAttach", code);
  open();
}

RmaPort::RmaPort(corespec::Process& process, const char* name, const Settings& settings,
                 gni_nic_handle_t nic)
    : process_(&process),
      name_(name),
      settings_(settings),
      nic_(nic),
      keeps_(process.job().parameters().transactions_may_fail()) {
  settings_.instance_group = 0;
  open();
}

void RmaPort::open() {
  queue_ = make_queue(2 * settings_.most_outstanding, settings_.queue_mode);
  arrivals_ = &doors::arrival_signal(nic_);
  registrations_ = std::make_unique<RegistrationCache>(
      nic_, RegistrationCache::Limits::of(process_->job().parameters()));
}

RmaPort::~RmaPort() {
  for (auto& chunk : chunks_) {
    GNI_MemDeregister(nic_, &chunk->words_handle);
    for (Piece& piece : chunk->pieces) {
      if (piece.bounce) GNI_MemDeregister(nic_, &piece.bounce_handle);
    }
  }
  registrations_.reset();
  for (const auto* endpoints : {&endpoints_, &quiet_endpoints_}) {
    for (const auto& [peer, endpoint] : *endpoints) GNI_EpDestroy(endpoint);
  }
  if (quiet_queue_ != nullptr) GNI_CqDestroy(quiet_queue_);
  if (queue_ != nullptr) GNI_CqDestroy(queue_);
  if (cdm_ != nullptr) GNI_CdmDestroy(cdm_);
}

void RmaPort::end_job(const std::string& why) const {
  process_->job().abort(*process_, 1, fmt::format("{}: {}", name_, why));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void RmaPort::fail(const char* call, gni_return_t code) const {
  end_job(fmt::format("{} failed: {}", call, gni_err_str[code]));
}

void RmaPort::fail_transfer() const { end_job(failure_); }

void RmaPort::change(const Settings& settings) {
  const bool window_changes = settings.most_outstanding != settings_.most_outstanding;
  settings_ = settings;
  if (!window_changes) return;
  GNI_CqDestroy(queue_);
  queue_ = make_queue(2 * settings.most_outstanding, settings.queue_mode);
}

gni_cq_handle_t RmaPort::make_queue(std::uint32_t entries, gni_cq_mode_t mode) {
  gni_cq_handle_t queue = nullptr;
  const gni_return_t code = GNI_CqCreate(nic_, entries, 0, mode, nullptr, nullptr, &queue);
  if (code != GNI_RC_SUCCESS) fail("GNI_CqCreate", code);
  return queue;
}

gni_return_t RmaPort::register_memory(const void* address, std::uint64_t bytes,
                                      gni_cq_handle_t queue, gni_mem_handle_t& handle) {
  const std::uint64_t begin = down(address_of(address), granule);
  const std::uint64_t end = up(address_of(address) + bytes, granule);
  gni_return_t code = GNI_RC_SUCCESS;
  std::int64_t tries = process_->job().parameters().post_tries;
  do {
    code = GNI_MemRegister(nic_, begin, end - begin, queue, GNI_MEM_READWRITE,
                           static_cast<std::uint32_t>(-1), &handle);
  } while (code == GNI_RC_ERROR_RESOURCE && (registrations_->drop_oldest() || tries-- > 0));
  return code;
}

gni_return_t RmaPort::deregister_memory(gni_mem_handle_t& handle) {
  return GNI_MemDeregister(nic_, &handle);
}

gni_ep_handle_t RmaPort::endpoint(int peer, bool quiet) {
  gni_ep_handle_t& endpoint = (quiet ? quiet_endpoints_ : endpoints_)[peer];
  if (endpoint != nullptr) return endpoint;
  if (quiet && quiet_queue_ == nullptr) {
    quiet_queue_ = make_queue(2 * settings_.most_outstanding, GNI_CQ_NOBLOCK);
  }
  gni_return_t code = GNI_EpCreate(nic_, quiet ? quiet_queue_ : queue_, &endpoint);
  if (code != GNI_RC_SUCCESS) fail("GNI_EpCreate", code);
  code = GNI_EpBind(
      endpoint, static_cast<std::uint32_t>(process_->job().nid_of(peer % process_->job().size())),
      static_cast<std::uint32_t>(peer));
  if (code != GNI_RC_SUCCESS) fail("GNI_EpBind", code);
  return endpoint;
}

RmaPort::Piece* RmaPort::take_piece() {
  if (free_ == nullptr) {
    chunks_.push_back(std::make_unique<Chunk>());
    Chunk& chunk = *chunks_.back();
    register_own(chunk.words, sizeof chunk.words, chunk.words_handle);
    for (std::size_t i = 0; i < pieces_in_chunk; ++i) {
      Piece& piece = chunk.pieces[i];
      piece.word = &chunk.words[i];
      piece.word_handle = &chunk.words_handle;
      give_back(&piece);
    }
  }
  Piece* piece = free_;
  free_ = piece->next;
  piece->gni = gni_post_descriptor_t{};
  piece->registration = nullptr;
  piece->copy_to = nullptr;
  piece->awaits_local = false;
  piece->has_event = false;
  piece->is_in_order = false;
  piece->times_again = 0;
  return piece;
}

RmaPort::Piece& RmaPort::piece_for(Completion& completion, const gni_mem_handle_t& handle,
                                   std::uint64_t remote, gni_post_type_t type,
                                   std::uint16_t delivery) {
  Piece& piece = *take_piece();
  piece.completion = &completion;
  piece.gni.remote_mem_hndl = handle;
  piece.gni.remote_addr = remote;
  piece.gni.type = type;
  piece.gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  piece.gni.dlvr_mode = delivery;
  return piece;
}

RmaPort::Piece* RmaPort::piece_to_put(Completion& completion, const gni_mem_handle_t& handle,
                                      std::uint64_t target, const void* source,
                                      std::uint64_t bytes) {
  const bool fma = bytes <= settings_.offload_threshold;
  Piece& piece = piece_for(completion, handle, target, fma ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT,
                           fma ? settings_.fma_put_delivery : settings_.bte_put_delivery);
  piece.gni.local_addr = address_of(source);
  if (!fma) {
    if (!register_local(piece, source, bytes, Use::reads)) return nullptr;
    piece.gni.cq_mode = GNI_CQMODE_DUAL_EVENTS;
    piece.awaits_local = true;
  }
  return &piece;
}

void RmaPort::give_back(Piece* piece) {
  piece->next = free_;
  free_ = piece;
}

/// Posts what `piece.gni` says; its kind is set. The window has room for it, and the NIC's table of
/// posts is so large that waiting for it is no deadlock.
void RmaPort::post(Piece& piece, int peer, std::uint64_t bytes) {
  gni_post_descriptor_t& gni = piece.gni;
  const bool quiet = piece.completion->quiet && !keeps_;
  piece.peer = peer;
  piece.endpoint = endpoint(peer, quiet);
  gni.length = bytes;
  gni.src_cq_hndl = quiet ? quiet_queue_ : queue_;
  ++outstanding_;
  ++piece.completion->global;
  if (piece.awaits_local) ++piece.completion->local;
  if (!keeps_ || keep(piece)) insist([&] { return try_post(piece); });
  corespec::observe_message(process_->node().domain(), corespec::Occurrence::Kind::transfer_posted,
                            {peer % process_->job().size(), 0, bytes, protocol_of(gni.type)});
}

bool RmaPort::try_post(Piece& piece) {
  gni_post_descriptor_t& gni = piece.gni;
  if (piece.has_event) {
    const gni_return_t code =
        GNI_EpSetEventData(piece.endpoint, static_cast<std::uint32_t>(piece.peer), piece.event);
    if (code != GNI_RC_SUCCESS) fail("GNI_EpSetEventData", code);
  }
  const bool fma = gni.type != GNI_POST_RDMA_PUT && gni.type != GNI_POST_RDMA_GET;
  const gni_return_t code =
      fma ? GNI_PostFma(piece.endpoint, &gni) : GNI_PostRdma(piece.endpoint, &gni);
  if (code != GNI_RC_SUCCESS && code != GNI_RC_ERROR_RESOURCE) {
    fail(fma ? "GNI_PostFma" : "GNI_PostRdma", code);
  }
  return code == GNI_RC_SUCCESS;
}

bool RmaPort::put(Completion& completion, int peer, const void* source, std::uint64_t target,
                  const gni_mem_handle_t& handle, std::uint64_t bytes) {
  if (!room(1)) return false;
  Piece* const piece = piece_to_put(completion, handle, target, source, bytes);
  if (piece != nullptr) post(*piece, peer, bytes);
  return true;
}

bool RmaPort::put_with_event(Completion& completion, int peer, const void* source,
                             std::uint64_t target, const gni_mem_handle_t& handle,
                             std::uint64_t bytes, std::uint32_t event) {
  if (!room(1)) return false;
  Piece* const piece = piece_to_put(completion, handle, target, source, bytes);
  if (piece == nullptr) return true;
  piece->gni.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
  piece->has_event = true;
  piece->event = event;
  post(*piece, peer, bytes);
  return true;
}

bool RmaPort::put_with_flag(Completion& completion, int peer, const void* source,
                            std::uint64_t target, const gni_mem_handle_t& handle,
                            std::uint64_t bytes, std::uint64_t flag, std::uint64_t value) {
  if (!room(1)) return false;
  Piece& piece = piece_for(completion, handle, target, GNI_POST_FMA_PUT_W_SYNCFLAG,
                           settings_.fma_put_delivery);
  piece.gni.local_addr = address_of(source);
  piece.gni.sync_flag_addr = flag;
  piece.gni.sync_flag_value = value;
  post(piece, peer, bytes);
  return true;
}

bool RmaPort::get(Completion& completion, int peer, void* target, std::uint64_t source,
                  const gni_mem_handle_t& handle, std::uint64_t bytes) {
  std::uint32_t posts = 0;
  for_each_fetch<Fetch>(address_of(target), source, bytes, [&](const Fetch&) { ++posts; });
  // More pieces than the window holds go when nothing else is under way, and wait for each other.
  if (!room(posts) && outstanding_ != 0) return false;
  for_each_fetch<Fetch>(address_of(target), source, bytes, [&](const Fetch& fetch) {
    if (!room(1)) wait_until([this] { return room(1); });
    const bool fma = fetch.window <= settings_.offload_threshold;
    Piece& piece = piece_for(completion, handle, fetch.from,
                             fma ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET, settings_.get_delivery);
    if (fetch.direct) {
      piece.gni.local_addr = fetch.target;
      auto* const target_memory = reinterpret_cast<void*>(fetch.target);
      if (!register_local(piece, target_memory, fetch.window, Use::writes)) return;
    } else {
      land_in_buffer(piece, fetch);
    }
    post(piece, peer, fetch.window);
  });
  return true;
}

bool RmaPort::register_local(Piece& piece, const void* memory, std::uint64_t bytes, Use use) {
  piece.registration = registrations_->acquire(memory, bytes);
  if (piece.registration == nullptr) {
    return cannot_use(piece, memory, bytes, registrations_->failure());
  }
  if (use == Use::writes && piece.registration->read_only) {
    registrations_->release(piece.registration);
    return cannot_use(piece, memory, bytes, GNI_RC_PERMISSION_ERROR);
  }
  piece.gni.local_mem_hndl = piece.registration->handle;
  return true;
}

bool RmaPort::cannot_use(Piece& piece, const void* memory, std::uint64_t bytes, gni_return_t code) {
  if (!piece.completion->tells_bad_memory) {
    fail(fmt::format("GNI_MemRegister of a transfer's local memory [0x{:x}, 0x{:x})",
                     address_of(memory), address_of(memory) + bytes)
             .c_str(),
         code);
  }
  if (piece.completion->result == GNI_RC_SUCCESS) piece.completion->result = code;
  give_back(&piece);
  return false;
}

void RmaPort::register_own(const void* memory, std::uint64_t bytes, gni_mem_handle_t& handle) {
  const gni_return_t code = register_memory(memory, bytes, nullptr, handle);
  if (code != GNI_RC_SUCCESS) fail("GNI_MemRegister", code);
}

void RmaPort::land_in_buffer(Piece& piece, const Fetch& fetch) {
  if (fetch.window <= amo_bytes) {
    piece.gni.local_addr = address_of(piece.word);
    piece.gni.local_mem_hndl = *piece.word_handle;
  } else {
    if (!piece.bounce) {
      piece.bounce = std::make_unique<std::byte[]>(bounce_bytes);
      register_own(piece.bounce.get(), bounce_bytes, piece.bounce_handle);
    }
    piece.gni.local_addr = address_of(piece.bounce.get());
    piece.gni.local_mem_hndl = piece.bounce_handle;
  }
  piece.landed = reinterpret_cast<const std::byte*>(piece.gni.local_addr) + fetch.skip;
  piece.copy_to = reinterpret_cast<std::byte*>(fetch.target);
  piece.copy_bytes = fetch.bytes;
}

bool RmaPort::atomic(Completion& completion, int peer, gni_fma_cmd_type_t command,
                     std::uint64_t target, const gni_mem_handle_t& handle, std::uint64_t first,
                     std::uint64_t second, void* result) {
  if (!room(1)) return false;
  Piece& piece = piece_for(completion, handle, target, GNI_POST_AMO, settings_.amo_delivery);
  piece.gni.amo_cmd = command;
  piece.gni.first_operand = first;
  piece.gni.second_operand = second;
  piece.gni.local_addr = address_of(piece.word);
  piece.gni.local_mem_hndl = *piece.word_handle;
  if (result != nullptr) {
    piece.landed = reinterpret_cast<const std::byte*>(piece.word);
    piece.copy_to = static_cast<std::byte*>(result);
    piece.copy_bytes = amo_bytes;
  }
  post(piece, peer, amo_bytes);
  return true;
}

bool RmaPort::poll() {
  bool any = post_waiting();
  any = poll(queue_) || any;
  return (quiet_queue_ != nullptr && poll(quiet_queue_)) || any;
}

bool RmaPort::poll(gni_cq_handle_t queue) {
  bool any = false;
  gni_cq_entry_t entry = 0;
  for (;;) {
    const gni_return_t code = GNI_CqGetEvent(queue, &entry);
    if (code == GNI_RC_NOT_DONE) return any;
    take(queue, code, entry);
    any = true;
  }
}

void RmaPort::take(gni_return_t code, gni_cq_entry_t entry) { take(queue_, code, entry); }

void RmaPort::take(gni_cq_handle_t queue, gni_return_t code, gni_cq_entry_t entry) {
  if (code != GNI_RC_SUCCESS && code != GNI_RC_TRANSACTION_ERROR) fail("GNI_CqGetEvent", code);
  gni_post_descriptor_t* descriptor = nullptr;
  gni_return_t result = GNI_GetCompleted(queue, entry, &descriptor);
  if (descriptor == nullptr) fail("GNI_GetCompleted", result);
  Piece& piece = *reinterpret_cast<Piece*>(descriptor);
  // The other event says what has become of it: it may have failed after its data had left.
  const bool more = piece.awaits_local && piece.gni.cq_mode_complete == GNI_CQMODE_LOCAL_EVENT;
  if (keeps_ && more) return;
  if (piece.has_event && GNI_CQ_REM_OVERRUN(entry)) result = GNI_RC_TRANSACTION_ERROR;
  if (result != GNI_RC_SUCCESS) [[unlikely]] {
    if (keeps_ && repeat(piece, entry)) return;
    note_failure(piece, entry);
    if (piece.completion->result == GNI_RC_SUCCESS) piece.completion->result = result;
  }
  if (piece.awaits_local) {
    piece.awaits_local = false;
    --piece.completion->local;
    registrations_->release(piece.registration);
    piece.registration = nullptr;
    if (more) return;
  }
  finish(piece);
}

void RmaPort::finish(Piece& piece) {
  if (piece.copy_to != nullptr && piece.gni.status == GNI_RC_SUCCESS) {
    std::memcpy(piece.copy_to, piece.landed, piece.copy_bytes);
    corespec::charge(
        corespec::Time::for_bytes(piece.copy_bytes, process_->job().parameters().memory_copy));
  }
  registrations_->release(piece.registration);
  Completion& completion = *piece.completion;
  --completion.global;
  --outstanding_;
  piece.copy.reset();
  if (piece.is_in_order) {
    std::deque<Piece*>& line = in_order_[piece.peer];
    line.pop_front();
    if (!line.empty()) waiting_.push_back(line.front());
  }
  give_back(&piece);
  if (completion.listener != nullptr && completion.complete()) {
    completion.listener->completed(completion);
  }
  if (!waiting_.empty()) post_waiting();
}

namespace {

/// For a user's question what the rank does.
class AwaitedTransfers final : public corespec::Awaited {
 public:
  AwaitedTransfers(corespec::Thread& thread, const RmaPort& port) : Awaited(thread), port_(port) {}
  bool describe(corespec::Situation& to) const override {
    if (port_.outstanding() == 0) return false;
    to.details = fmt::format(": one-sided transfers under way: {}", port_.outstanding());
    return true;
  }

 private:
  const RmaPort& port_;
};

}  // namespace

void RmaPort::spin(std::uint64_t seen) {
  corespec::Thread& thread = corespec::this_thread();
  const AwaitedTransfers for_people(thread, *this);
  thread.spin(*arrivals_, seen, process_->job().parameters().poll_period, nullptr,
              settings_.gives_way);
}

}  // namespace rma
