// Classes of buffers: no circle of full buffers can come about on any route.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "ugni_emu/gemini/topology/make_topology.h"

namespace gemini {
namespace {

/// Which buffers wait for which: a packet that holds one of them asks for the next on its route.
class Waits {
 public:
  /// `classed`: with the topology's classes, or all links with one buffer.
  Waits(const Topology& topology, bool classed) : topology_(topology), classed_(classed) {
    const unsigned classes = topology.buffer_classes();
    next_.resize(std::size_t{topology.routers()} * topology.links_per_router() * classes);
    for (RouterId from = 0; from < topology.routers(); ++from) {
      for (RouterId to = 0; to < topology.routers(); ++to) add(from, to);
    }
  }

  bool has_circle() {
    std::vector<Mark> marks(next_.size(), Mark::fresh);
    for (std::size_t buffer = 0; buffer < next_.size(); ++buffer) {
      if (circle_from(buffer, marks)) return true;
    }
    return false;
  }

 private:
  enum class Mark : std::uint8_t { fresh, open, done };

  void add(RouterId from, RouterId to) {
    std::optional<Port> in;
    std::optional<std::size_t> before;
    unsigned held = 0;
    for (const Port out : topology_.path(from, to)) {
      if (classed_) held = topology_.buffer_class(out, in, held);
      ASSERT_LT(held, topology_.buffer_classes());
      const std::size_t link = out.router * topology_.links_per_router() + out.link;
      const std::size_t buffer = link * topology_.buffer_classes() + held;
      if (before) next_[*before].push_back(buffer);
      before = buffer;
      in = topology_.far_end(out);
    }
  }

  bool circle_from(std::size_t buffer, std::vector<Mark>& marks) {
    if (marks[buffer] != Mark::fresh) return marks[buffer] == Mark::open;
    marks[buffer] = Mark::open;
    for (const std::size_t next : next_[buffer]) {
      if (circle_from(next, marks)) return true;
    }
    marks[buffer] = Mark::done;
    return false;
  }

  const Topology& topology_;
  bool classed_;
  std::vector<std::vector<std::size_t>> next_;  ///< by link and class
};

TEST(BufferClasses, NoCircleOfBuffersWaitsForItself) {
  for (const char* system : {"4x4x4", "5x3x6", "8x1x2", "2x2x2"}) {
    EXPECT_FALSE(Waits(*make_topology(system), true).has_circle()) << system;
  }
}

TEST(BufferClasses, WithoutThemRingsWaitForThemselves) {
  EXPECT_TRUE(Waits(*make_topology("4x4x4"), false).has_circle());
  EXPECT_TRUE(Waits(*make_topology("1x5x1"), false).has_circle());
}

}  // namespace
}  // namespace gemini
