// DMAPP functions: start, end, attributes, errors.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "corespec/job/adopt_process.h"
#include "corespec/threads/node.h"
#include "ugni_emu/dmapp/dmapp_call.h"

namespace {

using dmapp::State;

constexpr int dmapp_version = 1;
constexpr int gemini = 1;  ///< jobinfo's hw_version

dmapp_rma_attrs_ext_t extended(const dmapp_rma_attrs_t& attributes) {
  return {attributes.max_outstanding_nb,
          attributes.offload_threshold,
          attributes.put_relaxed_ordering,
          attributes.get_relaxed_ordering,
          attributes.max_concurrency,
          DMAPP_PI_ORDERING_DEFAULT,
          DMAPP_QUEUE_DEFAULT_DEPTH,
          DMAPP_QUEUE_DEFAULT_NELEMS,
          0};
}

dmapp_rma_attrs_t reduced(const dmapp_rma_attrs_ext_t& attributes) {
  return {attributes.max_outstanding_nb, attributes.offload_threshold,
          attributes.put_relaxed_ordering, attributes.get_relaxed_ordering,
          attributes.max_concurrency};
}

dmapp_rma_attrs_ext_t defaults() {
  return {DMAPP_DEF_OUTSTANDING_NB,
          DMAPP_OFFLOAD_THRESHOLD,
          DMAPP_ROUTING_ADAPTIVE,
          DMAPP_ROUTING_ADAPTIVE,
          1,
          DMAPP_PI_ORDERING_DEFAULT,
          DMAPP_QUEUE_DEFAULT_DEPTH,
          DMAPP_QUEUE_DEFAULT_NELEMS,
          0};
}

/// Where PEs that cannot start say so: their code and rank.
constexpr std::string_view failure_key = "dmapp-failure";

/// This PE's part of the start; null, and why, if it cannot start.
std::unique_ptr<State> make_state(corespec::Process& process, dmapp_rma_attrs_ext_t attributes,
                                  const void* code, dmapp_return_t& result, std::string& why) {
  if (!dmapp::complete(attributes)) {
    result = DMAPP_RC_INVALID_PARAM;
    return nullptr;
  }
  try {
    return std::make_unique<State>(process, attributes, code);
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  } catch (const std::exception& error) {
    why = error.what();
  }
  result = DMAPP_RC_RESOURCE_ERROR;
  return nullptr;
}

/// Collective over the job: what has gone wrong at one PE, at which `why` is known; if at several,
/// at one of them, which says it.
dmapp_return_t agree_on_start(corespec::Process& process, dmapp_return_t own,
                              const std::string& why) {
  corespec::Job& job = process.job();
  if (own != DMAPP_RC_SUCCESS) {
    job.put(process, failure_key, fmt::format("{} {}", static_cast<int>(own), process.rank()));
  }
  job.barrier(process);
  std::string text;
  int code = 0;
  int rank = -1;
  if (!job.get(process, failure_key, text) ||
      std::sscanf(text.c_str(), "%d %d", &code, &rank) != 2) {
    return own;
  }
  if (own == DMAPP_RC_RESOURCE_ERROR && rank == process.rank()) {
    job.report(process, fmt::format("castor: dmapp_init: rank {}: no symmetric heap of {} bytes "
                                    "(XT_SYMMETRIC_HEAP_SIZE): {}",
                                    rank, job.parameters().symmetric_heap, why));
  }
  // Another attempt may follow: all have read it when it goes.
  job.barrier(process);
  if (rank == process.rank()) job.put(process, failure_key, "");
  if (own != DMAPP_RC_SUCCESS) return own;
  return code == DMAPP_RC_INVALID_PARAM ? DMAPP_RC_INVALID_PARAM : DMAPP_RC_RESOURCE_ERROR;
}

dmapp_return_t start(const dmapp_rma_attrs_ext_t* requested, dmapp_rma_attrs_ext_t* actual,
                     const void* code, const char* function = __builtin_FUNCTION()) {
  corespec::Process* process = corespec::adopt_process();
  const corespec::LibraryCall library_call(function);
  if (process == nullptr) return DMAPP_RC_INVALID_PARAM;
  dmapp_rma_attrs_ext_t attributes = requested == nullptr ? defaults() : *requested;
  State* state = dmapp::this_state();
  if (state != nullptr) {
    if (!dmapp::complete(attributes)) return DMAPP_RC_INVALID_PARAM;
    ++state->starts;
  } else {
    corespec::this_thread().sync();
    dmapp_return_t result = DMAPP_RC_SUCCESS;
    std::string why;
    auto fresh = make_state(*process, attributes, code, result, why);
    result = agree_on_start(*process, result, why);
    if (result != DMAPP_RC_SUCCESS) return result;
    state = fresh.get();
    process->set_state(corespec::Process::Slot::dmapp, std::move(fresh));
    // In a job of DMAPP alone, dmapp_init and dmapp_finalize stand for PMI's; else MPI or PMI says
    // when a rank has ended in order.
    if (process->in_order()) process->begin_library(corespec::Process::Slot::dmapp);
  }
  if (actual != nullptr) *actual = state->attributes();
  return DMAPP_RC_SUCCESS;
}

dmapp_return_t change(const dmapp_rma_attrs_ext_t* requested, dmapp_rma_attrs_ext_t* actual,
                      const char* function = __builtin_FUNCTION()) {
  return dmapp::call_of(function, [&](State& state) {
    if (requested == nullptr) return DMAPP_RC_INVALID_PARAM;
    dmapp_rma_attrs_ext_t attributes = *requested;
    if (!dmapp::complete(attributes)) return DMAPP_RC_INVALID_PARAM;
    state.port().wait_until([&] { return state.port().outstanding() == 0; });
    state.change(attributes);
    if (actual != nullptr) *actual = state.attributes();
    return DMAPP_RC_SUCCESS;
  });
}

constexpr std::array<const char*, DMAPP_RC_NOT_USED + 1> explanations = {
    "success",
    "invalid parameter",
    "an address is not aligned as the operation needs it",
    "the target refused: memory that is not registered there, or no longer",
    "too many operations under way: complete some and try again",
    "permission denied",
    "no space left",
    "not done yet",
    "not supported",
    "not found",
    "busy",
    "not used"};

}  // namespace

extern "C" {

dmapp_return_t dmapp_init(dmapp_rma_attrs_t* requested, dmapp_rma_attrs_t* actual) {
  dmapp_rma_attrs_ext_t wanted{};
  dmapp_rma_attrs_ext_t given{};
  if (requested != nullptr) wanted = extended(*requested);
  const dmapp_return_t result =
      start(requested == nullptr ? nullptr : &wanted, &given, __builtin_return_address(0));
  if (result == DMAPP_RC_SUCCESS && actual != nullptr) *actual = reduced(given);
  return result;
}

dmapp_return_t dmapp_init_ext(dmapp_rma_attrs_ext_t* requested, dmapp_rma_attrs_ext_t* actual) {
  return start(requested, actual, __builtin_return_address(0));
}

dmapp_return_t dmapp_initialized(int* flag) {
  if (flag == nullptr) return DMAPP_RC_INVALID_PARAM;
  *flag = dmapp::this_state() != nullptr ? 1 : 0;
  return DMAPP_RC_SUCCESS;
}

dmapp_return_t dmapp_finalize(void) {
  return dmapp::call([](State& state) {
    if (--state.starts > 0) return DMAPP_RC_SUCCESS;
    state.port().wait_until([&] { return state.port().outstanding() == 0; });
    corespec::Process& process = state.process();
    process.job().barrier(process);  // no PE's transfers aim at what goes now
    process.set_state(corespec::Process::Slot::dmapp, nullptr);
    process.end_library(corespec::Process::Slot::dmapp);
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_get_jobinfo(dmapp_jobinfo_t* info) {
  return dmapp::call([&](State& state) {
    if (info == nullptr) return DMAPP_RC_INVALID_PARAM;
    *info = {dmapp_version,          gemini,           state.job().size(),
             state.process().rank(), state.own().data, state.own().heap};
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_get_rma_attrs(dmapp_rma_attrs_t* attrs) {
  dmapp_rma_attrs_ext_t all{};
  if (attrs == nullptr) return DMAPP_RC_INVALID_PARAM;
  dmapp_get_rma_attrs_ext(&all);
  *attrs = reduced(all);
  return DMAPP_RC_SUCCESS;
}

dmapp_return_t dmapp_get_rma_attrs_ext(dmapp_rma_attrs_ext_t* attrs) {
  if (attrs == nullptr) return DMAPP_RC_INVALID_PARAM;
  const State* state = dmapp::this_state();
  *attrs = state == nullptr ? defaults() : state->attributes();
  return DMAPP_RC_SUCCESS;
}

dmapp_return_t dmapp_set_rma_attrs(dmapp_rma_attrs_t* requested, dmapp_rma_attrs_t* actual) {
  dmapp_rma_attrs_ext_t wanted{};
  dmapp_rma_attrs_ext_t given{};
  if (requested != nullptr) wanted = extended(*requested);
  const dmapp_return_t result = change(requested == nullptr ? nullptr : &wanted, &given);
  if (result == DMAPP_RC_SUCCESS && actual != nullptr) *actual = reduced(given);
  return result;
}

dmapp_return_t dmapp_set_rma_attrs_ext(dmapp_rma_attrs_ext_t* requested,
                                       dmapp_rma_attrs_ext_t* actual) {
  return change(requested, actual);
}

dmapp_return_t dmapp_explain_error(dmapp_return_t code, const char** text) {
  if (text == nullptr || code < DMAPP_RC_SUCCESS || code > DMAPP_RC_NOT_USED) {
    return DMAPP_RC_INVALID_PARAM;
  }
  *text = explanations[code];
  return DMAPP_RC_SUCCESS;
}

}  // extern "C"
