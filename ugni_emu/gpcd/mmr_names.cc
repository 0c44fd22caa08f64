// The registers that GPCD's clients can name.
#include "ugni_emu/gpcd/mmr_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ugni_emu/gemini/topology/tile.h"

namespace gpcd {
namespace {

using ugni::NicFlow;
using ugni::Register;

constexpr unsigned counters_of_tile = ugni::tile_counter_count;
constexpr std::size_t tile_count = std::size_t{gemini::kTiles} * counters_of_tile;
constexpr std::string_view counters = "TILE_PERFORMANCE_COUNTERS_";

/// GPCD's addresses: a block for each tile, in which the fixed counters lie together.
constexpr std::uint64_t address_of(gemini::Tile tile, unsigned counter) {
  constexpr std::uint64_t tiles = 0x2001000, row = 0x20000, column = 0x2000, fixed = 0x380;
  return tiles + gemini::row_of(tile) * row + gemini::column_of(tile) * column + fixed +
         8 * std::uint64_t{counter};
}

constexpr std::uint8_t flows(std::initializer_list<NicFlow> list) {
  unsigned bits = 0;
  for (const NicFlow flow : list) bits |= ugni::flow_bit(flow);
  return static_cast<std::uint8_t>(bits);
}

struct NicRegister {
  const char* name;
  Register::Kind kind;
  std::uint8_t flows;
};

constexpr Register::Kind packets = Register::Kind::nic_packets;
constexpr Register::Kind all_flits = Register::Kind::nic_flits;
constexpr Register::Kind headers = Register::Kind::nic_header_flits;
constexpr Register::Kind data = Register::Kind::nic_data_flits;
constexpr Register::Kind nothing = Register::Kind::nothing;

constexpr std::uint8_t from_fma = flows({NicFlow::fma});
constexpr std::uint8_t from_bte = flows({NicFlow::bte});
constexpr std::uint8_t looped = flows({NicFlow::loopback});
constexpr std::uint8_t requests_out = flows({NicFlow::fma, NicFlow::bte});
constexpr std::uint8_t responses_in = flows({NicFlow::responses_received});
constexpr std::uint8_t requests_in = flows({NicFlow::requests_received});

/// GPCD's names of NIC registers, as LDMS uses them, of which it is known what they count.
constexpr NicRegister nic_table[] = {
    {"GM_TARB_PERF_FMA_FLITS", all_flits, from_fma},
    {"GM_TARB_PERF_FMA_PKTS", packets, from_fma},
    {"GM_TARB_PERF_FMA_STALLED", nothing, 0},
    {"GM_TARB_PERF_FMA_BLOCKED", nothing, 0},
    {"GM_TARB_PERF_BTE_FLITS", all_flits, from_bte},
    {"GM_TARB_PERF_BTE_PKTS", packets, from_bte},
    {"GM_TARB_PERF_BTE_STALLED", nothing, 0},
    {"GM_TARB_PERF_BTE_BLOCKED", nothing, 0},
    {"GM_TARB_PERF_LB_FLITS", all_flits, looped},
    {"GM_TARB_PERF_LB_PKTS", packets, looped},
    {"GM_TARB_PERF_LB_STALLED", nothing, 0},
    {"GM_TARB_PERF_OUT_FLITS", all_flits, requests_out},
    {"GM_TARB_PERF_OUT_PKTS", packets, requests_out},
    {"GM_TARB_PERF_OUT_STALLED", nothing, 0},
    {"GM_TARB_PERF_OUT_BLOCKED", nothing, 0},
    {"GM_ORB_PERF_VC0_FLITS", all_flits, requests_out},
    {"GM_ORB_PERF_VC0_PKTS", packets, requests_out},
    {"GM_ORB_PERF_VC0_STALLED", nothing, 0},
    {"GM_ORB_PERF_VC1_FLITS", all_flits, responses_in},
    {"GM_ORB_PERF_VC1_PKTS", packets, responses_in},
    {"GM_ORB_PERF_VC1_STALLED", nothing, 0},
    {"GM_ORB_PERF_VC1_BLOCKED", nothing, 0},
    {"GM_RAT_PERF_HEADER_FLITS_VC0", headers, requests_in},
    {"GM_RAT_PERF_DATA_FLITS_VC0", data, requests_in},
    {"GM_RAT_PERF_HEADER_FLITS_VC1", headers, responses_in},
    {"GM_RAT_PERF_DATA_FLITS_VC1", data, responses_in},
    {"GM_NPT_PERF_NL_RSP_PKT_CNTR", packets, flows({NicFlow::responses_sent})},
    {"GM_AMO_PERF_AMO_HEADER_CNTR", packets, flows({NicFlow::atomics_received})},
};

/// Descriptors and the names that they point to. Clients' type has no const; nothing changes it.
class Registers {
 public:
  Registers() {
    for (std::size_t number = 0; number < tile_count; ++number) {
      const auto tile = static_cast<gemini::Tile>(number / counters_of_tile);
      const auto counter = static_cast<unsigned>(number % counters_of_tile);
      names_[number] = "GM_" + std::to_string(gemini::row_of(tile)) + "_" +
                       std::to_string(gemini::column_of(tile)) + "_" + std::string(counters) +
                       std::to_string(counter);
      items_[number] = {address_of(tile, counter), names_[number].data()};
    }
    // No source has the addresses of these: ours are in their order.
    constexpr std::uint64_t first = 0x1000000;
    for (std::size_t at = 0; at < std::size(nic_table); ++at) {
      std::string& name = names_[tile_count + at];
      name = nic_table[at].name;
      items_[tile_count + at] = {first + 8 * at, name.data()};
    }
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;

  std::span<const gpcd_mmr_desc_t> items() const { return items_; }

 private:
  static constexpr std::size_t all = tile_count + std::size(nic_table);
  std::array<std::string, all> names_;
  std::array<gpcd_mmr_desc_t, all> items_{};
};

const Registers& registers() {
  static const Registers all;
  return all;
}

/// A digit below `end`, taken off the front.
bool take_digit(std::string_view& text, unsigned end, unsigned& digit) {
  if (text.empty() || text.front() < '0') return false;
  digit = static_cast<unsigned>(text.front() - '0');
  text.remove_prefix(1);
  return digit < end;
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

const gpcd_mmr_desc_t* find_tile_register(std::string_view name) {
  if (!take(name, "GM")) return nullptr;
  const bool apart = take(name, "_");
  unsigned row = 0, column = 0, counter = 0;
  const bool found = take_digit(name, gemini::kTileRows, row) && (!apart || take(name, "_")) &&
                     take_digit(name, gemini::kTileColumns, column) && take(name, "_") &&
                     take(name, counters) && take_digit(name, counters_of_tile, counter) &&
                     name.empty();
  if (!found) return nullptr;
  return &tile_registers()[std::size_t{gemini::tile_at(row, column)} * counters_of_tile + counter];
}

const gpcd_mmr_desc_t* find_nic_register(std::string_view name) {
  const auto items = nic_registers();
  const auto found = std::find_if(items.begin(), items.end(),
                                  [name](const auto& item) { return name == item.name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::span<const gpcd_mmr_desc_t> tile_registers() { return registers().items().first(tile_count); }
std::span<const gpcd_mmr_desc_t> nic_registers() { return registers().items().subspan(tile_count); }

gpcd_mmr_desc_t* find_register(std::string_view name) {
  const gpcd_mmr_desc_t* const tile = find_tile_register(name);
  return const_cast<gpcd_mmr_desc_t*>(tile != nullptr ? tile : find_nic_register(name));
}

bool is_register(const gpcd_mmr_desc_t* item) {
  const auto items = registers().items();
  const std::less<> before;
  return !before(item, items.data()) && before(item, items.data() + items.size());
}

ugni::Register register_of(const gpcd_mmr_desc_t* item) {
  const auto number = static_cast<std::size_t>(item - registers().items().data());
  if (number < tile_count) {
    return ugni::tile_register(static_cast<gemini::Tile>(number / counters_of_tile),
                               static_cast<ugni::TileCounter>(number % counters_of_tile));
  }
  const NicRegister& nic = nic_table[number - tile_count];
  Register which;
  which.kind = nic.kind;
  which.flows = nic.flows;
  return which;
}

}  // namespace gpcd
