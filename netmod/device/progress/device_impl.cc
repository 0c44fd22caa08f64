// A rank's device: requests in, passes over the queues, requests out.
#include "netmod/device/progress/device_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "netmod/device/messages/device_prefetch.h"
#include "netmod/device/messages/observed_message.h"
#include "netmod/device/progress/progress_thread.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {
namespace {

/// Fewer bytes are cheaper copied than kept track of.
constexpr std::size_t lends_from = 256;

RequestImpl& impl(Request& request) { return static_cast<RequestImpl&>(request); }

int ranks_on_node(const corespec::Process& process) {
  return static_cast<int>(process.job().ranks_on(process.node().nid()).size());
}

}  // namespace

std::unique_ptr<Device> Device::open(corespec::Process& process, ThreadLevel requested,
                                     GniCalls calls) {
  Settings settings = make_settings(process.job().parameters(), process.job().size(), requested);
  settings.calls = calls;
  settings.tracks = doors::EndpointLog::of(process) != nullptr;
  if (process.rank() == 0 && process.job().parameters().version_display) {
    process.job().report(process, "MPI VERSION: Castor " CASTOR_VERSION ", MPICH ABI 12");
  }
  return std::make_unique<DeviceImpl>(process, settings);
}

DeviceImpl::DeviceImpl(corespec::Process& process, const Settings& settings)
    : job_(process.job()),
      domain_(process.node().domain()),
      ranks_per_node_(static_cast<std::uint32_t>(job_.ranks_per_node())),
      first_on_node_(process.rank() - process.local_rank()),
      settings_(settings),
      rendezvous_(settings_, port_, connections_, cache_, names_, statistics_, contexts(), *this),
      process_(process),
      main_(corespec::this_thread()),
      memory_(process, ranks_on_node(process)),
      port_(process, settings_, memory_, statistics_),
      connections_(process, settings_, port_, memory_, statistics_, *this),
      shared_(process, ranks_on_node(process), doors::payload_pool(port_.nic()), settings_, names_,
              *this, *this),
      cache_(port_.nic(), rma::RegistrationCache::Limits::of(*settings_.parameters)),
      contexts_(process) {
  port_.arrival_signal().set_reader(this);
  if (settings_.locked()) lock_ = process.node().make_mutex();
  if (settings_.design != ProgressDesign::none) {
    progress_thread_ = std::make_unique<ProgressThread>(*this);
    progress_thread_->start();
  }
  process_.set_barrier_service(this);
}

DeviceImpl::~DeviceImpl() {
  process_.set_barrier_service(nullptr);
  const corespec::EventDomain::Hold hold(domain_);
  requests_.for_each([](RequestImpl& request) { request.abandon_loan(); });
  shared_.drop_arrivals();
  matching_.drop_unexpected();
  port_.arrival_signal().set_reader(nullptr);
  one_sided_.reset();
}

// ---- sending

RequestImpl& DeviceImpl::new_send(int destination) {
  RequestImpl& request = *requests_.take();
  request.kind = RequestImpl::Kind::send;
  request.peer = destination;
  if (settings_.tracks) [[unlikely]]
    contexts_.begin(request);
  ++sends_under_way_;
  return request;
}

Request* DeviceImpl::send(const void* data, std::size_t bytes, int destination,
                          const Envelope& envelope, SendMode mode, DataStays stays) {
  corespec::charge(settings_.parameters->mpi_send);
  RequestImpl& request = new_send(destination);
  request.number = ++last_number_;
  if (request.number == 0) request.number = ++last_number_;  // they have come round
  request.synchronous = mode == SendMode::synchronous;
  request.may_lend = stays == DataStays::until_released && bytes >= lends_from;
  request.envelope = envelope;
  request.data = static_cast<std::byte*>(const_cast<void*>(data));
  request.bytes = bytes;
  if (on_this_node(destination)) {
    shared_.send(request);
  } else {
    connections_.send(connections_.to(destination), request);
  }
  return &request;
}

const char* DeviceImpl::eager_protocol(std::uint64_t bytes) const {
  return bytes <= settings_.vshort ? protocol::e0 : protocol::e1;
}

bool DeviceImpl::transmit(Connection& connection, RequestImpl& request) {
  const ActingFor acting(contexts(), request);
  const bool eager = !request.synchronous && request.bytes < settings_.max_eager;
  bool sent = false;
  if (eager && (request.bytes <= settings_.vshort || connection.remote_ring.units() != 0)) {
    PacketHeader header;
    header.kind = PacketKind::eager;
    header.envelope = request.envelope;
    header.bytes = request.bytes;
    header.send_request = request.number;
    header.without_data = request.without_data();
    const std::byte* const data = request.eager_data();
    ugni::Loan* const loan = request.begin_loan();
    sent = request.bytes <= settings_.vshort
               ? connections_.send_message(connection, header, data, request.bytes, loan)
               : connections_.send_buffered(connection, header, data, request.bytes, loan);
    if (loan != nullptr) request.settle_loan();
    if (!sent) return false;
    observe_sent(domain_, request, PacketKind::eager, request.number,
                 eager_protocol(request.bytes));
    request.finish_sent();
    request_complete(request);
    return true;
  }
  request.number = 0;
  if (!rendezvous_.announce(connection, request)) return false;
  observe_sent(domain_, request, PacketKind::rts, request.rendezvous->name, protocol::rendezvous);
  return true;
}

// ---- control

void DeviceImpl::control_arrived(Connection& connection, const ControlPacket& packet) {
  const PacketKind kind = packet.header.kind;
  if (kind != PacketKind::cancel && kind != PacketKind::recall) {
    rendezvous_.control_arrived(connection, packet);
    return;
  }
  corespec::charge(settings_.parameters->control_message);
  const bool dropped = matching_.drop(connection.peer, packet.header);
  if (!dropped && kind == PacketKind::cancel) return;
  ControlPacket answer;
  answer.header.kind = dropped ? PacketKind::cancelled : PacketKind::kept;
  answer.header.send_request = packet.header.send_request;
  connections_.send_control(connection, answer);
}

bool DeviceImpl::local_cancel_arrived(int peer, const PacketHeader& header) {
  return matching_.drop(peer, header);
}

// ---- completion

void DeviceImpl::request_complete(RequestImpl& request) {
  if (request.kind == RequestImpl::Kind::send) --sends_under_way_;
  if (request.released) requests_.give_back(&request);
}

void DeviceImpl::end_loan(Request& request) {
  if (!request.lends()) return;
  const corespec::EventDomain::Hold hold(domain_);  // the payload belongs to it
  impl(request).end_loan();
}

void DeviceImpl::release(Request* request) {
  RequestImpl& released = impl(*request);
  if (released.complete()) {
    end_loan(released);
    requests_.give_back(&released);
  } else {
    released.released = true;
  }
}

void DeviceImpl::cancel(Request& request) {
  RequestImpl& cancelled = impl(request);
  if (cancelled.complete()) return;
  const bool withdrawn = cancelled.kind == RequestImpl::Kind::receive
                             ? cancelled.queued && (matching_.unpost(cancelled), true)
                         : on_this_node(cancelled.peer) ? shared_.withdraw(cancelled)
                                                        : connections_.withdraw(cancelled);
  if (!withdrawn) {
    if (cancelled.kind == RequestImpl::Kind::send) ask_back(cancelled);
    return;
  }
  if (cancelled.rendezvous) cache_.release(cancelled.rendezvous->registration);
  cancelled.rendezvous.reset();
  cancelled.finish_cancelled();
  request_complete(cancelled);
}

void DeviceImpl::ask_back(RequestImpl& send) {
  if (on_this_node(send.peer)) {
    shared_.ask_back(send);
    return;
  }
  rendezvous_.ask_back(connections_.to(send.peer), send);
}

Request* DeviceImpl::recall(const SentMessage& message) {
  RequestImpl& request = new_send(message.peer);
  if (on_this_node(message.peer)) {
    shared_.recall(request, message.number);
    return &request;
  }
  rendezvous_.recall(connections_.to(message.peer), request, message.number);
  return &request;
}

void DeviceImpl::wake() {
  corespec::this_thread().sync();
  port_.arrival_signal().notify();
}

// ---- progress

void DeviceImpl::progress() {
  corespec::charge(settings_.parameters->cq_poll);
  corespec::this_thread().sync();
  pass();
  finish_fma_gets();
}

void DeviceImpl::wait_until(const Condition& awaited) {
  if (awaited.holds()) return;
  corespec::Thread& thread = corespec::this_thread();
  const corespec::Signal& arrivals = port_.arrival_signal();
  // By the progress thread, if there is one.
  const bool seen = progress_thread_ && thread.role() == corespec::ThreadRole::application;
  // The rank's other threads see this one in the engine once it has worked off its charges. A
  // single thread need not catch up before it has found nothing: spin() does that.
  if (lock_) thread.sync();
  if (seen) ++in_engine_;
  for (;;) {
    const std::uint64_t epoch = arrivals.epoch();
    const bool changed = pass(&awaited);
    if (awaited.holds()) break;
    if (!changed) {
      thread.spin(arrivals, epoch, settings_.parameters->poll_period, lock_.get());
      prefetch_look_now(*this);
    }
  }
  if (seen) --in_engine_;
  // A progress thread that saw this one here went back to sleep: this one takes in what woke it.
  if (settings_.wakes_thread()) {
    thread.sync();
    pass();
    finish_fma_gets();
  }
}

bool DeviceImpl::all_quiet() const {
  return port_.arrival_signal().epoch() == polled_epoch_ && !shared_.has_work() &&
         !connections_.busy() && !connections_.has_undrained() && !rendezvous_.busy() &&
         !port_.waits_to_post() && !port_.has_failed() &&
         !(progress_thread_ && progress_thread_->has_moved());
}

bool DeviceImpl::pass(const Condition* awaited) {
  const corespec::EventDomain::Hold hold(domain_);
  if (all_quiet()) {  // the looks at the queues would find them empty
    corespec::charge(settings_.parameters->cq_poll);
    return false;
  }
  const std::uint64_t epoch = port_.arrival_signal().epoch();
  const Condition* const outer = std::exchange(awaited_, awaited);
  bool changed = shared_.poll();
  changed |= connections_.drain_rest();
  if (!satisfied()) changed |= poll_receive_queue();
  if (!satisfied()) changed |= poll_data_queues();
  if (one_sided_ != nullptr && !satisfied()) changed |= poll_one_sided();
  if (!satisfied()) {
    port_.reap_messages();
    if (port_.waits_to_post()) changed |= port_.post_again();
    if (port_.look_at_datagrams()) changed |= connections_.poll_datagrams();
    changed |= connections_.flush();
    changed |= rendezvous_.retry();
    polled_epoch_ = epoch;
  }
  awaited_ = outer;
  if (changed && listener_ != nullptr && !tells_listener_) {
    tells_listener_ = true;
    listener_->passed();
    tells_listener_ = false;
  }
  return changed;
}

bool DeviceImpl::poll_receive_queue() {
  bool changed = false;
  gni_cq_entry_t entry = 0;
  while (port_.look(port_.receive_queue())) {
    if (settings_.tracks) [[unlikely]]
      contexts_.log()->begin_packet();
    const gni_return_t code = GNI_CqGetEvent(port_.receive_queue(), &entry);
    if (code == GNI_RC_NOT_DONE) break;
    changed = true;
    if (code == GNI_RC_ERROR_RESOURCE) {  // overrun: events are lost, messages are not
      connections_.poll_datagrams();
      connections_.drain_all();
      continue;
    }
    const int peer = static_cast<int>(GNI_CQ_GET_INST_ID(entry));
    Connection* connection = connections_.find(peer);
    if (connection == nullptr || !connection->open()) {
      connections_.poll_datagrams();  // the peer knew before us that we are connected
      connection = connections_.find(peer);
    }
    if (connection == nullptr) {
      connections_.miss_event();
      continue;
    }
    if (GNI_CQ_GET_TYPE(entry) == GNI_CQ_EVENT_TYPE_POST) ++connection->landed;
    connections_.drain(*connection);
    if (satisfied()) break;
  }
  return changed;
}

bool DeviceImpl::poll_data_queues() {
  bool changed = false;
  gni_cq_entry_t entry = 0;
  for (;;) {
    if (!port_.expects_data_event()) {
      corespec::charge(settings_.parameters->cq_poll);  // the look at an empty queue
      break;
    }
    if (!port_.look(port_.data_queue())) break;
    const gni_return_t code = GNI_CqGetEvent(port_.data_queue(), &entry);
    if (code == GNI_RC_NOT_DONE) break;
    if (code != GNI_RC_TRANSACTION_ERROR) port_.check("GNI_CqGetEvent", code);
    data_event(port_.data_queue(), entry);
    changed = true;
    if (satisfied()) return changed;
  }
  while (progress_thread_ && progress_thread_->take_moved(entry)) {
    data_event(port_.blocking_data_queue(), entry);
    changed = true;
  }
  return changed;
}

rma::RmaPort& DeviceImpl::one_sided() {
  if (one_sided_ == nullptr) {
    rma::RmaPort::Settings settings;
    settings.offload_threshold = static_cast<std::uint64_t>(settings_.rdma_threshold);
    settings.amo_delivery = GNI_DLVMODE_IN_ORDER;  // accumulates of one origin are
    one_sided_ = std::make_unique<rma::RmaPort>(process_, "MPI", settings, port_.nic());
  }
  return *one_sided_;
}

bool DeviceImpl::poll_one_sided() {
  const bool may_have_work = one_sided_->waits_for_room() || port_.look(one_sided_->queue());
  return may_have_work && one_sided_->poll();
}

void DeviceImpl::data_event(gni_cq_handle_t queue, gni_cq_entry_t entry) {
  gni_post_descriptor_t* gni = nullptr;
  const gni_return_t code = GNI_GetCompleted(queue, entry, &gni);
  const bool failed = code == GNI_RC_TRANSACTION_ERROR;
  if (!failed) port_.check("GNI_GetCompleted", code);
  auto& descriptor = *reinterpret_cast<DataDescriptor*>(gni);
  if (descriptor.purpose == DataDescriptor::Purpose::eager_put) {
    connections_.eager_put_event(entry, descriptor, failed);
    return;
  }
  if (queue == port_.data_queue()) port_.took_data_event();
  const bool fma = gni->type == GNI_POST_FMA_GET || gni->type == GNI_POST_FMA_PUT;
  if (fma && settings_.wakes_thread()) --port_.fma_gets_under_way;
  if (failed) {
    rendezvous_.data_failed(entry, descriptor);
    return;
  }
  rendezvous_.data_done(descriptor);
  port_.give_back(&descriptor);
}

void DeviceImpl::finish_fma_gets() {
  while (port_.fma_gets_under_way != 0) {
    const std::uint64_t epoch = port_.arrival_signal().epoch();
    if (!pass()) {
      corespec::this_thread().spin(port_.arrival_signal(), epoch, settings_.parameters->poll_period,
                                   lock_.get());
    }
  }
}

// ---- the end

bool DeviceImpl::idle() const {
  return sends_under_way_ == 0 && !connections_.busy() && !rendezvous_.busy() && !shared_.busy() &&
         !port_.waits_to_post();
}

void DeviceImpl::close() {
  wait_until([this] { return idle(); });
  requests_.for_each([this](RequestImpl& request) { end_loan(request); });
  port_.leave();
  unlock();
  process_.job().barrier(process_, this);
  if (progress_thread_) progress_thread_->stop();
  lock();
  if (settings_.parameters->progress_stats) report();
}

bool DeviceImpl::due() const {
  if (doors::has_event(port_.receive_queue()) || shared_.has_arrivals()) return true;
  if (port_.has_failed()) return true;
  // An answer that found no room.
  return port_.arrival_signal().epoch() != polled_epoch_ && !idle();
}

void DeviceImpl::serve() {
  lock();
  corespec::this_thread().sync();  // live, this takes in what has come
  pass();
  unlock();
}

DeviceStatistics DeviceImpl::statistics() const {
  DeviceStatistics all = statistics_;
  all.eager_buffered = connections_.buffered_sent();
  all.intra_node = shared_.messages_sent();
  return all;
}

void DeviceImpl::report() {
  const corespec::EventDomain::Hold hold(domain_);
  const DeviceStatistics s = statistics();
  const doors::NicStatistics& n = doors::statistics(port_.nic());
  const corespec::NodeStatistics& node = process_.node().statistics();
  const corespec::MutexStatistics lock = lock_ ? lock_->statistics() : corespec::MutexStatistics();
  process_.job().report(
      process_,
      fmt::format("MPICH progress stats rank {}: interrupts {} empty_wakeups {} threads_woken {} "
                  "immediate_resleeps {} events_moved {} descriptors {} dummies {} fence_stalls {} "
                  "fence_stall_us {:.3f} cq_writes {} lock_waits {} lock_wait_us {:.3f} "
                  "stolen_us {:.3f} rts {} reads {} cts {} writes {} send_dones {} "
                  "receive_dones {} e0 {} e1 {} intra_node {}",
                  process_.rank(), node.interrupts, node.empty_wakeups, s.thread_wakeups,
                  s.immediate_resleeps, s.events_moved, s.data_descriptors, s.dummy_writes,
                  n.fence_stalls, n.fence_stalled.us(), s.cq_writes, lock.waits, lock.waited.us(),
                  main_.stolen_time().us(), s.rts_sent, s.reads, s.cts_sent, s.writes, s.send_dones,
                  s.receive_dones, s.eager_mailbox, s.eager_buffered, s.intra_node));
}

}  // namespace netmod
