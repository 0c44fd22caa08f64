// GNI_Ce*, GNI_EpSetCeAttr: the collective engines of an Aries. A Gemini has none: ILLEGAL_OP.
#include <bit>
#include <new>
#include <span>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/nic/collective.h"

namespace {

using Setup = nic::CollectiveEngine::Setup;

constexpr std::uint32_t rounding_modes =
    GNI_CE_MODE_ROUND_UP | GNI_CE_MODE_ROUND_DOWN | GNI_CE_MODE_ROUND_NEAR | GNI_CE_MODE_ROUND_ZERO;
constexpr std::uint32_t event_modes = GNI_CE_MODE_CQE_ONCOMP | GNI_CE_MODE_CQE_ONERR;
constexpr std::uint32_t routing_modes = GNI_CE_MODE_RC_NMIN_HASH | GNI_CE_MODE_RC_MIN_HASH |
                                        GNI_CE_MODE_RC_MNON_HASH | GNI_CE_MODE_RC_ADAPT;

bool has_engines(const gni::Caller& caller) {
  const nic::Nic* nic = caller.is_rank() ? nic::Nic::of(caller.thread().node()) : nullptr;
  return nic != nullptr && nic->is_aries();
}

/// Of each kind one at the most.
bool are_engine_modes(std::uint32_t modes) {
  if ((modes & ~(rounding_modes | event_modes | routing_modes)) != 0) return false;
  for (const std::uint32_t kind : {rounding_modes, event_modes, routing_modes}) {
    if (std::popcount(modes & kind) > 1) return false;
  }
  return true;
}

/// What an endpoint of the engine's domain says of an edge of the tree; null: nothing.
const nic::CollectiveRole* role_of(const gni::Caller& caller, const nic::CollectiveEngine& engine,
                                   gni_ep_handle_t handle) {
  const nic::Endpoint* endpoint = caller.find(handle);
  if (endpoint == nullptr || endpoint->domain != &engine.domain() || !endpoint->bound) {
    return nullptr;
  }
  return engine.domain().nic().engines().role(*endpoint);
}

nic::CollectiveEngine::Link link_to(const gni::Caller& caller, gni_ep_handle_t handle,
                                    const nic::CollectiveRole& role) {
  return {role.type, caller.find(handle)->remote_address, role.engine};
}

bool add_children(const gni::Caller& caller, const nic::CollectiveEngine& engine,
                  std::span<const gni_ep_handle_t> endpoints, Setup& setup) {
  for (const gni_ep_handle_t handle : endpoints) {
    const nic::CollectiveRole* const role = role_of(caller, engine, handle);
    if (role == nullptr) return false;
    nic::CollectiveEngine::Link& child = setup.children[role->child];
    if (child.type != GNI_CE_CHILD_UNUSED) return false;  // two have one number
    child = link_to(caller, handle, *role);
  }
  return true;
}

bool add_parent(const gni::Caller& caller, const nic::CollectiveEngine& engine,
                gni_ep_handle_t handle, Setup& setup) {
  if (handle == nullptr) return true;
  const nic::CollectiveRole* const role = role_of(caller, engine, handle);
  if (role == nullptr || role->type != GNI_CE_CHILD_VCE) return false;
  setup.parent = link_to(caller, handle, *role);
  setup.number_at_parent = role->child;
  return true;
}

/// Only an engine without events needs none. A queue of local events may be it, too: GASNet gives
/// that of its posts.
bool add_queue(const gni::Caller& caller, const nic::CollectiveEngine& engine,
               gni_cq_handle_t handle, Setup& setup) {
  if (handle == nullptr) return (setup.modes & event_modes) == 0;
  setup.queue = caller.find(handle);
  return setup.queue != nullptr && &setup.queue->domain() == &engine.domain();
}

}  // namespace

gni_return_t GNI_CeCreate(gni_nic_handle_t nic_hndl, gni_ce_handle_t* ce_hndl) try {
  gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || ce_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  nic::CollectiveEngine* const engine = caller.objects().make_engine(*domain);
  if (engine == nullptr) return GNI_RC_ERROR_RESOURCE;
  *ce_hndl = reinterpret_cast<gni_ce_handle_t>(engine);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_NOMEM;
}

gni_return_t GNI_CeGetId(gni_ce_handle_t ce_hndl, uint32_t* ce_id) {
  const gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  const nic::CollectiveEngine* engine = caller.find(ce_hndl);
  if (engine == nullptr || ce_id == nullptr) return GNI_RC_INVALID_PARAM;
  *ce_id = engine->id();
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_EpSetCeAttr(gni_ep_handle_t ep_hndl, uint32_t ce_id, uint32_t child_id,
                             gni_ce_child_t child_type) {
  const gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  const nic::Endpoint* endpoint = caller.find(ep_hndl);
  const bool known = child_type == GNI_CE_CHILD_UNUSED || child_type == GNI_CE_CHILD_VCE ||
                     child_type == GNI_CE_CHILD_PE;
  if (endpoint == nullptr || !known || child_id >= GNI_CE_MAX_CHILDREN) {
    return GNI_RC_INVALID_PARAM;
  }
  endpoint->domain->nic().engines().set_role(*endpoint, {ce_id, child_id, child_type});
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CeConfigure(gni_ce_handle_t ce_hndl, gni_ep_handle_t* child_eps,
                             uint32_t num_child_eps, gni_ep_handle_t parent_ep,
                             gni_cq_handle_t cq_hndl, uint32_t modes) {
  const gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  nic::CollectiveEngine* engine = caller.find(ce_hndl);
  if (engine == nullptr || child_eps == nullptr || num_child_eps == 0 ||
      num_child_eps > GNI_CE_MAX_CHILDREN || !are_engine_modes(modes)) {
    return GNI_RC_INVALID_PARAM;
  }
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (engine->busy()) return GNI_RC_INVALID_PARAM;
  Setup setup;
  setup.modes = modes;
  if (!add_children(caller, *engine, {child_eps, num_child_eps}, setup) ||
      !add_parent(caller, *engine, parent_ep, setup) ||
      !add_queue(caller, *engine, cq_hndl, setup)) {
    return GNI_RC_INVALID_PARAM;
  }
  engine->configure(setup);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CeCheckResult(gni_ce_result_t* result, uint32_t) {
  const gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  if (result == nullptr) return GNI_RC_INVALID_PARAM;
  const auto done = [result] { return (result->control & nic::collective_result::done) != 0; };
  caller.charge(caller.parameters().cq_poll);
  caller.sync_unless(done());
  if (!done()) return GNI_RC_NOT_DONE;
  const bool well = gni_ce_res_status_ok(result) != 0 && gni_ce_res_get_fpe(result) == 0;
  return well ? GNI_RC_SUCCESS : GNI_RC_TRANSACTION_ERROR;
}

gni_return_t GNI_CeDestroy(gni_ce_handle_t ce_hndl) {
  gni::Caller caller;
  if (!has_engines(caller)) return GNI_RC_ILLEGAL_OP;
  nic::CollectiveEngine* engine = caller.find(ce_hndl);
  if (engine == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  engine->abandon();
  caller.objects().destroy_engine(*engine);
  return GNI_RC_SUCCESS;
}

uint64_t gni_ce_res_get_status(gni_ce_result_t* result) {
  return nic::collective_result::status_in(result->control);
}
uint64_t gni_ce_res_status_ok(gni_ce_result_t* result) {
  return gni_ce_res_get_status(result) == 0 ? 1 : 0;
}
uint64_t gni_ce_res_get_fpe(gni_ce_result_t* result) {
  return nic::collective_result::exceptions_in(result->control);
}
uint64_t gni_ce_res_get_red_id(gni_ce_result_t* result) {
  return static_cast<std::uint32_t>(result->control);
}
