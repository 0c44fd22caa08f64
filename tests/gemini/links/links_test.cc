// Bandwidths of links by their classes.
#include "ugni_emu/gemini/links/link_bandwidth.h"

#include <gtest/gtest.h>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

double bandwidth(const corespec::Parameters& parameters, const Torus& torus, Coordinates at,
                 Direction direction) {
  return link_bandwidth(parameters, torus, torus.port(at, direction));
}

TEST(Links, CieloMatchesTheMonitorLibrarysOutput) {  // S0, figure 4
  const Torus torus = Torus::parse("cielo");
  const corespec::Parameters parameters;
  const auto rate = [&](Coordinates at, Direction direction) {
    return bandwidth(parameters, torus, at, direction) * 1e-9;
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

TEST(Links, ACableOfZIsSlowerThanTheBackplane) {
  const corespec::Parameters parameters;
  const Torus torus = Torus::parse("hopper");
  EXPECT_DOUBLE_EQ(bandwidth(parameters, torus, {0, 0, 7}, Direction::z_plus), 9.375e9);
  EXPECT_DOUBLE_EQ(bandwidth(parameters, torus, {0, 0, 6}, Direction::z_plus), 15e9);
}

TEST(Links, ARingOfOneHasNoLink) {
  const corespec::Parameters parameters;
  EXPECT_EQ(bandwidth(parameters, Torus::parse("1x2x1"), {0, 0, 0}, Direction::x_plus), 0);
}

TEST(Links, BandwidthsComeFromTheParameters) {
  corespec::Parameters parameters;
  parameters.tile_cable = 1e9;
  parameters.tiles_x = 3;
  const Torus torus = Torus::parse("hopper");
  EXPECT_DOUBLE_EQ(bandwidth(parameters, torus, {0, 0, 0}, Direction::x_plus), 3e9);
}

}  // namespace
}  // namespace gemini
