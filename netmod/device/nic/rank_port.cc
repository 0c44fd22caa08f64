// The rank's side of its NIC.
#include "netmod/device/nic/rank_port.h"

#include <fmt/format.h>

#include <cstdlib>

#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {
namespace {
constexpr std::size_t interrupt_page_bytes = 4096;
constexpr std::uint64_t dummy_bytes = 4;
constexpr std::size_t descriptor_chunk = 4;

/// The MPI function that the calling thread is in.
const char* this_call() {
  const corespec::Thread* const thread = corespec::this_thread_or_null();
  const char* const call = thread == nullptr ? nullptr : thread->call();
  return call == nullptr ? "MPI" : call;
}
}  // namespace

RankPort::RankPort(corespec::Process& process, const Settings& settings, MemorySlice& memory,
                   DeviceStatistics& statistics)
    : domain_(process.node().domain()),
      settings_(settings),
      keeps_(settings.parameters->transactions_may_fail()),
      statistics_(statistics),
      process_(process) {
  const corespec::Job& job = process.job();
  const corespec::Parameters& p = *settings.parameters;
  // Phase one needs the dummy write behind its data in the same channel.
  std::uint32_t modes = GNI_CDM_MODE_DUAL_EVENTS |  // of one-sided transfers
                        GNI_CDM_MODE_ERR_NO_KILL;   // failed_posts.cc
  if (settings.design == ProgressDesign::phase_one) modes |= GNI_CDM_MODE_BTE_SINGLE_CHANNEL;
  std::uint32_t address = 0;
  check("GNI_CdmCreate", GNI_CdmCreate(static_cast<std::uint32_t>(process.rank()), job.ptag(),
                                       job.cookie(), modes, &cdm_));
  check("GNI_CdmAttach", GNI_CdmAttach(cdm_, 0, &address, &nic_));
  if (keeps_) doors::keep_places(nic_);
  arrivals_ = &doors::arrival_signal(nic_);
  receive_queue_ = make_queue(p.recv_cq_size, GNI_CQ_NOBLOCK);
  message_queue_ = make_queue(p.local_cq_size, GNI_CQ_NOBLOCK);
  data_queue_ = make_queue(p.local_cq_size, GNI_CQ_NOBLOCK);
  doors::nobody_waits_for(message_queue_);
  if (settings.wakes_thread()) {
    check("GNI_SmsgSetDeliveryMode", GNI_SmsgSetDeliveryMode(nic_, eager_delivery()));
    blocking_receive_queue_ = make_queue(p.recv_cq_size, GNI_CQ_BLOCKING);
    interrupt_page_ = memory.take(interrupt_page_bytes);
    interrupt_handle_ =
        register_memory(interrupt_page_, interrupt_page_bytes, blocking_receive_queue_);
    self_ = make_endpoint(process.rank());
  }
  if (settings.design == ProgressDesign::phase_two) {
    blocking_data_queue_ = make_queue(p.local_cq_size, GNI_CQ_BLOCKING);
  }
}

RankPort::~RankPort() {
  if (self_ != nullptr) GNI_EpDestroy(self_);
  if (interrupt_page_ != nullptr) GNI_MemDeregister(nic_, &interrupt_handle_);
  for (gni_cq_handle_t queue : {receive_queue_, message_queue_, data_queue_,
                                blocking_receive_queue_, blocking_data_queue_}) {
    if (queue != nullptr) GNI_CqDestroy(queue);
  }
  if (cdm_ != nullptr) GNI_CdmDestroy(cdm_);
}

void RankPort::fail(const char* call, gni_return_t code) {
  process_.job().abort(
      process_, 1, fmt::format("MPI: {} failed: {}", call, gni_err_str[static_cast<int>(code)]));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void RankPort::fail_peer(corespec::Process& process, int peer, const char* what) {
  process.job().abort(
      process, 1,
      fmt::format("MPI: rank {} has sent what no rank sends ({}): has it another version of "
                  "Castor, or has its memory been overwritten?",
                  peer, what));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void RankPort::fail_memory(const void* data, std::uint64_t bytes, gni_return_t code) {
  const char* const fault = rma::memory_fault(code);
  if (fault == nullptr) fail("GNI_MemRegister", code);
  process_.job().abort(process_, 1,
                       fmt::format("{}: the {} bytes of a message are in memory at {}, {}",
                                   this_call(), bytes, data, fault));
  std::abort();  // not reached; the compiler does not trust a virtual [[noreturn]]
}

void RankPort::fail_message(int peer, std::uint64_t bytes, const char* why) {
  process_.job().abort(
      process_, 1,
      fmt::format("{}: the message of {} bytes from rank {} {} (allowed: both buffers from "
                  "MPI_Alloc_mem with castor_data=none, or neither)",
                  this_call(), bytes, peer, why));
  std::abort();  // not reached, as above
}

gni_cq_handle_t RankPort::make_queue(std::int64_t entries, gni_cq_mode_t mode) {
  gni_cq_handle_t queue = nullptr;
  check("GNI_CqCreate",
        GNI_CqCreate(nic_, static_cast<std::uint32_t>(entries), 0, mode, nullptr, nullptr, &queue));
  return queue;
}

gni_ep_handle_t RankPort::make_endpoint(int peer_rank) {
  gni_ep_handle_t endpoint = nullptr;
  check("GNI_EpCreate", GNI_EpCreate(nic_, message_queue_, &endpoint));
  check("GNI_EpBind",
        GNI_EpBind(endpoint, static_cast<std::uint32_t>(process_.job().nid_of(peer_rank)),
                   static_cast<std::uint32_t>(peer_rank)));
  return endpoint;
}

gni_mem_handle_t RankPort::register_memory(const std::byte* address, std::size_t bytes,
                                           gni_cq_handle_t queue) {
  gni_mem_handle_t handle{};
  gni_return_t code = GNI_RC_ERROR_RESOURCE;
  std::int64_t tries = settings_.parameters->post_tries;
  do {
    code = GNI_MemRegister(nic_, reinterpret_cast<std::uint64_t>(address), bytes, queue,
                           GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), &handle);
  } while (code == GNI_RC_ERROR_RESOURCE && tries-- > 0);
  check("GNI_MemRegister", code);
  return handle;
}

DataDescriptor* RankPort::take_descriptor() {
  if (free_descriptors_ == nullptr) {
    descriptor_chunks_.push_back(std::make_unique<DataDescriptor[]>(descriptor_chunk));
    for (std::size_t i = 0; i < descriptor_chunk; ++i) give_back(&descriptor_chunks_.back()[i]);
  }
  DataDescriptor* descriptor = free_descriptors_;
  free_descriptors_ = descriptor->next;
  *descriptor = DataDescriptor();
  return descriptor;
}

void RankPort::give_back(DataDescriptor* descriptor) {
  descriptor->kept.reset();
  descriptor->next = free_descriptors_;
  free_descriptors_ = descriptor;
}

bool RankPort::post_data(gni_ep_handle_t endpoint, DataDescriptor& descriptor) {
  gni_post_descriptor_t& gni = descriptor.gni;
  const bool get = descriptor.purpose == DataDescriptor::Purpose::read;
  gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
  gni.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
  gni.src_cq_hndl = data_queue_;
  if (gni.length <= settings_.rdma_threshold) {
    gni.type = get ? GNI_POST_FMA_GET : GNI_POST_FMA_PUT;
    const gni_return_t code = GNI_PostFma(endpoint, &gni);
    if (code == GNI_RC_ERROR_RESOURCE) return false;
    check("GNI_PostFma", code);
    ++data_events_due_;
    ++statistics_.data_descriptors;
    if (settings_.wakes_thread()) ++fma_gets_under_way;
    return true;
  }
  gni.type = get ? GNI_POST_RDMA_GET : GNI_POST_RDMA_PUT;
  if (settings_.design == ProgressDesign::phase_one) gni.rdma_mode = GNI_RDMAMODE_FENCE;
  if (settings_.design == ProgressDesign::phase_two) gni.src_cq_hndl = blocking_data_queue_;
  const gni_return_t code = GNI_PostRdma(endpoint, &gni);
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check("GNI_PostRdma", code);
  if (gni.src_cq_hndl == data_queue_) ++data_events_due_;
  ++statistics_.data_descriptors;
  return settings_.design != ProgressDesign::phase_one || post_dummy();
}

/// Posts what must not be left out. Where the queue has no room for its completion, others are on
/// their way: only the network is between them and here.
template <typename Post>
void RankPort::post_surely(const char* call, Post post) {
  for (;;) {
    const std::uint64_t epoch = arrival_signal().epoch();
    const gni_return_t code = post();
    if (code != GNI_RC_ERROR_RESOURCE) {
      check(call, code);
      ++message_events_due_;
      return;
    }
    if (reap_messages()) continue;
    corespec::this_thread().spin(arrival_signal(), epoch, settings_.parameters->poll_period);
  }
}

bool RankPort::look(gni_cq_handle_t queue) {
  if (doors::has_event(queue) || settings_.looks_by_public_calls()) return true;
  corespec::charge(settings_.parameters->cq_poll);
  return false;
}

bool RankPort::look(gni_ep_handle_t mailbox) {
  if (doors::has_message(mailbox) || settings_.looks_by_public_calls()) return true;
  corespec::charge(settings_.parameters->cq_poll);
  return false;
}

bool RankPort::look_at_datagrams() const {
  return doors::has_finished_datagram(nic_) || settings_.looks_by_public_calls();
}

bool RankPort::reap_messages() {
  const corespec::EventDomain::Hold hold(domain_);
  bool any = false;
  gni_cq_entry_t entry = 0;
  if (keeps_) errors_seen_ = doors::statistics(nic_).errors;
  for (;;) {
    if (message_events_due_ == 0) {  // the look that would find none
      corespec::charge(settings_.parameters->cq_poll);
      break;
    }
    if (!look(message_queue_)) break;
    const gni_return_t code = GNI_CqGetEvent(message_queue_, &entry);
    if (code == GNI_RC_NOT_DONE) break;
    const bool failed = code == GNI_RC_TRANSACTION_ERROR;
    if (!failed) check("GNI_CqGetEvent", code);
    --message_events_due_;
    any = true;
    if (GNI_CQ_GET_TYPE(entry) != GNI_CQ_EVENT_TYPE_POST) {
      message_event(entry, failed);
      continue;
    }
    gni_post_descriptor_t* gni = nullptr;
    const gni_return_t completed = GNI_GetCompleted(message_queue_, entry, &gni);
    if (!failed) check("GNI_GetCompleted", completed);
    if (gni == nullptr) continue;
    DataDescriptor& descriptor = *reinterpret_cast<DataDescriptor*>(gni);
    if (failed) {
      failed_post(entry, descriptor);
    } else {
      give_back(&descriptor);
    }
  }
  return any;
}

bool RankPort::post_dummy() {
  DataDescriptor& dummy = *take_descriptor();
  dummy.purpose = DataDescriptor::Purpose::dummy;
  if (keeps_) dummy.kept = std::make_unique<KeptPost>(KeptPost{{self_, process_.rank()}, 0, {}});
  gni_post_descriptor_t& gni = dummy.gni;
  gni.type = GNI_POST_RDMA_PUT;
  gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  gni.src_cq_hndl = message_queue_;  // no thread waits for it
  gni.local_addr = reinterpret_cast<std::uint64_t>(interrupt_page_);
  gni.local_mem_hndl = interrupt_handle_;
  gni.remote_addr = gni.local_addr + dummy_bytes;
  gni.remote_mem_hndl = interrupt_handle_;
  gni.length = dummy_bytes;
  post_surely("GNI_PostRdma", [&] { return GNI_PostRdma(self_, &gni); });
  ++statistics_.data_descriptors;
  ++statistics_.dummy_writes;
  return true;
}

gni_return_t RankPort::send(const Receiver& to, std::span<const std::byte> header,
                            std::span<const std::byte> data, ugni::Loan* loan) {
  if (!keeps_) {
    const auto msg_id = static_cast<std::uint32_t>(to.rank);  // if it fails
    const gni_return_t code = calls().send(to.endpoint, header, data, msg_id, loan);
    if (code == GNI_RC_SUCCESS) ++message_events_due_;
    return code;
  }
  DataDescriptor& message = keep(DataDescriptor::Purpose::message, to, header, data);
  message.kept->number = ++last_message_;
  const gni_return_t code = send_kept(message);
  if (code == GNI_RC_SUCCESS) {
    messages_.emplace(last_message_, &message);
  } else {
    give_back(&message);
  }
  return code;
}

bool RankPort::put_eager(const Receiver& to, gni_post_descriptor_t& gni,
                         std::span<const std::byte> header, std::span<const std::byte> data,
                         ugni::Loan* loan) {
  // The data is taken at the call: the event gives back its place in the queue, no more.
  gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  gni.dlvr_mode = eager_delivery();
  gni.src_cq_hndl = message_queue_;
  gni.type = GNI_POST_FMA_PUT;
  gni_return_t code = GNI_RC_SUCCESS;
  if (keeps_) {
    DataDescriptor& put = keep(DataDescriptor::Purpose::eager_put, to, header, data);
    put.gni = gni;
    code = put_kept(put);
    if (code != GNI_RC_SUCCESS) give_back(&put);
  } else {
    code = calls().put(*this, to.endpoint, gni, header, data, loan);
    if (code == GNI_RC_SUCCESS) ++message_events_due_;
  }
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check("GNI_PostFma", code);
  return true;
}

bool RankPort::put_eager_bte(gni_ep_handle_t endpoint, DataDescriptor& descriptor) {
  gni_post_descriptor_t& gni = descriptor.gni;
  gni.cq_mode = GNI_CQMODE_LOCAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  gni.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
  gni.src_cq_hndl = data_queue_;
  gni.type = GNI_POST_RDMA_PUT;
  const gni_return_t code = GNI_PostRdma(endpoint, &gni);
  if (code == GNI_RC_ERROR_RESOURCE) return false;
  check("GNI_PostRdma", code);
  ++data_events_due_;
  return true;
}

void RankPort::wake_peer(const Receiver& to) {
  DataDescriptor& descriptor = *take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::cq_write;
  if (keeps_) descriptor.kept = std::make_unique<KeptPost>(KeptPost{to, 0, {}});
  gni_post_descriptor_t& gni = descriptor.gni;
  gni.type = GNI_POST_CQWRITE;
  gni.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  gni.dlvr_mode = GNI_DLVMODE_IN_ORDER;
  gni.src_cq_hndl = message_queue_;
  gni.cqwrite_value = static_cast<std::uint64_t>(process_.rank());
  gni.remote_mem_hndl = to.interrupt;
  ++statistics_.cq_writes;
  post_surely("GNI_PostCqWrite", [&] { return GNI_PostCqWrite(to.endpoint, &gni); });
}

void RankPort::wake_self() { wake_peer({self_, process_.rank(), interrupt_handle_}); }

}  // namespace netmod
