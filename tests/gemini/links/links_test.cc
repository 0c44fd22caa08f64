// Link types and bandwidths by dimension and position.
#include "ugni_emu/gemini/links/links.h"

#include <gtest/gtest.h>

namespace gemini {
namespace {

TEST(Links, CieloMatchesTheMonitorLibrarysOutput) {  // S0, figure 4
  const Torus torus = Torus::parse("cielo");
  const corespec::Parameters parameters;
  const auto rate = [&](Coordinates at, Direction direction) {
    return link_bandwidth(parameters, torus, at, direction) * 1e-9;
  };
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::x_plus), 9.375);
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::x_minus), 9.375);
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::y_plus), 4.6875);
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::y_minus), 9.375);
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::z_plus), 15.0);
  EXPECT_DOUBLE_EQ(rate({0, 1, 1}, Direction::z_minus), 15.0);
  EXPECT_DOUBLE_EQ(rate({0, 0, 1}, Direction::y_plus), 9.375);
  EXPECT_DOUBLE_EQ(rate({0, 0, 1}, Direction::y_minus), 4.6875);  // wraps to y = 11
  EXPECT_DOUBLE_EQ(host_bandwidth(parameters), 10.401e9);
}

TEST(Links, EveryEighthZLinkIsACable) {
  const Torus torus = Torus::parse("hopper");
  for (std::uint16_t z = 0; z < 24; ++z) {
    const LinkType expected = z % 8 == 7 ? LinkType::cable : LinkType::backplane;
    EXPECT_EQ(link_type(torus, {3, 3, z}, Direction::z_plus), expected) << z;
  }
  const corespec::Parameters parameters;
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, torus, {0, 0, 7}, Direction::z_plus), 9.375e9);
}

TEST(Links, TypesOfYAlternate) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(link_type(torus, {0, 0, 0}, Direction::y_plus), LinkType::mezzanine);
  EXPECT_EQ(link_type(torus, {0, 1, 0}, Direction::y_plus), LinkType::cable);
  EXPECT_EQ(link_type(torus, {0, 2, 0}, Direction::y_minus), LinkType::cable);
  EXPECT_EQ(link_type(torus, {0, 3, 0}, Direction::y_minus), LinkType::mezzanine);
}

TEST(Links, BothDirectionsOfALinkAreOfOneType) {
  for (const char* system : {"hopper", "3x5x9", "2x2x2"}) {
    const Torus torus = Torus::parse(system);
    for (GeminiId id = 0; id < torus.gemini_count(); ++id) {
      const Coordinates at = torus.coordinates(id);
      for (const Direction plus : {Direction::x_plus, Direction::y_plus, Direction::z_plus}) {
        EXPECT_EQ(link_type(torus, at, plus),
                  link_type(torus, neighbour(torus, at, plus), opposite(plus)));
      }
    }
  }
}

TEST(Links, OddRingsCloseByCable) {
  const Torus torus = Torus::parse("1x5x5");
  EXPECT_EQ(link_type(torus, {0, 4, 0}, Direction::y_plus), LinkType::cable);
  EXPECT_EQ(link_type(torus, {0, 0, 4}, Direction::z_plus), LinkType::cable);
}

TEST(Links, ARingOfOneHasNoLink) {
  const corespec::Parameters parameters;
  EXPECT_EQ(link_bandwidth(parameters, Torus::parse("1x2x1"), {0, 0, 0}, Direction::x_plus), 0);
}

TEST(Links, BandwidthsComeFromTheParameters) {
  corespec::Parameters parameters;
  parameters.tile_cable = 1e9;
  parameters.tiles_x = 3;
  const Torus torus = Torus::parse("hopper");
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, torus, {0, 0, 0}, Direction::x_plus), 3e9);
}

TEST(Links, TypesHaveTheFieldsWords) {
  EXPECT_EQ(name_of(LinkType::mezzanine), "mezzanine");
  EXPECT_EQ(name_of(LinkType::backplane), "backplane");
  EXPECT_EQ(name_of(LinkType::cable), "cable");
  EXPECT_EQ(name_of(LinkType::host), "host");
}

}  // namespace
}  // namespace gemini
