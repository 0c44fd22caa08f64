// Which tile belongs to which link, and what is at its other end.
#include "ugni_emu/gemini/links/tile_map.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "ugni_emu/gemini/links/interconnect_file.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

constexpr const char* systems[] = {"hopper", "cielo", "1x1x1",  "2x2x2",  "1x2x16", "2x1x8",
                                   "3x3x3",  "5x5x5", "4x4x40", "3x7x17", "6x5x24", "2x3x33"};

std::string name_of_tile(const Torus& torus, RouterTile at) {
  const TilePlace place = place_of(torus, at);
  return place.link ? std::string(torus.link_name(*place.link)) : "HH";
}

TEST(TileMap, TheFirstGeminiOfCieloIsAsPublished) {  // S0, figure 3
  const Torus torus = Torus::parse("cielo");
  std::istringstream figure(
      "Z+ Z+ X+ X+ X- X- Z- Z- "
      "Z+ Z+ X+ X+ X- X- Z- Z- "
      "Z- Z- Z- HH HH Z+ Z+ Z+ "
      "X+ X+ Z- HH HH Z+ X- X- "
      "X+ X+ Y- HH HH Y+ X- X- "
      "Y- Y- Y- HH HH Y+ Y+ Y+");
  for (Tile tile = 0; tile < kTiles; ++tile) {
    std::string published;
    figure >> published;
    EXPECT_EQ(name_of_tile(torus, {0, tile}), published) << int{tile};
  }
}

TEST(TileMap, TheFirstLinesOfCieloAreAsPublished) {  // S0, figure 2
  const std::string lines = interconnect_lines(Torus::parse("cielo"), 0);
  const std::string published =
      "c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane\n"
      "c0-0c0s0g0l01[(0,0,0)] Z+ -> c0-0c0s1g0l21[(0,0,1)] LinkType: backplane\n"
      "c0-0c0s0g0l02[(0,0,0)] X+ -> c1-0c0s0g0l02[(1,0,0)] LinkType: cable11x\n"
      "c0-0c0s0g0l03[(0,0,0)] X+ -> c1-0c0s0g0l03[(1,0,0)] LinkType: cable11x\n"
      "c0-0c0s0g0l04[(0,0,0)] X- -> c2-0c0s0g0l41[(15,0,0)] LinkType: cable18x\n"
      "c0-0c0s0g0l05[(0,0,0)] X- -> c2-0c0s0g0l31[(15,0,0)] LinkType: cable18x\n"
      "c0-0c0s0g0l06[(0,0,0)] Z- -> c0-0c2s7g0l26[(0,0,23)] LinkType: cable15z\n"
      "c0-0c0s0g0l07[(0,0,0)] Z- -> c0-0c2s7g0l35[(0,0,23)] LinkType: cable15z\n";
  EXPECT_EQ(lines.substr(0, published.size()), published);
}

TEST(TileMap, EveryGeminiHasItsFortyEightTiles) {
  for (const char* system : systems) {
    const Torus torus = Torus::parse(system);
    const std::array<std::size_t, 6> sizes = {8, 8, 4, 4, 8, 8};
    for (RouterId router = 0; router < torus.routers(); ++router) {
      std::set<Tile> tiles(torus.host_tiles().begin(), torus.host_tiles().end());
      EXPECT_EQ(tiles.size(), 8U);
      for (std::uint8_t link = 0; link < 6; ++link) {
        const auto of_link = torus.tiles_of({router, link});
        EXPECT_EQ(of_link.size(), sizes[link]);
        tiles.insert(of_link.begin(), of_link.end());
      }
      EXPECT_EQ(tiles.size(), kTiles) << system << " " << router;
      EXPECT_LT(*tiles.rbegin(), kTiles);
    }
  }
}

TEST(TileMap, BothEndsOfATileLeadToEachOtherInOppositeDirections) {
  for (const char* system : systems) {
    const Torus torus = Torus::parse(system);
    for (RouterId router = 0; router < torus.routers(); ++router) {
      for (Tile tile = 0; tile < kTiles; ++tile) {
        const RouterTile at{router, tile};
        const RouterTile far = far_end(torus, at);
        ASSERT_EQ(far_end(torus, far), at) << system << " " << router << " " << int{tile};
        const TilePlace here = place_of(torus, at), there = place_of(torus, far);
        if (!here.link || !torus.has_link({router, *here.link})) {
          EXPECT_EQ(far, at);
          continue;
        }
        ASSERT_TRUE(there.link.has_value());
        EXPECT_EQ(*there.link,
                  static_cast<std::uint8_t>(opposite(static_cast<Direction>(*here.link))));
        EXPECT_EQ(there.number, here.number);
        EXPECT_EQ(far.router, torus.far_end({router, *here.link}).router);
      }
    }
  }
}

TEST(TileMap, ALinksTilesAreNumbered) {
  const Torus torus = Torus::parse("3x5x9");
  for (RouterId router = 0; router < torus.routers(); ++router) {
    for (std::uint8_t link = 0; link < 6; ++link) {
      const auto tiles = torus.tiles_of({router, link});
      for (unsigned k = 0; k < tiles.size(); ++k) {
        EXPECT_EQ(tile_of(torus, {router, link}, k), tiles[k]);
        EXPECT_EQ(place_of(torus, {router, tiles[k]}), (TilePlace{link, k}));
      }
      // More tiles by CASTOR_TILES_... than the map has.
      EXPECT_EQ(tile_of(torus, {router, link}, static_cast<unsigned>(tiles.size()) + 1), tiles[1]);
    }
    for (unsigned k = 0; k < 8; ++k) {
      EXPECT_EQ(place_of(torus, {router, torus.host_tiles()[k]}), (TilePlace{std::nullopt, k}));
    }
  }
  EXPECT_THROW(place_of(torus, {0, kTiles}), std::out_of_range);
}

TEST(TileMap, DependsOnTheParitiesThatLdmsFound) {
  for (const char* system : systems) {
    const Torus torus = Torus::parse(system);
    std::map<std::array<int, 4>, std::string> patterns;
    for (RouterId router = 0; router < torus.routers(); ++router) {
      const CabinetPlace place = torus.cabinet_place(router);
      std::string pattern;
      for (Tile tile = 0; tile < kTiles; ++tile) pattern += name_of_tile(torus, {router, tile});
      const std::array<int, 4> parities = {place.column % 2, place.row % 2, place.cage % 2,
                                           place.gemini};
      EXPECT_EQ(patterns.emplace(parities, pattern).first->second, pattern) << router;
    }
  }
}

/// The pairs of figure 2 are mirror images of each other, left and right; ours are, too.
TEST(TileMap, PairsOfTilesAreMirrored) {
  const Torus torus = Torus::parse("1x3x3");
  const auto mirrored = [](Tile tile) { return tile_at(row_of(tile), 7 - column_of(tile)); };
  // The links whose ends have one parity: Z within a cage, and Y where the ring of 3 closes.
  for (const auto& [router, direction] :
       {std::pair{torus.router_at({0, 0, 0}), Direction::z_plus},
        std::pair{torus.router_at({0, 2, 0}), Direction::y_plus}}) {
    const Port port = torus.port(torus.coordinates(router), direction);
    const RouterId back = torus.far_end(port).router;
    for (const Tile tile : torus.tiles_of(port)) {
      const Tile far = far_end(torus, {router, tile}).tile;
      EXPECT_NE(far, tile);
      EXPECT_EQ(far_end(torus, {back, mirrored(tile)}).tile, mirrored(far)) << int{tile};
    }
  }
  const Torus columns = Torus::parse("5x1x1");  // x = 1 and 2 are columns 1 and 3
  for (const Tile tile : columns.tiles_of(columns.port({1, 0, 0}, Direction::x_plus))) {
    const Tile far = far_end(columns, {1, tile}).tile;
    EXPECT_EQ(far_end(columns, {2, mirrored(tile)}).tile, mirrored(far)) << int{tile};
  }
}

TEST(TileMap, TheMapAgreesWithTheDefaultNumbersOfTiles) {
  const corespec::Parameters parameters;
  const Torus torus = Torus::parse("cielo");
  for (std::uint8_t link = 0; link < 6; ++link) {
    const LinkClass& kind = torus.link_classes()[torus.link_class({77, link})];
    EXPECT_EQ(torus.tiles_of({77, link}).size(), static_cast<std::size_t>(parameters.*kind.tiles));
  }
  EXPECT_EQ(torus.host_tiles().size(), static_cast<std::size_t>(parameters.tiles_host));
}

std::map<std::string, int> count_of_types(const char* system) {
  const Torus torus = Torus::parse(system);
  std::map<std::string, int> types;
  for (RouterId router = 0; router < torus.routers(); ++router) {
    std::istringstream lines(interconnect_lines(torus, router));
    for (std::string line; std::getline(lines, line);) {
      ++types[line.substr(line.rfind(' ') + 1)];
    }
  }
  return types;
}

using Types = std::map<std::string, int>;

TEST(InterconnectFile, CieloHasAsManyLinesAsPublished) {
  // 16 columns: 2 of 16 links in X join cabinets side by side. 6 rows: 5 of 6.
  EXPECT_EQ(count_of_types("cielo"), (Types{{"mezzanine", 4608 * 4},
                                            {"backplane", 4608 * 16 * 7 / 8},
                                            {"cable11x", 4608 * 16 * 2 / 16},
                                            {"cable18x", 4608 * 16 * 14 / 16},
                                            {"cable11y", 4608 * 4 * 5 / 6},
                                            {"cable18y", 4608 * 4 * 1 / 6},
                                            {"cable15z", 4608 * 16 / 8}}));  // 184,320
}

TEST(InterconnectFile, RingsOfOneAndTwo) {
  EXPECT_EQ(count_of_types("1x1x1"), Types());
  EXPECT_EQ(count_of_types("2x1x1"), (Types{{"cable11x", 32}}));
  EXPECT_EQ(count_of_types("1x2x1"), (Types{{"mezzanine", 8}, {"cable11y", 8}}));
  EXPECT_EQ(count_of_types("1x1x2"), (Types{{"backplane", 16}, {"cable15z", 16}}));
  EXPECT_EQ(count_of_types("1x3x1"), (Types{{"mezzanine", 8}, {"cable11y", 16}}));
}

}  // namespace
}  // namespace gemini
