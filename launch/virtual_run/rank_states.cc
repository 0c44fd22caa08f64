// What every rank of a virtual run is doing, for people.
#include "launch/virtual_run/rank_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "corespec/threads/calling_context.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/situation.h"
#include "corespec/virtual/virtual_node.h"
#include "launch/reports/situation_groups.h"
#include "launch/reports/situation_packing.h"
#include "launch/symbols/symbols.h"
#include "launch/virtual_run/run_control.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

using corespec::Situation;
using corespec::ThreadState;
using corespec::VirtualThread;

struct Originals {
  const OriginalFileOfRank& file;
  PlaceFinder& finder;
};

/// Where the thread's calls come from, marked; nothing of one that has not begun or has ended.
std::string place_of(const VirtualThread& thread, const Originals& originals) {
  if (thread.finished()) return {};
  std::array<void*, corespec::most_context> context;
  std::size_t found = 0;
  {
    const RunControl::AsInterrupted interrupted;
    found = thread.context(context);
  }
  const auto file = [&](const void* address) {
    return originals.file ? originals.file(*thread.process(), address) : std::string();
  };
  return marked(originals.finder.find({context.data(), found}, file));
}

Situation said_of(const VirtualThread& thread) {
  Situation said = situation_of(thread);
  if (!said.details.empty()) return said;
  if (said.call.empty()) {
    said.details = thread.waiting_for();
  } else if (thread.state() == ThreadState::blocked || thread.state() == ThreadState::ready) {
    said.details = fmt::format(" ({})", thread.waiting_for());
  }
  return said;
}

Situation situation(const VirtualThread& thread, const Originals& originals) {
  Situation said = said_of(thread);
  said.place = place_of(thread, originals);
  return said;
}

/// The rank's node has failed before the rank ended.
bool is_lost(const VirtualThread& main) {
  const auto& node = static_cast<const corespec::VirtualNode&>(main.process()->node());
  return node.halted() && !main.finished();
}

/// The call that its code had come to may lie after the node's end.
Situation situation_of_lost(const VirtualThread& main) {
  Situation said;
  said.gone = true;
  said.details = fmt::format("lost with node {}", main.process()->node().nid());
  return said;
}

/// Main thread first: a rank's own threads, by rank.
std::map<int, std::vector<const VirtualThread*>> threads_by_rank(VirtualRun& run) {
  std::map<int, std::vector<const VirtualThread*>> threads;
  for (const corespec::VirtualNode* node : run.own_nodes()) {
    for (const auto& thread : node->threads()) {
      if (thread->role() != corespec::ThreadRole::application) continue;
      if (thread->process() == nullptr) continue;
      threads[thread->process()->rank()].push_back(thread.get());
    }
  }
  return threads;
}

std::vector<Situation> others(const std::vector<const VirtualThread*>& threads,
                              const Originals& originals) {
  std::vector<Situation> others;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    if (!threads[i]->finished()) others.push_back(situation(*threads[i], originals));
  }
  return others;
}

/// What reads the program's files for it is no rank, also where a rank's thread asks.
class NoThread {
 public:
  NoThread() : before_(corespec::exchange_current_thread(nullptr)) {}
  ~NoThread() { corespec::exchange_current_thread(before_); }
  NoThread(const NoThread&) = delete;
  NoThread& operator=(const NoThread&) = delete;

 private:
  corespec::Thread* before_;
};

}  // namespace

namespace {

/// By rank, of this part.
std::vector<std::pair<int, Situation>> own_situations(VirtualRun& run,
                                                      const OriginalFileOfRank& original) {
  PlaceFinder finder;
  const Originals originals{original, finder};
  std::vector<std::pair<int, Situation>> found;
  for (const auto& [rank, threads] : threads_by_rank(run)) {
    if (is_lost(*threads.front())) {
      found.emplace_back(rank, situation_of_lost(*threads.front()));
      continue;
    }
    Situation said = situation(*threads.front(), originals);
    if (!threads.front()->finished()) add_other_threads(said, others(threads, originals));
    found.emplace_back(rank, std::move(said));
  }
  return found;
}

std::string text_of(std::string_view speaker, int ranks,
                    std::vector<std::pair<int, Situation>>&& situations) {
  const NoThread without;
  SituationGroups groups(speaker, ranks, say_by_symbols());
  for (auto& [rank, said] : situations) groups.add(rank, std::move(said));
  return groups.text();
}

}  // namespace

std::string describe_ranks(VirtualRun& run, std::string_view speaker,
                           const OriginalFileOfRank& original) {
  return text_of(speaker, run.job().size(), own_situations(run, original));
}

// ---- parts

namespace {

/// Before a rank's situation.
struct SituationHead {
  std::uint32_t rank;
  std::uint32_t bytes;
};

}  // namespace

std::string pack_situations(VirtualRun& run, const OriginalFileOfRank& original) {
  std::string all;
  for (const auto& [rank, said] : own_situations(run, original)) {
    const std::string bytes = packed(said);
    const SituationHead head{static_cast<std::uint32_t>(rank),
                             static_cast<std::uint32_t>(bytes.size())};
    all.append(reinterpret_cast<const char*>(&head), sizeof head);
    all += bytes;
  }
  return all;
}

std::string describe_parts(std::string_view speaker, int ranks,
                           const std::vector<std::string>& parts) {
  std::vector<std::pair<int, Situation>> found;
  for (std::string_view part : parts) {
    while (!part.empty()) {
      SituationHead head;
      if (part.size() < sizeof head) throw std::runtime_error("a part's states are cut");
      std::memcpy(&head, part.data(), sizeof head);
      part.remove_prefix(sizeof head);
      Situation said;
      if (!unpack(part.substr(0, head.bytes), ranks, said)) {
        throw std::runtime_error("a part's states cannot be read");
      }
      part.remove_prefix(head.bytes);
      found.emplace_back(static_cast<int>(head.rank), std::move(said));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& other) { return one.first < other.first; });
  return text_of(speaker, ranks, std::move(found));
}

}  // namespace launch
