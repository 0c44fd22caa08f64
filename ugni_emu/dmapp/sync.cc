// DMAPP functions: completion.
#include <iterator>

#include "ugni_emu/dmapp/dmapp_call.h"

namespace dmapp {

dmapp_return_t take_result(rma::Completion& completion) {
  const gni_return_t result = completion.result;
  completion.result = GNI_RC_SUCCESS;
  switch (result) {
    case GNI_RC_SUCCESS:
      return DMAPP_RC_SUCCESS;
    // Local memory that is not there, must not be written, or finds no room with the NIC.
    case GNI_RC_INVALID_PARAM:
      return DMAPP_RC_INVALID_PARAM;
    case GNI_RC_PERMISSION_ERROR:
      return DMAPP_RC_PERMISSION_ERROR;
    case GNI_RC_ERROR_RESOURCE:
      return DMAPP_RC_RESOURCE_ERROR;
    default:
      return DMAPP_RC_TRANSACTION_ERROR;
  }
}

dmapp_syncid_handle_t make_syncid(State& state) {
  state.syncids.emplace_back();
  dmapp_syncid_handle_t syncid = &state.syncids.back();
  state.syncid_places.emplace(syncid, std::prev(state.syncids.end()));
  return syncid;
}

void drop_syncid(State& state, dmapp_syncid_handle_t syncid) {
  const auto place = state.syncid_places.find(syncid);
  state.syncids.erase(place->second);
  state.syncid_places.erase(place);
}

}  // namespace dmapp

using dmapp::State;

namespace {

/// A call after which messages that have come are delivered.
template <typename Body>
dmapp_return_t delivering(const Body& body, const char* function = __builtin_FUNCTION()) {
  const dmapp_return_t result = dmapp::call_of(function, body);
  dmapp::deliver_messages(function);
  return result;
}

}  // namespace

extern "C" {

dmapp_return_t dmapp_syncid_wait(dmapp_syncid_handle_t* syncid) {
  return delivering([&](State& state) {
    if (syncid == nullptr || !state.syncid_places.contains(*syncid)) return DMAPP_RC_INVALID_PARAM;
    rma::Completion& completion = (*syncid)->completion;
    state.port().wait(completion);
    const dmapp_return_t result = dmapp::take_result(completion);
    dmapp::drop_syncid(state, *syncid);
    return result;
  });
}

dmapp_return_t dmapp_syncid_test(dmapp_syncid_handle_t* syncid, int* flag) {
  return delivering([&](State& state) {
    if (syncid == nullptr || flag == nullptr || !state.syncid_places.contains(*syncid)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    state.port().poll();
    rma::Completion& completion = (*syncid)->completion;
    *flag = completion.complete() ? 1 : 0;
    if (*flag == 0) return DMAPP_RC_SUCCESS;
    const dmapp_return_t result = dmapp::take_result(completion);
    dmapp::drop_syncid(state, *syncid);
    return result;
  });
}

dmapp_return_t dmapp_gsync_wait(void) {
  return delivering([](State& state) {
    state.port().wait(state.implicit);
    return dmapp::take_result(state.implicit);
  });
}

dmapp_return_t dmapp_gsync_test(int* flag) {
  return delivering([&](State& state) {
    if (flag == nullptr) return DMAPP_RC_INVALID_PARAM;
    state.port().poll();
    *flag = state.implicit.complete() ? 1 : 0;
    return *flag != 0 ? dmapp::take_result(state.implicit) : DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_progress(void) {
  return delivering([](State& state) {
    state.port().poll();
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_checkpoint(void) {
  return dmapp::call([](State& state) {
    state.port().wait_until([&] { return state.port().outstanding() == 0; });
    state.checkpointed = true;
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_restart(uint32_t restart_modes) {
  return dmapp::call([&](State& state) {
    if (restart_modes != 0 || !state.checkpointed) return DMAPP_RC_INVALID_PARAM;
    state.checkpointed = false;
    return DMAPP_RC_SUCCESS;
  });
}

}  // extern "C"
