// DMAPP: puts and gets arrive whole, where they belong, in every form.
#include <random>

#include "tests/dmapp/job.h"
#include "tests/support/seen.h"

namespace castor_test {
namespace {

constexpr std::size_t area_bytes = 300000;
constexpr std::byte untouched{0xE5};

std::byte* make_area() {
  auto* area = static_cast<std::byte*>(dmapp_sheap_malloc(area_bytes));
  std::fill(area, area + area_bytes, untouched);
  barrier();
  return area;
}

/// True if `area` holds `bytes` bytes of the pattern at `offset`, and nothing next to them.
testing::AssertionResult holds(const std::byte* area, std::size_t offset, std::size_t bytes,
                               unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (area[offset + i] != pattern(seed, i)) {
      return testing::AssertionFailure() << "byte " << i << " of " << bytes << " is wrong";
    }
  }
  if (area[offset - 1] != untouched) return testing::AssertionFailure() << "the byte before";
  if (area[offset + bytes] != untouched) return testing::AssertionFailure() << "the byte behind";
  return testing::AssertionSuccess();
}

enum class Form { blocking, by_id, implicit };

dmapp_return_t put(Form form, void* target, dmapp_seg_desc_t* segment, int pe, void* source,
                   std::uint64_t nelems, dmapp_type_t type) {
  if (form == Form::blocking) return dmapp_put(target, segment, pe, source, nelems, type);
  if (form == Form::implicit) {
    const dmapp_return_t result = dmapp_put_nbi(target, segment, pe, source, nelems, type);
    return result == DMAPP_RC_SUCCESS ? dmapp_gsync_wait() : result;
  }
  dmapp_syncid_handle_t id = nullptr;
  const dmapp_return_t result = dmapp_put_nb(target, segment, pe, source, nelems, type, &id);
  return result == DMAPP_RC_SUCCESS ? dmapp_syncid_wait(&id) : result;
}

dmapp_return_t get(Form form, void* target, void* source, dmapp_seg_desc_t* segment, int pe,
                   std::uint64_t nelems, dmapp_type_t type) {
  if (form == Form::blocking) return dmapp_get(target, source, segment, pe, nelems, type);
  if (form == Form::implicit) {
    const dmapp_return_t result = dmapp_get_nbi(target, source, segment, pe, nelems, type);
    return result == DMAPP_RC_SUCCESS ? dmapp_gsync_wait() : result;
  }
  dmapp_syncid_handle_t id = nullptr;
  const dmapp_return_t result = dmapp_get_nb(target, source, segment, pe, nelems, type, &id);
  return result == DMAPP_RC_SUCCESS ? dmapp_syncid_wait(&id) : result;
}

const std::vector<std::size_t> sizes{1,   2,    3,    4,    5,     8,     15,    64,
                                     100, 1000, 4096, 4097, 16384, 16390, 40001, 200000};

/// Where transfers are aimed: the symmetric heap, or memory registered by its owner.
enum class Memory { heap, registered };

class Transfers : public testing::TestWithParam<std::tuple<int, Memory>> {
 protected:
  static launch::JobRequest request() { return small_job(2, std::get<0>(GetParam())); }
};

/// Rank 0's peer area and how to name it.
struct Target {
  std::byte* own;     ///< this rank's area
  std::byte* remote;  ///< the peer's, as transfers name it
  dmapp_seg_desc_t segment;
};

Target make_target(Memory memory, std::vector<std::byte>& storage) {
  if (memory == Memory::heap) {
    std::byte* area = make_area();
    return {area, area, job_info().sheap_seg};
  }
  storage.assign(area_bytes, untouched);
  dmapp_seg_desc_t own{};
  EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_mem_register(storage.data(), storage.size(), &own));
  const dmapp_seg_desc_t peer = all_segments(own)[static_cast<std::size_t>(1 - job_info().pe)];
  // Descriptors may be wider than what was registered; the owner's address is exchanged besides.
  dmapp_seg_desc_t address{};
  address.addr = storage.data();
  auto* remote = static_cast<std::byte*>(
      all_segments(address)[static_cast<std::size_t>(1 - job_info().pe)].addr);
  return {storage.data(), remote, peer};
}

TEST_P(Transfers, PutsOfEverySizeAndAlignment) {
  run_dmapp(request(), [&](int pe) {
    std::vector<std::byte> storage;
    Target target = make_target(std::get<1>(GetParam()), storage);
    unsigned seed = 1;
    for (const Form form : {Form::blocking, Form::by_id, Form::implicit}) {
      for (const std::size_t bytes : sizes) {
        const std::size_t offset = 64 + seed % 7;
        if (pe == 0) {
          std::vector<std::byte> source(bytes + 8);
          std::byte* from = source.data() + seed % 5;
          for (std::size_t i = 0; i < bytes; ++i) from[i] = pattern(seed, i);
          EXPECT_EQ(DMAPP_RC_SUCCESS,
                    put(form, target.remote + offset, &target.segment, 1, from, bytes, DMAPP_BYTE));
        }
        barrier();  // a put is visible when it is complete
        if (pe == 1) {
          EXPECT_TRUE(holds(target.own, offset, bytes, seed)) << bytes;
          std::fill(target.own + offset, target.own + offset + bytes, untouched);
        }
        barrier();
        ++seed;
      }
    }
  });
}

TEST_P(Transfers, GetsOfEverySizeAndAlignment) {
  run_dmapp(request(), [&](int pe) {
    std::vector<std::byte> storage;
    Target target = make_target(std::get<1>(GetParam()), storage);
    if (pe == 1) {
      for (std::size_t i = 0; i < area_bytes; ++i) target.own[i] = pattern(9, i);
    }
    barrier();
    if (pe == 0) {
      unsigned turn = 0;
      for (const Form form : {Form::blocking, Form::by_id, Form::implicit}) {
        for (const std::size_t bytes : sizes) {
          for (const std::size_t phase : {0U, 1U, 4U}) {
            const std::size_t offset = turn++ % 9;
            std::vector<std::byte> into(bytes + 24, untouched);
            std::byte* to = into.data() + 8 + phase;
            ASSERT_EQ(DMAPP_RC_SUCCESS,
                      get(form, to, target.remote + offset, &target.segment, 1, bytes, DMAPP_BYTE));
            for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(pattern(9, offset + i), to[i]) << i;
            EXPECT_EQ(untouched, to[-1]);
            EXPECT_EQ(untouched, to[bytes]);
          }
        }
      }
    }
    barrier();
  });
}

TEST_P(Transfers, StridedAndIndexedElements) {
  run_dmapp(request(), [&](int pe) {
    std::vector<std::byte> storage;
    Target target = make_target(std::get<1>(GetParam()), storage);
    auto* own = reinterpret_cast<std::int64_t*>(target.own);
    auto* remote = reinterpret_cast<std::int64_t*>(target.remote);
    constexpr int count = 40;
    std::vector<std::int64_t> values(3 * count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1000 + static_cast<int>(i);
    std::vector<ptrdiff_t> index(count);
    for (int i = 0; i < count; ++i) index[static_cast<std::size_t>(i)] = (i * 7 + 3) % count;
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_SUCCESS,
                dmapp_iput(remote, &target.segment, 1, values.data(), 2, 3, count, DMAPP_QW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_ixput(remote + 200, &target.segment, 1, values.data(),
                                              index.data(), count, DMAPP_QW));
    }
    barrier();
    if (pe == 1) {
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(values[static_cast<std::size_t>(3 * i)], own[2 * i]);
        EXPECT_EQ(values[static_cast<std::size_t>(i)],
                  own[200 + index[static_cast<std::size_t>(i)]]);
      }
      EXPECT_EQ(untouched, reinterpret_cast<std::byte*>(own + 1)[0]);
    }
    if (pe == 0) {
      std::vector<std::int64_t> back(2 * count, -1);
      EXPECT_EQ(DMAPP_RC_SUCCESS,
                dmapp_iget(back.data(), remote, &target.segment, 1, 1, 2, count, DMAPP_QW));
      std::vector<std::int64_t> picked(count, -1);
      dmapp_syncid_handle_t id = nullptr;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_ixget_nb(picked.data(), remote + 200, &target.segment, 1,
                                                 index.data(), count, DMAPP_QW, &id));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_wait(&id));
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(values[3 * i], back[i]);
        EXPECT_EQ(values[i], picked[i]);
        EXPECT_EQ(-1, back[count + i]);
      }
    }
    barrier();
  });
}

TEST_P(Transfers, WhoSeesTheFlagSeesTheData) {
  run_dmapp(request(), [&](int pe) {
    std::vector<std::byte> storage;
    Target target = make_target(std::get<1>(GetParam()), storage);
    auto* own_flag = reinterpret_cast<std::uint64_t*>(target.own + 280000);
    *own_flag = 0;
    barrier();
    unsigned seed = 1;
    for (const std::size_t bytes : {8U, 1000U, 60000U}) {
      if (pe == 0) {
        std::vector<std::byte> source(bytes);
        for (std::size_t i = 0; i < bytes; ++i) source[i] = pattern(seed, i);
        EXPECT_EQ(DMAPP_RC_SUCCESS,
                  dmapp_put_flag_nbi(target.remote + 64, &target.segment, 1, source.data(), bytes,
                                     DMAPP_BYTE, target.remote + 280000, seed));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
      } else {
        while (seen(own_flag) != seed) EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_progress());
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_progress());
        EXPECT_TRUE(holds(target.own, 64, bytes, seed));
        std::fill(target.own + 64, target.own + 64 + bytes, untouched);
      }
      barrier();
      ++seed;
    }
  });
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, Memory>>& info) {
  return std::string(std::get<0>(info.param) == 1 ? "BetweenNodes" : "WithinANode") +
         (std::get<1>(info.param) == Memory::heap ? "Heap" : "Registered");
}

INSTANTIATE_TEST_SUITE_P(All, Transfers,
                         testing::Combine(testing::Values(1, 2),
                                          testing::Values(Memory::heap, Memory::registered)),
                         name_of);

TEST(ManyPes, PutScatterAndGather) {
  run_dmapp(small_job(5, 2), [](int pe) {
    constexpr std::size_t block = 100;
    auto* area = static_cast<std::int32_t*>(dmapp_sheap_malloc(4 * block * sizeof(std::int32_t)));
    for (std::size_t i = 0; i < 4 * block; ++i) area[i] = -pe;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    std::vector<dmapp_pe_t> pes{3, 1, 4};
    barrier();
    if (pe == 0) {
      std::vector<std::int32_t> values(pes.size() * block);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
      EXPECT_EQ(DMAPP_RC_SUCCESS,
                dmapp_put_ixpe(area, &heap, pes.data(), 3, values.data(), block, DMAPP_DW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_scatter_ixpe_nbi(area + block, &heap, pes.data(), 3,
                                                         values.data(), block, DMAPP_DW));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
    }
    barrier();
    for (std::size_t place = 0; place < pes.size(); ++place) {
      if (pes[place] != pe) continue;
      for (std::size_t i = 0; i < block; ++i) {
        EXPECT_EQ(static_cast<std::int32_t>(i), area[i]);
        EXPECT_EQ(static_cast<std::int32_t>(place * block + i), area[block + i]);
        EXPECT_EQ(-pe, area[2 * block + i]);
      }
    }
    if (pe == 2) {
      std::vector<std::int32_t> into(pes.size() * block, 77);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gather_ixpe(into.data(), area + block, &heap, pes.data(), 3,
                                                    block, DMAPP_DW));
      for (std::size_t i = 0; i < into.size(); ++i)
        EXPECT_EQ(static_cast<std::int32_t>(i), into[i]);
    }
    barrier();
  });
}

TEST(Traffic, RandomPutsByAllArriveWhole) {
  run_dmapp(small_job(4, 2), [](int pe) {
    constexpr std::size_t slot = 20000;
    auto* area = static_cast<std::byte*>(dmapp_sheap_malloc(slot * 4 * 4));
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    std::mt19937 random(static_cast<unsigned>(pe) + 1);
    for (unsigned round = 0; round < 6; ++round) {
      // Each rank writes to its own slots at every rank.
      std::vector<std::vector<std::byte>> sources;
      std::vector<dmapp_syncid_handle_t> ids;
      for (int to = 0; to < 4; ++to) {
        for (std::size_t part = 0; part < 4; ++part) {
          const unsigned seed = round * 1000 + static_cast<unsigned>(pe) * 100 +
                                static_cast<unsigned>(to) * 10 + static_cast<unsigned>(part);
          const std::size_t bytes = 1 + (random() % 2 == 0 ? random() % 200 : random() % 4900);
          sources.emplace_back(5000);
          for (std::size_t i = 0; i < 5000; ++i) sources.back()[i] = pattern(seed, i);
          std::byte* at = area + static_cast<std::size_t>(pe) * slot + part * 5000;
          // The tail first, so that each byte is written once.
          ids.emplace_back();
          ASSERT_EQ(DMAPP_RC_SUCCESS,
                    dmapp_put_nb(at + bytes, &heap, to, sources.back().data() + bytes, 5000 - bytes,
                                 DMAPP_BYTE, &ids.back()));
          ASSERT_EQ(DMAPP_RC_SUCCESS,
                    dmapp_put_nbi(at, &heap, to, sources.back().data(), bytes, DMAPP_BYTE));
        }
      }
      for (dmapp_syncid_handle_t& id : ids) EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_syncid_wait(&id));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_gsync_wait());
      barrier();
      for (unsigned from = 0; from < 4; ++from) {
        for (unsigned part = 0; part < 4; ++part) {
          const unsigned seed = round * 1000 + from * 100 + static_cast<unsigned>(pe) * 10 + part;
          for (std::size_t i = 0; i < 5000; ++i) {
            ASSERT_EQ(pattern(seed, i), area[from * slot + part * 5000 + i]) << from << " " << i;
          }
        }
      }
      barrier();
    }
  });
}

}  // namespace
}  // namespace castor_test
