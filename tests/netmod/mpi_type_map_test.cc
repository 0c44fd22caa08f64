// Type maps: packing beside the definition, from any byte to any byte, and how small they are.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "netmod/mpi/datatypes/datatype_build.h"

namespace netmod::testing {
namespace {

TypeView view_of(MPI_Datatype handle) {
  const BasicType* basic = find_simple(handle);
  return {handle, basic->size, basic->size, nullptr, basic};
}
TypeView view_of(const Datatype& type) { return {0, type.size, type.extent(), &type, type.basic}; }

Datatype concatenation(const std::vector<Part>& parts) { return concatenate(parts); }

/// A datatype, and where each of its packed bytes is, by the definition.
struct Known {
  Datatype type;
  std::vector<std::int64_t> offsets;
  std::vector<int> ends;  ///< 1: a basic element ends with this byte
};

Known known(MPI_Datatype handle) {
  const Part part{0, 1, view_of(handle)};
  Known made{concatenate({&part, 1}), {}, {}};
  for (int i = 0; i < view_of(handle).size; ++i) made.offsets.push_back(i);
  made.ends.assign(made.offsets.size(), 0);
  made.ends.back() = 1;
  return made;
}

struct KnownPart {
  const Known* known;
  std::int64_t offset, count, blocks, stride;
};

Known assemble(const std::vector<KnownPart>& parts) {
  Known made;
  std::vector<Part> described;
  for (const KnownPart& part : parts) {
    const Known& of = *part.known;
    described.push_back({part.offset, part.count, view_of(of.type), part.blocks, part.stride});
    for (std::int64_t block = 0; block < part.blocks; ++block) {
      for (std::int64_t i = 0; i < part.count; ++i) {
        for (const std::int64_t offset : of.offsets) {
          made.offsets.push_back(part.offset + block * part.stride + i * of.type.extent() + offset);
        }
        made.ends.insert(made.ends.end(), of.ends.begin(), of.ends.end());
      }
    }
  }
  made.type = concatenation(described);
  return made;
}

void check(const Known& made, std::mt19937& random) {
  const TypeView type = view_of(made.type);
  ASSERT_EQ(type.size, static_cast<std::int64_t>(made.offsets.size()));
  if (type.size == 0) return;
  constexpr std::int64_t copies = 3;
  const std::int64_t span = 2 * std::abs(type.extent);
  const std::int64_t below = std::max<std::int64_t>(0, -made.type.true_lb) + span;
  const std::int64_t above = std::max<std::int64_t>(0, made.type.true_ub) + span;
  std::vector<std::byte> memory(static_cast<std::size_t>(below + above));
  for (auto& byte : memory) byte = static_cast<std::byte>(random());
  const auto place = [&](std::int64_t packed) {
    return static_cast<std::size_t>(below + packed / type.size * type.extent +
                                    made.offsets[static_cast<std::size_t>(packed % type.size)]);
  };
  for (int round = 0; round < 12; ++round) {
    const std::int64_t all = copies * type.size;
    std::int64_t first = static_cast<std::int64_t>(random()) % all;
    std::int64_t bytes = static_cast<std::int64_t>(random()) % (all - first) + 1;
    if (round == 0) first = 0, bytes = all;
    std::vector<std::byte> packed(static_cast<std::size_t>(bytes + 1), std::byte{0x5a});
    pack_part(type, memory.data() + below, first, bytes, packed.data());
    for (std::int64_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(packed[static_cast<std::size_t>(i)], memory[place(first + i)]) << first << ' ' << i;
    }
    ASSERT_EQ(packed.back(), std::byte{0x5a});
    // Back: exactly these bytes change, into what comes last if some have the same place.
    std::vector<std::byte> expected(memory.size(), std::byte{0x11}), back = expected;
    for (auto& byte : packed) byte = static_cast<std::byte>(random());
    for (std::int64_t i = 0; i < bytes; ++i) {
      expected[place(first + i)] = packed[static_cast<std::size_t>(i)];
    }
    unpack_part(type, packed.data(), first, bytes, back.data() + below);
    ASSERT_EQ(back, expected) << first << ' ' << bytes;
  }
  std::int64_t elements = 0;
  for (std::int64_t bytes = 0; bytes <= type.size; ++bytes) {
    const bool whole = bytes == 0 || made.ends[static_cast<std::size_t>(bytes - 1)] == 1;
    if (bytes > 0 && whole) ++elements;
    ASSERT_EQ(count_elements(type, bytes), whole ? elements : -1) << bytes;
  }
}

TEST(TypeMap, RandomTypesPackByTheDefinition) {
  std::mt19937 random(7);
  const auto below = [&random](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Known> pool{known(MPI_CHAR), known(MPI_SHORT), known(MPI_INT), known(MPI_DOUBLE)};
    for (int depth = 0; depth < 3; ++depth) {
      std::vector<KnownPart> parts;
      const int many = below(4) == 0 ? 12 : 3;
      const int parts_wanted = 1 + below(many);
      const Known* only =
          below(2) == 0 ? &pool[static_cast<std::size_t>(below(4 + depth))] : nullptr;
      const int same = below(2);
      for (int i = 0; i < parts_wanted; ++i) {
        const Known* of =
            only != nullptr ? only : &pool[static_cast<std::size_t>(below(4 + depth))];
        const std::int64_t extent = std::max<std::int64_t>(1, std::abs(of->type.extent()));
        const std::int64_t offset = same == 1 ? i * 40 : below(400) - 200;
        parts.push_back({of, offset, 1 + (same == 1 ? 0 : below(3)), 1 + below(3),
                         (below(5) - 1) * extent + below(3)});
      }
      Known made = assemble(parts);
      if (made.offsets.size() > 3000) break;
      if (below(3) == 0) made.type = resize(view_of(made.type), below(9) - 4, below(300) + 1);
      ASSERT_NO_FATAL_FAILURE(check(made, random)) << round << ' ' << depth;
      pool.push_back(std::move(made));
    }
  }
}

TEST(TypeMap, RegularTypesStaySmall) {
  const Datatype column = concatenation({{0, 2, view_of(MPI_DOUBLE), 1'000'000, 64}});
  EXPECT_EQ(column.map.footprint(), 1);
  EXPECT_EQ(column.signature.items().size(), 1u);
  EXPECT_EQ(column.size, 16'000'000);
  const Datatype plane = concatenation({{0, 1, view_of(column), 1'000'000, 128'000'000}});
  EXPECT_EQ(plane.map.footprint(), 2);
  // A vector of a vector of a struct.
  const Datatype record = concatenation({{0, 1, view_of(MPI_DOUBLE)}, {12, 3, view_of(MPI_SHORT)}});
  const Datatype row = concatenation({{0, 2, view_of(record), 1'000, 100}});
  const Datatype grid = concatenation({{0, 1, view_of(row), 1'000, 200'000}});
  EXPECT_LE(grid.map.footprint(), 6);
  EXPECT_EQ(grid.size, 14 * 2 * 1'000 * 1'000);
  EXPECT_EQ(count_elements(view_of(grid), grid.size), 4 * 2 * 1'000 * 1'000);
}

TEST(TypeMap, ListsWithARuleBecomeLoops) {
  std::vector<Part> parts;
  for (int i = 0; i < 1000; ++i) parts.push_back({i * 24, 1, view_of(MPI_DOUBLE)});
  EXPECT_EQ(concatenation(parts).map.footprint(), 1);
  // Members of unlike types without gaps are one run.
  const Datatype dense = concatenation({{0, 1, view_of(MPI_DOUBLE)}, {8, 2, view_of(MPI_INT)}});
  EXPECT_TRUE(dense.contiguous());
  EXPECT_EQ(count_elements(view_of(dense), 12), 2);
  EXPECT_EQ(count_elements(view_of(dense), 4), -1);
}

TEST(TypeMap, PartsOfArrays) {
  // Rows 1 and 2, columns 2 to 4 of an array of 4 by 6, in C's order: the fastest first.
  const std::vector<Dimension> dimensions{{6, 2, 3}, {4, 1, 2}};
  const Datatype part = part_of_array(dimensions, view_of(MPI_SHORT));
  EXPECT_EQ(part.size, 12);
  EXPECT_EQ(part.lb, 0);
  EXPECT_EQ(part.extent(), 48);
  EXPECT_EQ(part.true_lb, 16);
  EXPECT_EQ(part.true_ub, 34);
  std::vector<std::int16_t> array(24), packed(6);
  for (std::size_t i = 0; i < 24; ++i) array[i] = static_cast<std::int16_t>(i);
  pack(view_of(part), array.data(), 1, reinterpret_cast<std::byte*>(packed.data()));
  EXPECT_EQ(packed, (std::vector<std::int16_t>{8, 9, 10, 14, 15, 16}));
}

}  // namespace
}  // namespace netmod::testing
