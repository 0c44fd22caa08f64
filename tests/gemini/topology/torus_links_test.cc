// What a torus's links are made of, by dimension and position.
#include <gtest/gtest.h>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

LinkType type_of(const Torus& torus, Coordinates at, Direction direction) {
  return torus.link_classes()[torus.link_class(torus.port(at, direction))].type;
}

TEST(TorusLinks, EveryEighthZLinkIsACable) {
  const Torus torus = Torus::parse("hopper");
  for (std::uint16_t z = 0; z < 24; ++z) {
    const LinkType expected = z % 8 == 7 ? LinkType::cable : LinkType::backplane;
    EXPECT_EQ(type_of(torus, {3, 3, z}, Direction::z_plus), expected) << z;
  }
}

TEST(TorusLinks, TypesOfYAlternate) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(type_of(torus, {0, 0, 0}, Direction::y_plus), LinkType::mezzanine);
  EXPECT_EQ(type_of(torus, {0, 1, 0}, Direction::y_plus), LinkType::cable);
  EXPECT_EQ(type_of(torus, {0, 2, 0}, Direction::y_minus), LinkType::cable);
  EXPECT_EQ(type_of(torus, {0, 3, 0}, Direction::y_minus), LinkType::mezzanine);
}

TEST(TorusLinks, BothDirectionsOfALinkAreOfOneClass) {
  for (const char* system : {"hopper", "3x5x9", "2x2x2", "1x1x4"}) {
    const Torus torus = Torus::parse(system);
    for (RouterId router = 0; router < torus.routers(); ++router) {
      for (std::uint8_t link = 0; link < torus.links_per_router(); ++link) {
        const Port port{router, link};
        EXPECT_EQ(torus.link_class(port), torus.link_class(torus.far_end(port)));
        EXPECT_EQ(torus.far_end(torus.far_end(port)), port);
      }
    }
  }
}

TEST(TorusLinks, OddRingsCloseByCable) {
  const Torus torus = Torus::parse("1x5x5");
  EXPECT_EQ(type_of(torus, {0, 4, 0}, Direction::y_plus), LinkType::cable);
  EXPECT_EQ(type_of(torus, {0, 0, 4}, Direction::z_plus), LinkType::cable);
}

TEST(TorusLinks, ARingOfOneHasNoLink) {
  const Torus torus = Torus::parse("1x2x1");
  EXPECT_FALSE(torus.has_link(torus.port({0, 0, 0}, Direction::x_plus)));
  EXPECT_FALSE(torus.has_link(torus.port({0, 1, 0}, Direction::z_minus)));
  EXPECT_TRUE(torus.has_link(torus.port({0, 0, 0}, Direction::y_plus)));
}

TEST(TorusLinks, TypesHaveTheFieldsWords) {
  EXPECT_EQ(name_of(LinkType::mezzanine), "mezzanine");
  EXPECT_EQ(name_of(LinkType::backplane), "backplane");
  EXPECT_EQ(name_of(LinkType::cable), "cable");
  EXPECT_EQ(name_of(LinkType::host), "host");
}

}  // namespace
}  // namespace gemini
