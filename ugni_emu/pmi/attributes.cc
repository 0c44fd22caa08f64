// PMI2's functions: attributes of the job and of a node.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/include/pmi2.h"
#include "ugni_emu/pmi/pmi_caller.h"

using pmi::call_for_code;
using pmi::Caller;

namespace {

/// Which node has which ranks: "(vector,(first node,nodes,ranks of each),...)", with nodes numbered
/// in the order in which ranks first come to them.
std::string process_mapping(const corespec::Job& job) {
  struct Block {
    int first, nodes, ranks_of_each;
  };
  std::vector<Block> blocks;
  std::map<int, int> numbers;  // of nodes, by nid
  for (int rank = 0; rank < job.size();) {
    const int nid = job.nid_of(rank);
    const int node = numbers.try_emplace(nid, static_cast<int>(numbers.size())).first->second;
    int end = rank + 1;
    while (end < job.size() && job.nid_of(end) == nid) ++end;
    if (!blocks.empty() && blocks.back().ranks_of_each == end - rank &&
        blocks.back().first + blocks.back().nodes == node) {
      ++blocks.back().nodes;
    } else {
      blocks.push_back({node, 1, end - rank});
    }
    rank = end;
  }
  std::string text = "(vector";
  for (const Block& each : blocks) {
    text += fmt::format(",({},{},{})", each.first, each.nodes, each.ranks_of_each);
  }
  return text + ")";
}

std::optional<std::string> job_attribute(const Caller& caller, std::string_view name) {
  if (name == "universeSize") return fmt::format("{}", caller.job().size());
  if (name == "hasNameServ") return "TRUE";
  if (name == "PMI_process_mapping") return process_mapping(caller.job());
  return std::nullopt;
}

/// In the node's memory, zeroed at first.
struct NodeAttribute {
  enum : std::uint32_t { absent, being_written, there };
  std::atomic<std::uint32_t> state;
  char text[PMI2_MAX_ATTRVALUE];
};

std::string segment_name(const char* name) { return std::string("pmi2 attribute ") + name; }

NodeAttribute& attribute_of_node(const Caller& caller, const char* name) {
  std::byte* const memory =
      caller.process().node().memory().segment(segment_name(name), sizeof(NodeAttribute));
  return *std::launder(reinterpret_cast<NodeAttribute*>(memory));
}

corespec::Signal& change_of(const Caller& caller) {
  return caller.process().node().memory().signal("pmi2 attributes");
}

std::optional<std::string> from_the_start(const Caller& caller, std::string_view name) {
  const std::vector<int> ranks = caller.job().ranks_on(caller.process().node().nid());
  if (name == "localRanksCount") return fmt::format("{}", ranks.size());
  if (name == "localRanks") return fmt::format("{}", fmt::join(ranks, ","));
  return std::nullopt;
}

std::optional<std::string> node_attribute(const Caller& caller, const char* name, bool wait) {
  if (auto text = from_the_start(caller, name)) return text;
  const NodeAttribute& attribute = attribute_of_node(caller, name);
  const corespec::Signal& change = change_of(caller);
  corespec::Thread& thread = corespec::this_thread();
  for (;;) {
    const std::uint64_t seen = change.epoch();
    if (attribute.state.load(std::memory_order_acquire) == NodeAttribute::there) {
      return attribute.text;
    }
    if (!wait) return std::nullopt;
    thread.spin(change, seen, caller.job().parameters().poll_period);
  }
}

bool is_name(const char* name) {
  return name != nullptr && name[0] != '\0' && std::strlen(name) < PMI2_MAX_KEYLEN;
}

int give(const std::optional<std::string>& text, char* value, int length, int* found) {
  *found = text ? 1 : 0;
  if (!text) return PMI2_SUCCESS;
  return pmi::give_text(*text, value, length) ? PMI2_SUCCESS : PMI2_ERR_INVALID_VAL_LENGTH;
}

/// A text of numbers, commas between them. `count`: how many there are, of which as many are given
/// as there is room for.
int give_numbers(const std::optional<std::string>& text, int* array, int room, int* count,
                 int* found) {
  *found = text ? 1 : 0;
  *count = 0;
  if (!text) return PMI2_SUCCESS;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at < end) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ',')) return PMI2_ERR_INVALID_VAL;
    if (*count < room) array[*count] = number;
    ++*count;
    at = next + (next != end ? 1 : 0);
  }
  return PMI2_SUCCESS;
}

}  // namespace

extern "C" {

int PMI2_Info_GetSize(int* size) {
  return call_for_code("PMI2_Info_GetSize", [&](const Caller& caller) {
    if (size == nullptr) return PMI2_ERR_INVALID_ARG;
    *size = static_cast<int>(caller.job().ranks_on(caller.process().node().nid()).size());
    return PMI2_SUCCESS;
  });
}

int PMI2_Info_GetJobAttr(const char name[], char value[], int valuelen, int* found) {
  return call_for_code("PMI2_Info_GetJobAttr", [&](const Caller& caller) {
    if (value == nullptr || found == nullptr) return PMI2_ERR_INVALID_ARG;
    if (!is_name(name)) return PMI2_ERR_INVALID_KEY;
    return give(job_attribute(caller, name), value, valuelen, found);
  });
}

int PMI2_Info_GetJobAttrIntArray(const char name[], int array[], int arraylen, int* outlen,
                                 int* found) {
  return call_for_code("PMI2_Info_GetJobAttrIntArray", [&](const Caller& caller) {
    if (array == nullptr || outlen == nullptr || found == nullptr) return PMI2_ERR_INVALID_ARG;
    if (!is_name(name)) return PMI2_ERR_INVALID_KEY;
    return give_numbers(job_attribute(caller, name), array, arraylen, outlen, found);
  });
}

int PMI2_Info_PutNodeAttr(const char name[], const char value[]) {
  return call_for_code("PMI2_Info_PutNodeAttr", [&](const Caller& caller) {
    if (!is_name(name) || from_the_start(caller, name)) return PMI2_ERR_INVALID_KEY;
    if (value == nullptr) return PMI2_ERR_INVALID_VAL;
    const std::size_t length = std::strlen(value);
    if (length >= PMI2_MAX_ATTRVALUE) return PMI2_ERR_INVALID_VAL_LENGTH;
    NodeAttribute& attribute = attribute_of_node(caller, name);
    std::uint32_t expected = NodeAttribute::absent;
    if (!attribute.state.compare_exchange_strong(expected, NodeAttribute::being_written)) {
      return PMI2_ERR_INVALID_KEY;
    }
    std::memcpy(attribute.text, value, length + 1);
    attribute.state.store(NodeAttribute::there, std::memory_order_release);
    change_of(caller).notify();
    return PMI2_SUCCESS;
  });
}

int PMI2_Info_GetNodeAttr(const char name[], char value[], int valuelen, int* found, int waitfor) {
  return call_for_code("PMI2_Info_GetNodeAttr", [&](const Caller& caller) {
    if (value == nullptr || found == nullptr) return PMI2_ERR_INVALID_ARG;
    if (!is_name(name)) return PMI2_ERR_INVALID_KEY;
    return give(node_attribute(caller, name, waitfor != 0), value, valuelen, found);
  });
}

int PMI2_Info_GetNodeAttrIntArray(const char name[], int array[], int arraylen, int* outlen,
                                  int* found) {
  return call_for_code("PMI2_Info_GetNodeAttrIntArray", [&](const Caller& caller) {
    if (array == nullptr || outlen == nullptr || found == nullptr) return PMI2_ERR_INVALID_ARG;
    if (!is_name(name)) return PMI2_ERR_INVALID_KEY;
    return give_numbers(node_attribute(caller, name, false), array, arraylen, outlen, found);
  });
}

}  // extern "C"
