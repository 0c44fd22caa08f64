// What every rank of a virtual run is doing, for people.
#include "launch/virtual_run/rank_states.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "corespec/threads/situation.h"
#include "corespec/virtual/virtual_node.h"
#include "launch/reports/situation_groups.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

using corespec::Situation;
using corespec::ThreadState;
using corespec::VirtualThread;

Situation situation(const VirtualThread& thread) {
  Situation said = situation_of(thread);
  if (!said.details.empty()) return said;
  if (said.call.empty()) {
    said.details = thread.waiting_for();
  } else if (thread.state() == ThreadState::blocked || thread.state() == ThreadState::ready) {
    said.details = fmt::format(" ({})", thread.waiting_for());
  }
  return said;
}

/// Main thread first: a rank's own threads, by rank.
std::map<int, std::vector<const VirtualThread*>> threads_by_rank(VirtualRun& run) {
  std::map<int, std::vector<const VirtualThread*>> threads;
  for (const corespec::VirtualNode* node : run.all_nodes()) {
    for (const auto& thread : node->threads()) {
      if (thread->role() != corespec::ThreadRole::application) continue;
      if (thread->process() == nullptr) continue;
      threads[thread->process()->rank()].push_back(thread.get());
    }
  }
  return threads;
}

std::vector<Situation> others(const std::vector<const VirtualThread*>& threads) {
  std::vector<Situation> others;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    if (!threads[i]->finished()) others.push_back(situation(*threads[i]));
  }
  return others;
}

}  // namespace

std::string describe_ranks(VirtualRun& run, std::string_view speaker) {
  SituationGroups groups(speaker, run.job().size());
  for (const auto& [rank, threads] : threads_by_rank(run)) {
    Situation said = situation(*threads.front());
    if (!threads.front()->finished()) add_other_threads(said, others(threads));
    groups.add(rank, std::move(said));
  }
  return groups.text();
}

}  // namespace launch
