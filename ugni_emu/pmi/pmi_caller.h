// The rank that calls a PMI function, and what PMI keeps for it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/host/what_happened.h"
#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/include/pmi.h"

namespace pmi {

constexpr int longest_name = 256;    ///< of the job and its key-value space, with the final zero
constexpr int longest_key = 256;     ///< likewise
constexpr int longest_value = 4096;  ///< likewise

/// What PMI keeps for a rank.
class State final : public corespec::ProcessState {
 public:
  int starts = 0;                                       ///< PMI_Init without PMI_Finalize
  bool ended = false;                                   ///< the last PMI_Finalize
  std::map<std::string, std::string, std::less<>> put;  ///< and not committed
  unsigned broadcasts = 0;                              ///< calls of PMI_Bcast
  std::vector<int> nids;                                ///< by rank, once PMI_Get_nidlist_ptr
  std::uint64_t node_rounds = 0;                        ///< of exchanges within the node
};

/// A rank that may call.
class Caller {
 public:
  Caller(corespec::Process& process, State& state) : process_(process), state_(state) {}

  corespec::Process& process() const { return process_; }
  corespec::Job& job() const { return process_.job(); }
  State& state() const { return state_; }
  std::string job_name() const;

 private:
  corespec::Process& process_;
  State& state_;
};

/// The state of a rank; made at the first use.
State& state_of(corespec::Process& process);

/// True from PMI_Init, or the first other call, to the last PMI_Finalize. MPI_Init stands for
/// PMI_Init.
bool started(const corespec::Process* process);

/// The calling rank; PMI starts with its first call. Null: there is no rank, or PMI has ended.
corespec::Process* starting_process();

/// One line on standard error about an exception that a PMI function must not let out.
void report(const char* function, std::string_view what);

/// Runs the body of a PMI function: `body(Caller&)` returns the function's code. What others can
/// see of it happens at the thread's own time.
template <typename Body>
int call_for_code(const char* function, const Body& body) {
  const corespec::LibraryCall library_call(corespec::adopt_thread(), function);
  corespec::Process* const process = starting_process();
  if (process == nullptr) return PMI_FAIL;
  try {
    corespec::this_thread().sync();
    Caller caller(*process, state_of(*process));
    return body(caller);
  } catch (const std::exception& error) {
    const std::string why = corespec::what_happened(error);
    if (!why.empty()) report(function, why);  // else another rank says it
    return PMI_FAIL;
  }
}

/// The same where `body` returns whether it has succeeded.
template <typename Body>
int call(const char* function, const Body& body) {
  return call_for_code(function,
                       [&](Caller& caller) { return body(caller) ? PMI_SUCCESS : PMI_FAIL; });
}

/// The common form of functions that tell a number.
template <typename Number>
int tell(const char* function, int* to, const Number& number) {
  return call_for_code(function, [&](Caller& caller) {
    if (to == nullptr) return PMI_ERR_INVALID_ARG;
    *to = number(caller);
    return PMI_SUCCESS;
  });
}

/// Copies `text` with a final zero; false if there is no room.
bool give_text(std::string_view text, char* to, int length);
/// The same for functions of PMI 1: PMI_SUCCESS, or the code that says what is wrong.
int give_text_for_code(std::string_view text, char* to, int length);

/// Libraries put keys of their own into the job's space: PMI's begin in this way.
std::string space_key(const char* key);
/// Puts what the caller has put since the last commit where a barrier makes it visible.
void commit(const Caller& caller);

}  // namespace pmi
