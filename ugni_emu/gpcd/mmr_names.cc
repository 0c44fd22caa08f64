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

constexpr std::uint16_t flows(std::initializer_list<NicFlow> list) {
  unsigned bits = 0;
  for (const NicFlow flow : list) bits |= ugni::flow_bit(flow);
  return static_cast<std::uint16_t>(bits);
}

/// A register of a block of the NIC.
struct NicRegister {
  std::uint64_t address;
  const char* name;
  Register::Kind kind;
  std::uint16_t flows;
};

constexpr Register::Kind packets = Register::Kind::nic_packets;
constexpr Register::Kind all_flits = Register::Kind::nic_flits;
constexpr Register::Kind headers = Register::Kind::nic_header_flits;
constexpr Register::Kind data = Register::Kind::nic_data_flits;
constexpr Register::Kind nothing = Register::Kind::nothing;

constexpr std::uint16_t from_fma = flows({NicFlow::fma});
constexpr std::uint16_t from_bte = flows({NicFlow::bte});
constexpr std::uint16_t looped = flows({NicFlow::loopback});
constexpr std::uint16_t requests_out = flows({NicFlow::fma, NicFlow::bte});
constexpr std::uint16_t responses_in = flows({NicFlow::responses_received});
constexpr std::uint16_t requests_in = flows({NicFlow::requests_received});
constexpr std::uint16_t to_gets = flows({NicFlow::gets_answered});
constexpr std::uint16_t to_atomics = flows({NicFlow::atomics_answered});
constexpr std::uint16_t to_others = flows({NicFlow::others_answered});
constexpr std::uint16_t responses_out =
    flows({NicFlow::gets_answered, NicFlow::atomics_answered, NicFlow::others_answered});

constexpr std::uint64_t amo = 0x5c00000, npt = 0x5e00000, orb = 0x5000000, rat = 0x5980000,
                        tarb = 0x5800000;

/// Cray's names and addresses, of those registers of which it is known what they count (LDMS
/// computes with them), and the stalls beside them. Which of the three ways of NPT takes which
/// responses is an estimate.
constexpr NicRegister nic_table[] = {
    {tarb + 0x200, "GM_TARB_PERF_OUT_FLITS", all_flits, requests_out},
    {tarb + 0x208, "GM_TARB_PERF_OUT_PKTS", packets, requests_out},
    {tarb + 0x210, "GM_TARB_PERF_OUT_STALLED", nothing, 0},
    {tarb + 0x220, "GM_TARB_PERF_BTE_FLITS", all_flits, from_bte},
    {tarb + 0x228, "GM_TARB_PERF_BTE_PKTS", packets, from_bte},
    {tarb + 0x230, "GM_TARB_PERF_BTE_STALLED", nothing, 0},
    {tarb + 0x238, "GM_TARB_PERF_BTE_BLOCKED", nothing, 0},
    {tarb + 0x240, "GM_TARB_PERF_FMA_FLITS", all_flits, from_fma},
    {tarb + 0x248, "GM_TARB_PERF_FMA_PKTS", packets, from_fma},
    {tarb + 0x250, "GM_TARB_PERF_FMA_STALLED", nothing, 0},
    {tarb + 0x258, "GM_TARB_PERF_FMA_BLOCKED", nothing, 0},
    {tarb + 0x260, "GM_TARB_PERF_LB_FLITS", all_flits, looped},
    {tarb + 0x268, "GM_TARB_PERF_LB_PKTS", packets, looped},
    {tarb + 0x270, "GM_TARB_PERF_LB_STALLED", nothing, 0},
    {tarb + 0x278, "GM_TARB_PERF_LB_BLOCKED", nothing, 0},
    {orb + 0x18000, "GM_ORB_PERF_VC1_STALLED", nothing, 0},
    {orb + 0x18008, "GM_ORB_PERF_VC1_BLOCKED", nothing, 0},
    {orb + 0x18018, "GM_ORB_PERF_VC1_PKTS", packets, responses_in},
    {orb + 0x18020, "GM_ORB_PERF_VC1_FLITS", all_flits, responses_in},
    {orb + 0x18028, "GM_ORB_PERF_VC0_STALLED", nothing, 0},
    {orb + 0x18038, "GM_ORB_PERF_VC0_PKTS", packets, requests_out},
    {orb + 0x18040, "GM_ORB_PERF_VC0_FLITS", all_flits, requests_out},
    {rat + 0x110, "GM_RAT_PERF_HEADER_FLITS_VC0", headers, requests_in},
    {rat + 0x118, "GM_RAT_PERF_DATA_FLITS_VC0", data, requests_in},
    {rat + 0x140, "GM_RAT_PERF_HEADER_FLITS_VC1", headers, responses_in},
    {rat + 0x148, "GM_RAT_PERF_DATA_FLITS_VC1", data, responses_in},
    {npt + 0x140, "GM_NPT_PERF_ACP_FLIT_CNTR", all_flits, to_atomics},
    {npt + 0x148, "GM_NPT_PERF_ACP_PKT_CNTR", packets, to_atomics},
    {npt + 0x150, "GM_NPT_PERF_ACP_STALLED_CNTR", nothing, 0},
    {npt + 0x158, "GM_NPT_PERF_ACP_BLOCKED_CNTR", nothing, 0},
    {npt + 0x160, "GM_NPT_PERF_NRP_FLIT_CNTR", all_flits, to_gets},
    {npt + 0x168, "GM_NPT_PERF_NRP_PKT_CNTR", packets, to_gets},
    {npt + 0x170, "GM_NPT_PERF_NRP_STALLED_CNTR", nothing, 0},
    {npt + 0x178, "GM_NPT_PERF_NRP_BLOCKED_CNTR", nothing, 0},
    {npt + 0x180, "GM_NPT_PERF_NPT_FLIT_CNTR", all_flits, to_others},
    {npt + 0x188, "GM_NPT_PERF_NPT_PKT_CNTR", packets, to_others},
    {npt + 0x190, "GM_NPT_PERF_NPT_STALLED_CNTR", nothing, 0},
    {npt + 0x198, "GM_NPT_PERF_NPT_BLOCKED_CNTR", nothing, 0},
    {npt + 0x1c0, "GM_NPT_PERF_NL_RSP_PKT_CNTR", packets, responses_out},
    {amo + 0x168, "GM_AMO_PERF_AMO_HEADER_CNTR", packets, flows({NicFlow::atomics_received})},
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
    for (std::size_t at = 0; at < std::size(nic_table); ++at) {
      std::string& name = names_[tile_count + at];
      name = nic_table[at].name;
      items_[tile_count + at] = {nic_table[at].address, name.data()};
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
