// Meeting the other processes of a job in virtual time.
#include "launch/workers/hosts.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "launch/start_up/start_up.h"
#include "ugni_emu/fabric/libfabric/libfabric_transport.h"
#include "ugni_emu/fabric/libfabric/provider.h"

namespace launch {
namespace {

using Bytes = std::vector<std::byte>;
using corespec::Setting;

/// What a process tells the others first: CPUs, and texts with zeros behind them (its build, how
/// many words the command line has, these, then names and values of the first process's settings).
struct Card {
  cpu_set_t cpus;
  std::string build;
  std::vector<std::string> words;
  std::vector<Setting> settings;
};

void append(Bytes& bytes, std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  bytes.insert(bytes.end(), begin, begin + text.size());
  bytes.push_back(std::byte{0});
}

Bytes packed(const Card& card) {
  Bytes bytes(sizeof card.cpus);
  std::memcpy(bytes.data(), &card.cpus, sizeof card.cpus);
  append(bytes, card.build);
  append(bytes, std::to_string(card.words.size()));
  for (const std::string& word : card.words) append(bytes, word);
  for (const auto& [name, value] : card.settings) {
    append(bytes, name);
    append(bytes, value);
  }
  return bytes;
}

[[noreturn]] void throw_garbled() {
  throw std::runtime_error("--workers: another process of the job says what this one cannot read");
}

Card unpacked(const Bytes& bytes) {
  Card card{};
  if (bytes.size() < sizeof card.cpus) throw_garbled();
  std::memcpy(&card.cpus, bytes.data(), sizeof card.cpus);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + sizeof card.cpus,
                        bytes.size() - sizeof card.cpus);
  const auto next = [&] {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) throw_garbled();
    std::string text(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return text;
  };
  card.build = next();
  for (std::size_t words = std::strtoul(next().c_str(), nullptr, 10); words > 0; --words) {
    card.words.push_back(next());
  }
  while (!rest.empty()) {
    std::string name = next();
    card.settings.emplace_back(std::move(name), next());
  }
  return card;
}

/// The builds of aprun and of this library, as the linker has noted them (--build-id): what parts
/// tell each other is laid out by the compiler.
int add_build(dl_phdr_info* object, std::size_t, void* texts) {
  const std::string_view name = object->dlpi_name;
  if (!name.empty() && name.find("libcastor_launch") == std::string_view::npos) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    const char* const end = at + part.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      constexpr std::size_t unit = 4;
      const auto whole = [](std::size_t bytes) { return (bytes + unit - 1) / unit * unit; };
      const char* const content = at + sizeof note + whole(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID) {
        for (std::size_t byte = 0; byte < note.n_descsz; ++byte) {
          *static_cast<std::string*>(texts) +=
              fmt::format("{:02x}", static_cast<unsigned char>(content[byte]));
        }
      }
      at = content + whole(note.n_descsz);
    }
  }
  return 0;
}

std::string own_build() {
  std::string texts;
  dl_iterate_phdr(add_build, &texts);
  return texts;
}

/// A launcher's variables are another process's in each, and no rank's business.
bool is_launchers(const Setting& setting) {
  constexpr std::array prefixes{"PMIX_", "PMI_", "OMPI_", "ORTE_", "PRTE_"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return setting.first.starts_with(prefix); });
}

std::string value_of(const std::vector<Setting>& settings, std::string_view name) {
  std::string value;
  for (const auto& [key, text] : settings) {
    if (key == name) value = text;
  }
  return value;
}

/// Of the CPUs that the processes of one host may use each has an equal part.
std::vector<std::size_t> shares(const std::vector<Card>& cards, const std::vector<int>& host_of) {
  std::vector<std::size_t> cpus;
  for (std::size_t process = 0; process < cards.size(); ++process) {
    cpu_set_t all;
    CPU_ZERO(&all);
    std::size_t sharers = 0;
    for (std::size_t other = 0; other < cards.size(); ++other) {
      if (host_of[other] != host_of[process]) continue;
      CPU_OR(&all, &all, &cards[other].cpus);
      ++sharers;
    }
    cpus.push_back(static_cast<std::size_t>(CPU_COUNT(&all)) / sharers);
  }
  return cpus;
}

std::unique_ptr<ugni::fabric::LibfabricTransport> open_transport(std::string provider,
                                                                 bool one_host, std::size_t peers) {
  if (provider.empty() || provider == "auto") provider = "tcp;ofi_rxm";
  if (provider == "shm") {
    throw std::invalid_argument(
        "CASTOR_PROVIDER=shm reaches processes of one host only; --workers on several hosts takes "
        "auto, or a network's provider");
  }
  auto transport = std::make_unique<ugni::fabric::LibfabricTransport>(
      ugni::fabric::LibfabricTransport::Request{provider, "", one_host, peers});
  if (transport->wait_descriptor() < 0) {
    throw std::invalid_argument(
        fmt::format("CASTOR_PROVIDER: libfabric's {} cannot wake a sleeping process; it has {}",
                    transport->name(), ugni::fabric::known_providers()));
  }
  return transport;
}

/// No process is there that could be asked to end the others: their launcher does it, or they end
/// in the same way.
StartUp::Waits starting_waits(const std::vector<Setting>& settings) {
  std::vector<std::string> told_later;
  return {corespec::read_parameters(settings, told_later).start_timeout,
          [](const std::string& why) { fmt::print(stderr, "aprun: --workers: {}\n", why); }};
}

}  // namespace

bool Hosts::launched(const std::vector<Setting>& environment) {
  return StartUp::launched(environment);
}

void Hosts::let_first_speak(const std::vector<Setting>& environment) {
  if (!launched(environment) || value_of(environment, "PMIX_RANK") == "0") return;
  constexpr int times = 50;  // a launcher takes seconds to end a process on another host
  for (int i = 0; i < times; ++i) StartUp::let_launcher_act();
}

Hosts::Hosts(const Given& given) {
  StartUp start_up(starting_waits(given.settings));
  own_ = static_cast<std::size_t>(start_up.rank());
  const auto count = static_cast<std::size_t>(start_up.size());
  Card own{};
  sched_getaffinity(0, sizeof own.cpus, &own.cpus);
  own.build = own_build();
  own.words = given.words;
  if (own_ == 0) {
    for (const Setting& setting : given.settings) {
      if (!is_launchers(setting)) own.settings.push_back(setting);
    }
  }
  std::vector<Card> cards;
  start_up.waits_for("all of the launcher's processes to say what they are to run");
  for (const Bytes& card : start_up.allgather(packed(own))) cards.push_back(unpacked(card));
  for (const Card& card : cards) {
    if (card.build != cards.front().build) {
      throw std::invalid_argument(
          fmt::format("--workers: the launcher's processes run one job together, so all hosts must "
                      "have the same build of Castor; number {} has another one than number 0",
                      &card - cards.data()));
    }
    if (card.words == cards.front().words) continue;
    throw std::invalid_argument(
        fmt::format("--workers: the launcher's processes run one job together, so all must have "
                    "the same command line; number {} has another one than number 0",
                    &card - cards.data()));
  }
  settings_ = std::move(cards.front().settings);
  cpus_ = shares(cards, start_up.host_of());
  if (count > 1) {
    const std::vector<int>& host_of = start_up.host_of();
    const bool one_host = std::count(host_of.begin(), host_of.end(), 0) == start_up.size();
    start_up.waits_for("the other processes' addresses");
    auto transport = open_transport(value_of(settings_, "CASTOR_PROVIDER"), one_host, count);
    const std::vector<Bytes> addresses = start_up.allgather(transport->address());
    parcels_ = std::make_unique<Parcels>(std::move(transport), own_, addresses);
    start_up.waits_for("a first message from each of the launcher's other processes");
    parcels_->meet();
  }
  start_up.has_started();
  start_up.finalize();
  // What the launcher's end would leave behind otherwise.
  if (count > 1) prctl(PR_SET_PDEATHSIG, SIGKILL);
}

Hosts::~Hosts() = default;

std::vector<std::size_t> workers_of_hosts(std::size_t hosts, std::size_t wanted,
                                          const std::vector<std::size_t>& limits,
                                          std::size_t most) {
  std::vector<std::size_t> counts(hosts, std::max<std::size_t>(wanted, 1));
  for (std::size_t host = 0; host < limits.size(); ++host) {
    counts[host] = std::max<std::size_t>(std::min(counts[host], limits[host]), 1);
  }
  std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  for (; all > most; --all) {
    // The last of those that have most.
    const auto largest = std::max_element(counts.rbegin(), counts.rend());
    if (*largest == 1) break;
    --*largest;
  }
  return counts;
}

}  // namespace launch
