// What a job is on the machine, on either clock: its nodes, its parameters, its protection.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/config/setting_warnings.h"
#include "corespec/threads/process.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

/// What ALPS and PMI leave in every rank's environment alike: what names the job to the network.
/// Lists with an item per NIC have one item. `depth`: CPUs of each rank.
std::vector<corespec::Setting> job_variables(std::uint64_t apid, int depth);

/// Puts these, and what is `rank`'s own, into the environment of the calling process, which is that
/// rank and was not started by aprun. What is there already stays.
void set_job_variables(const corespec::Process& rank, int depth);

/// So many nodes: the first of `wanted` (-L, CASTOR_NODE_LIST), or else 0, 1, 2, ... Throws
/// std::invalid_argument with one line if they are too few, not in the network, or there twice.
std::vector<int> choose_nids(int needed, std::vector<int> wanted, const gemini::Topology& topology);

/// Nodes that `ranks` fill, so many to each.
constexpr int nodes_for(int ranks, int per_node) { return (ranks + per_node - 1) / per_node; }

/// The parameters that `settings` give, over the system's own. Throws std::invalid_argument or
/// UsageError with one line.
corespec::Parameters job_parameters(const std::vector<corespec::Setting>& settings,
                                    const gemini::Topology& topology);

/// A program that is linked with it reads counters.
inline constexpr const char* counters_library = "libgpcd.so.0";

/// CASTOR_COUNTERS unset or auto becomes on, or off where the run wants no counters.
void decide_counters(std::vector<corespec::Setting>& settings, bool wanted);

/// On standard error, what a user should hear of what is set: a line each, which begins with
/// `speaker` and the word "warning".
void print_warnings(std::string_view speaker, const std::vector<corespec::Setting>& settings,
                    corespec::RunKind run);

}  // namespace launch
