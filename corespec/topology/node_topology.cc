// Loads node descriptions with hwloc.
#include "corespec/topology/node_topology.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "corespec/host/in_child.h"
#include "corespec/host/printable.h"

namespace corespec {
namespace {

/// Synthetic descriptions of the nodes that the sources measured.
std::string_view preset(std::string_view name) {
  if (name == "xe6") return "package:2 numa:2 core:4 pu:2";      // S4: Interlagos, 32 CPUs
  if (name == "xk6") return "package:1 numa:2 core:4 pu:2";      // S4: one of them, beside a GPU
  if (name == "hopper") return "package:2 numa:2 core:6 pu:1";   // S2: Magny-Cours, 24 CPUs
  if (name == "edison") return "package:2 numa:1 core:12 pu:2";  // NERSC: Ivy Bridge, 48 CPUs
  return {};
}

class Hwloc {
 public:
  Hwloc() {
    if (hwloc_topology_init(&topology_) != 0) throw std::bad_alloc();
  }
  ~Hwloc() { hwloc_topology_destroy(topology_); }
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_;
};

/// The core that the CPU is of; of one without, the CPU itself is the unit.
const hwloc_obj* core_of(hwloc_topology_t topology, hwloc_obj_t pu) {
  hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
  return core != nullptr ? core : pu;
}

/// Null if it is of none.
const hwloc_obj* numa_of(hwloc_topology_t topology, hwloc_obj_t pu) {
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < count; ++i) {
    hwloc_obj_t node =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
    if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset)) return node;
  }
  return nullptr;
}

/// Numbers from 0 on for objects in the order of their first CPUs. Hwloc's own have gaps: a machine
/// may have cores without a CPU and NUMA nodes of memory alone.
class Numbers {
 public:
  int of(const hwloc_obj* object) {
    return numbers_.try_emplace(object, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<const hwloc_obj*, int> numbers_;
};

constexpr unsigned long most_cpus = 1024;

std::invalid_argument too_many_cpus(std::string_view description) {
  return std::invalid_argument(
      fmt::format("node description '{}': more than {} CPUs; a node has 1 to {}", description,
                  most_cpus, most_cpus));
}

/// True if the synthetic description, "type:count type:count ..." with attributes in parentheses
/// and memory in brackets, has more than `most_cpus`. Of what hwloc would refuse, says anything.
/// Hwloc itself makes every one of them, which for a million takes for ever.
bool has_too_many_cpus(const std::string& synthetic) {
  unsigned long cpus = 1;
  for (const char* at = synthetic.c_str(); *at != '\0';) {
    if (*at == '(' || *at == '[') {
      at = std::strchr(at, *at == '(' ? ')' : ']');
      if (at == nullptr) return false;
      ++at;
    } else if (std::isspace(static_cast<unsigned char>(*at)) != 0) {
      ++at;
    } else {
      if (std::isdigit(static_cast<unsigned char>(*at)) == 0) {
        at = std::strchr(at, ':');
        if (at == nullptr) return false;
        ++at;
      }
      char* end = nullptr;
      const unsigned long count = std::strtoul(at, &end, 0);
      if (end == at) return false;
      at = end;
      if (count > most_cpus || cpus * count > most_cpus) return true;
      cpus *= count;
    }
  }
  return false;
}

using CpuList = std::vector<NodeTopology::Cpu>;

CpuList cpus_of(hwloc_topology_t hwloc) {
  CpuList cpus;
  Numbers cores;
  Numbers numa_nodes;
  for (hwloc_obj_t pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, nullptr); pu != nullptr;
       pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu)) {
    cpus.push_back({cores.of(core_of(hwloc, pu)), numa_nodes.of(numa_of(hwloc, pu)),
                    static_cast<int>(pu->os_index)});
  }
  return cpus;
}

/// Nothing if hwloc refuses it.
std::optional<CpuList> cpus_of_synthetic(const std::string& text) {
  Hwloc hwloc;
  if (text.empty() || hwloc_topology_set_synthetic(hwloc.get(), text.c_str()) != 0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    return std::nullopt;
  }
  return cpus_of(hwloc.get());
}

/// What a child process that reads a topology file leaves for its parent.
struct Reading {
  bool accepted = false;
  std::size_t size = 0;
  std::array<NodeTopology::Cpu, most_cpus> cpus;  ///< the first of them
};

void read_file(const std::string& path, Reading& into) {
  Hwloc hwloc;
  if (hwloc_topology_set_xml(hwloc.get(), path.c_str()) != 0 ||
      hwloc_topology_load(hwloc.get()) != 0) {
    return;
  }
  const CpuList cpus = cpus_of(hwloc.get());
  into.size = cpus.size();
  std::copy_n(cpus.begin(), std::min(cpus.size(), into.cpus.size()), into.cpus.begin());
  into.accepted = true;
}

/// The value of an attribute of the XML tag `tag`; nothing if it has none.
std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::size_t sign = at + name.size();
    const bool whole = at > 0 && std::isspace(static_cast<unsigned char>(tag[at - 1])) != 0;
    if (!whole || tag.substr(sign, 1) != "=") continue;
    const std::string_view quote = tag.substr(sign + 1, 1);
    const std::size_t end = tag.find(quote, sign + 2);
    if (quote.empty() || end == std::string_view::npos) return std::nullopt;
    return tag.substr(sign + 2, end - sign - 2);
  }
  return std::nullopt;
}

/// Hwloc makes sets as large as the largest number of a CPU, and one that the file does not say
/// counts as 4,294,967,295. Throws std::invalid_argument with one line.
void check_cpu_numbers(const std::string& path, std::string_view text) {
  constexpr unsigned long highest = 8191;  // of the CPUs of a Linux kernel
  for (std::size_t at = text.find("<object"); at != std::string_view::npos;
       at = text.find("<object", at + 1)) {
    const std::string_view tag = text.substr(at, text.find('>', at) - at);
    if (attribute(tag, "type") != "PU") continue;
    const std::string number(attribute(tag, "os_index").value_or(""));
    char* end = nullptr;
    const unsigned long value = std::strtoul(number.c_str(), &end, 10);
    if (!number.empty() && *end == '\0' && value <= highest) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
    throw std::invalid_argument(
        fmt::format("node description '{}', line {}: a PU with {}; it must be 0 to {}", path, line,
                    number.empty() ? "no os_index" : "os_index " + printable(number), highest));
  }
}

/// Throws std::invalid_argument with one line if there is no such file.
std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::invalid_argument(
        fmt::format("node description '{}': {}", path, std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Nothing if hwloc refuses the file. Hwloc crashes on some that are damaged, so that it reads them
/// in a child process.
std::optional<CpuList> cpus_of_file(const std::string& path) {
  check_cpu_numbers(path, text_of_file(path));
  void* const shared =
      mmap(nullptr, sizeof(Reading), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  const std::unique_ptr<Reading, void (*)(Reading*)> reading(
      new (shared) Reading, [](Reading* each) { munmap(each, sizeof(Reading)); });
  constexpr int patience_s = 20;
  const int end = run_in_child(patience_s, [&] { read_file(path, *reading); });
  if (end > 0) {
    throw std::invalid_argument(fmt::format(
        "node description '{}': hwloc crashes on it ({}): damaged? Make it again with lstopo", path,
        strsignal(end)));
  }
  if (!reading->accepted) return std::nullopt;
  if (reading->size > most_cpus) throw too_many_cpus(path);
  return CpuList(reading->cpus.begin(), reading->cpus.begin() + static_cast<long>(reading->size));
}

}  // namespace

std::vector<std::vector<int>> NodeTopology::unit_mates() const {
  std::vector<std::vector<int>> mates(cpus.size());
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    for (std::size_t other = 0; other < cpus.size(); ++other) {
      if (other != cpu && cpus[other].compute_unit == cpus[cpu].compute_unit) {
        mates[cpu].push_back(static_cast<int>(other));
      }
    }
  }
  return mates;
}

std::shared_ptr<const NodeTopology> NodeTopology::load(std::string_view description) {
  const std::string_view known = preset(description);
  const std::string text(known.empty() ? description : known);
  const bool xml = text.ends_with(".xml");
  if (!xml && has_too_many_cpus(text)) throw too_many_cpus(description);
  std::optional<CpuList> cpus = xml ? cpus_of_file(text) : cpus_of_synthetic(text);
  if (!cpus) {
    throw std::invalid_argument(
        fmt::format("node description '{}': allowed is xe6, xk6, hopper, edison, an hwloc "
                    "synthetic string such as "
                    "'package:2 numa:2 core:4 pu:2', or an hwloc XML file (*.xml)",
                    description));
  }
  if (cpus->size() > most_cpus) throw too_many_cpus(description);
  if (cpus->empty()) {
    throw std::invalid_argument(
        fmt::format("node description '{}': no CPU; a node has 1 to {}", description, most_cpus));
  }
  std::string variable =
      xml ? "HWLOC_XMLFILE=" + std::filesystem::absolute(text).string() : "HWLOC_SYNTHETIC=" + text;
  return std::make_shared<NodeTopology>(
      NodeTopology{std::move(*cpus), std::string(description), std::move(variable)});
}

std::shared_ptr<const NodeTopology> NodeTopology::of_this_host(const std::vector<int>& allowed) {
  Hwloc hwloc;
  if (hwloc_topology_load(hwloc.get()) != 0) {
    throw std::runtime_error("hwloc cannot find out what CPUs this host has");
  }
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  if (set == nullptr) throw std::bad_alloc();
  for (const int cpu : allowed) hwloc_bitmap_set(set, static_cast<unsigned>(cpu));
  if (hwloc_bitmap_intersects(set, hwloc_topology_get_topology_cpuset(hwloc.get()))) {
    hwloc_topology_restrict(hwloc.get(), set, 0);
  }
  hwloc_bitmap_free(set);
  return std::make_shared<NodeTopology>(NodeTopology{cpus_of(hwloc.get()), "this host", ""});
}

}  // namespace corespec
