// GNI_EpPostData* and GNI_PostDataProbe*: datagrams.
#include <cstring>
#include <functional>

#include "corespec/threads/situation.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

/// Waits until a condition on a domain's datagrams holds.
class DatagramWaiter final : public nic::Waiter {
 public:
  DatagramWaiter(nic::Datagrams& datagrams, std::function<bool()> holds)
      : datagrams_(&datagrams), holds_(std::move(holds)) {}
  bool ready() const override { return cancelled || holds_(); }
  bool waits_for(const void* source) const override { return source == datagrams_; }

 private:
  nic::Datagrams* datagrams_;
  std::function<bool()> holds_;
};

/// For a user's question what the rank does.
class AwaitedDatagram final : public corespec::Awaited {
 public:
  explicit AwaitedDatagram(corespec::Thread& thread) : Awaited(thread) {}
  bool describe(corespec::Situation& to) const override {
    to.details = ": sleeps until a datagram has found the peer's";
    return true;
  }
};

/// Sleeps until `holds`. TIMEOUT when the time is over, INVALID_PARAM when the handle has gone.
gni_return_t wait_for(const gni::Caller& caller, nic::Domain& domain, std::uint32_t milliseconds,
                      std::function<bool()> holds) {
  caller.charge(caller.parameters().system_call);
  const corespec::Time deadline = gni::deadline_after(caller.thread(), milliseconds);
  DatagramWaiter waiter(domain.datagrams(), std::move(holds));
  const nic::Waiters::Known known(domain.nic().waiters(), waiter);
  bool in_time = true;
  const AwaitedDatagram for_people(caller.thread());
  while (in_time && !waiter.ready()) {
    in_time = caller.thread().wait_interrupt(waiter, deadline);
  }
  if (waiter.cancelled) return GNI_RC_INVALID_PARAM;
  return waiter.ready() ? GNI_RC_SUCCESS : GNI_RC_TIMEOUT;
}

gni_return_t post(gni_ep_handle_t ep_hndl, const void* in_data, std::uint16_t data_len,
                  void* out_buf, std::uint16_t buf_size, bool with_id, std::uint64_t id,
                  const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || (in_data == nullptr && data_len != 0) ||
      (out_buf == nullptr && buf_size != 0) || (with_id && id == ~std::uint64_t{0})) {
    return GNI_RC_INVALID_PARAM;
  }
  if (data_len > GNI_DATAGRAM_MAXSIZE || buf_size > GNI_DATAGRAM_MAXSIZE) return GNI_RC_SIZE_ERROR;
  caller.charge(caller.parameters().datagram);
  caller.sync();
  return endpoint->domain->datagrams().post(*endpoint,
                                            {static_cast<const std::byte*>(in_data), data_len},
                                            out_buf, buf_size, with_id, id);
}

gni_return_t test(const nic::Endpoint& endpoint, bool with_id, std::uint64_t id,
                  gni_post_state_t* state, std::uint32_t* address, std::uint32_t* instance) {
  nic::Datagrams& datagrams = endpoint.domain->datagrams();
  nic::Datagram* datagram = datagrams.find(endpoint, with_id, id);
  if (datagram == nullptr) return GNI_RC_NO_MATCH;
  *state = datagram->state;
  if (datagram->state == GNI_POST_PENDING) return GNI_RC_SUCCESS;
  if (datagram->state == GNI_POST_COMPLETED) {
    *address = datagram->from.address;
    *instance = datagram->from.instance;
  }
  const bool too_long = datagram->too_long;
  datagrams.harvest(*datagram);
  return too_long ? GNI_RC_SIZE_ERROR : GNI_RC_SUCCESS;
}

gni_return_t test(gni_ep_handle_t ep_hndl, bool with_id, std::uint64_t id, gni_post_state_t* state,
                  std::uint32_t* address, std::uint32_t* instance,
                  const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  const nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || state == nullptr || address == nullptr || instance == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  return test(*endpoint, with_id, id, state, address, instance);
}

gni_return_t wait(gni_ep_handle_t ep_hndl, bool with_id, std::uint64_t id, std::uint32_t timeout,
                  gni_post_state_t* state, std::uint32_t* address, std::uint32_t* instance,
                  const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || state == nullptr || address == nullptr || instance == nullptr ||
      timeout == 0) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  nic::Datagrams& datagrams = endpoint->domain->datagrams();
  auto finished = [&caller, &datagrams, ep_hndl, endpoint, with_id, id] {
    if (caller.find(ep_hndl) == nullptr) return true;  // destroyed by another thread
    const nic::Datagram* datagram = datagrams.find(*endpoint, with_id, id);
    return datagram == nullptr || datagram->state != GNI_POST_PENDING;
  };
  if (!finished()) {
    const gni_return_t result = wait_for(caller, *endpoint->domain, timeout, finished);
    if (result != GNI_RC_SUCCESS) return result;
    if (caller.find(ep_hndl) == nullptr) return GNI_RC_INVALID_PARAM;
  }
  return test(*endpoint, with_id, id, state, address, instance);
}

gni_return_t cancel(gni_ep_handle_t ep_hndl, bool with_id, std::uint64_t id,
                    const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  const nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  return endpoint->domain->datagrams().cancel(*endpoint, with_id, id) ? GNI_RC_SUCCESS
                                                                      : GNI_RC_NO_MATCH;
}

}  // namespace

gni_return_t GNI_EpPostData(gni_ep_handle_t ep_hndl, void* in_data, uint16_t data_len,
                            void* out_buf, uint16_t buf_size) {
  return post(ep_hndl, in_data, data_len, out_buf, buf_size, false, 0);
}

gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep_hndl, void* in_data, uint16_t data_len,
                               void* out_buf, uint16_t buf_size, uint64_t datagram_id) {
  return post(ep_hndl, in_data, data_len, out_buf, buf_size, true, datagram_id);
}

gni_return_t GNI_EpPostDataTest(gni_ep_handle_t ep_hndl, gni_post_state_t* post_state,
                                uint32_t* remote_addr, uint32_t* remote_id) {
  return test(ep_hndl, false, 0, post_state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataTestById(gni_ep_handle_t ep_hndl, uint64_t datagram_id,
                                    gni_post_state_t* post_state, uint32_t* remote_addr,
                                    uint32_t* remote_id) {
  return test(ep_hndl, true, datagram_id, post_state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataWait(gni_ep_handle_t ep_hndl, uint32_t timeout,
                                gni_post_state_t* post_state, uint32_t* remote_addr,
                                uint32_t* remote_id) {
  return wait(ep_hndl, false, 0, timeout, post_state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataWaitById(gni_ep_handle_t ep_hndl, uint64_t datagram_id, uint32_t timeout,
                                    gni_post_state_t* post_state, uint32_t* remote_addr,
                                    uint32_t* remote_id) {
  return wait(ep_hndl, true, datagram_id, timeout, post_state, remote_addr, remote_id);
}

gni_return_t GNI_PostDataProbe(gni_nic_handle_t nic_hndl, uint32_t* remote_addr,
                               uint32_t* remote_id) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || remote_addr == nullptr || remote_id == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  nic::Datagram* datagram = domain->datagrams().first_finished(false);
  if (datagram == nullptr) return GNI_RC_NO_MATCH;
  const bool answered = datagram->state == GNI_POST_COMPLETED;
  const nic::Peer& peer = answered ? datagram->from : datagram->peer;
  *remote_addr = peer.address;
  *remote_id = peer.instance;
  domain->datagrams().told(*datagram);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic_hndl, uint64_t* datagram_id) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || datagram_id == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().cq_poll);
  caller.sync_unless(domain->has_finished_datagram());
  nic::Datagram* datagram = domain->datagrams().first_finished(true);
  if (datagram == nullptr) return GNI_RC_NO_MATCH;
  *datagram_id = datagram->id;
  domain->datagrams().told(*datagram);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_PostdataProbeWaitById(gni_nic_handle_t nic_hndl, uint32_t timeout,
                                       uint64_t* datagram_id) {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || datagram_id == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  nic::Datagrams& datagrams = domain->datagrams();
  auto finished = [&datagrams] { return datagrams.first_finished(true) != nullptr; };
  if (!finished()) {
    const gni_return_t result = wait_for(caller, *domain, timeout, finished);
    if (result != GNI_RC_SUCCESS) return result;
  }
  nic::Datagram& first = *datagrams.first_finished(true);
  *datagram_id = first.id;
  datagrams.told(first);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_EpPostDataCancel(gni_ep_handle_t ep_hndl) { return cancel(ep_hndl, false, 0); }

gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep_hndl, uint64_t datagram_id) {
  return cancel(ep_hndl, true, datagram_id);
}
