// DMAPP: sets of PEs and their collective operations.
#include <algorithm>
#include <functional>
#include <vector>

#include "tests/dmapp/job.h"

namespace castor_test {
namespace {

dmapp_c_pset_desc_t strided(std::uint32_t count, std::uint32_t base, std::uint32_t stride) {
  dmapp_c_pset_desc_t description{};
  description.type = DMAPP_C_PSET_DELIMITER_STRIDED;
  description.u.stride_type = {count, base, stride};
  return description;
}

/// Every PE calls; those in the set get it opened, others null.
dmapp_c_pset_handle_t open_set(dmapp_c_pset_desc_t description, std::uint64_t identifier, bool in) {
  dmapp_c_pset_handle_t set = nullptr;
  if (in) {
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_create(&description, identifier,
                                                    DMAPP_C_PSET_MODE_CONCAT, nullptr, &set));
  }
  barrier();
  if (in) {
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_export(set));
  }
  return set;
}

template <typename Value>
void reduce(dmapp_c_pset_handle_t set, dmapp_c_type_t type, dmapp_c_op_t op,
            const std::vector<Value>& own, const std::vector<Value>& expected, bool by_test) {
  std::vector<Value> in = own;
  std::vector<Value> out(own.size() + 1, Value{77});
  ASSERT_EQ(DMAPP_RC_SUCCESS,
            dmapp_c_greduce_start(set, in.data(), out.data(),
                                  static_cast<std::uint32_t>(own.size()), type, op));
  std::fill(in.begin(), in.end(), Value{});  // it has been taken
  dmapp_return_t result = DMAPP_RC_NOT_DONE;
  while (by_test && result == DMAPP_RC_NOT_DONE) result = dmapp_c_pset_test(set);
  if (!by_test) result = dmapp_c_pset_wait(set);
  ASSERT_EQ(DMAPP_RC_SUCCESS, result);
  EXPECT_EQ(Value{77}, out.back());
  out.pop_back();
  EXPECT_EQ(expected, out);
}

/// All operations on the values `value(member, i)`, against those computed here.
template <typename Value>
void reduce_all(dmapp_c_pset_handle_t set, dmapp_c_type_t type, int members, int own, bool bits) {
  std::uint32_t most = 0;
  ASSERT_EQ(DMAPP_RC_SUCCESS, dmapp_c_greduce_nelems_max(type, &most));
  ASSERT_GE(most, 8U);
  const auto value = [](int member, std::size_t i) {
    return static_cast<Value>((member * 3 + static_cast<int>(i) * 5) % 7 + 1);
  };
  std::vector<std::pair<dmapp_c_op_t, std::function<Value(Value, Value)>>> operations = {
      {DMAPP_C_SUM, [](Value a, Value b) { return static_cast<Value>(a + b); }},
      {DMAPP_C_PROD, [](Value a, Value b) { return static_cast<Value>(a * b); }},
      {DMAPP_C_MIN, [](Value a, Value b) { return std::min(a, b); }},
      {DMAPP_C_MAX, [](Value a, Value b) { return std::max(a, b); }}};
  if constexpr (std::is_integral_v<Value>) {
    operations.emplace_back(DMAPP_C_BAND, std::bit_and<Value>());
    operations.emplace_back(DMAPP_C_BOR, std::bit_or<Value>());
    operations.emplace_back(DMAPP_C_BXOR, std::bit_xor<Value>());
  }
  for (const auto& [op, function] : operations) {
    std::vector<Value> mine(most);
    std::vector<Value> expected(most);
    for (std::size_t i = 0; i < most; ++i) {
      mine[i] = value(own, i);
      expected[i] = value(0, i);
      for (int member = 1; member < members; ++member) {
        expected[i] = function(expected[i], value(member, i));
      }
    }
    reduce(set, type, op, mine, expected, op % 2 == 0);
  }
  Value one{};
  EXPECT_EQ(bits ? DMAPP_RC_SUCCESS : DMAPP_RC_NOT_SUPPORTED,
            dmapp_c_greduce_start(set, &one, &one, 1, type, DMAPP_C_BAND));
  EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(set));
}

TEST(Psets, ReduceEveryTypeByEveryOperation) {
  for (const int ranks : {1, 2, 5, 8}) {
    run_dmapp(small_job(ranks, 2), [ranks](int pe) {
      dmapp_c_pset_handle_t set =
          open_set(strided(static_cast<std::uint32_t>(ranks), 0, 1), 1000, true);
      ASSERT_NE(nullptr, set);
      reduce_all<std::int32_t>(set, DMAPP_C_INT32, ranks, pe, true);
      reduce_all<std::uint32_t>(set, DMAPP_C_UINT32, ranks, pe, true);
      reduce_all<std::int64_t>(set, DMAPP_C_INT64, ranks, pe, true);
      reduce_all<std::uint64_t>(set, DMAPP_C_UINT64, ranks, pe, true);
      reduce_all<float>(set, DMAPP_C_FLOAT, ranks, pe, false);
      reduce_all<double>(set, DMAPP_C_DOUBLE, ranks, pe, false);
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(set));
    });
  }
}

// Nobody leaves before the last has come, again and again.
TEST(Psets, BarrierHoldsAllBack) {
  constexpr int ranks = 6;
  run_dmapp(small_job(ranks, 2), [](int pe) {
    auto* count = static_cast<std::int64_t*>(dmapp_sheap_malloc(8));
    *count = 0;
    dmapp_seg_desc_t heap = job_info().sheap_seg;
    dmapp_c_pset_handle_t set = open_set(strided(ranks, 0, 1), 7, true);
    for (int round = 1; round <= 12; ++round) {
      if (round % ranks == pe) {  // late
        for (int i = 0; i < 20; ++i) EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_progress());
      }
      std::int64_t seen = 0;
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_aadd_qw(count, &heap, 0, 1));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_barrier_join(set));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(set));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_get(&seen, count, &heap, 0, 1, DMAPP_QW));
      EXPECT_GE(seen, std::int64_t{round} * ranks);
      EXPECT_LT(seen, std::int64_t{round + 1} * ranks);
    }
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(set));
    barrier();
  });
}

// Two sets at a time, by stride and by list; then others under the same identifiers.
TEST(Psets, PartsOfTheJob) {
  constexpr int ranks = 7;
  run_dmapp(small_job(ranks, 3), [](int pe) {
    for (int round = 0; round < 2; ++round) {
      const bool even = pe % 2 == 0;
      dmapp_c_pset_handle_t by_stride =
          open_set(even ? strided(4, 0, 2) : strided(3, 1, 2), 5, true);
      dmapp_pe_t list[] = {6, 2, 3};
      dmapp_c_pset_desc_t listed{};
      listed.type = DMAPP_C_PSET_DELIMITER_INDEXED;
      listed.u.index_type = {3, list};
      const bool in_list = pe == 2 || pe == 3 || pe == 6;
      dmapp_c_pset_handle_t by_list = open_set(listed, 6, in_list);
      std::int64_t own = pe;
      std::int64_t sum = 0;
      std::int64_t sum_of_list = 0;
      EXPECT_EQ(DMAPP_RC_SUCCESS,
                dmapp_c_greduce_start(by_stride, &own, &sum, 1, DMAPP_C_INT64, DMAPP_C_SUM));
      if (in_list) {
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_greduce_start(by_list, &own, &sum_of_list, 1,
                                                          DMAPP_C_INT64, DMAPP_C_SUM));
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(by_list));
        EXPECT_EQ(11, sum_of_list);
      }
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(by_stride));
      EXPECT_EQ(even ? 12 : 9, sum);
      barrier();
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(by_stride));
      if (in_list) {
        EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(by_list));
      }
      barrier();
    }
  });
}

TEST(Psets, GivenUpByAllTheyGoOn) {
  run_dmapp(small_job(3), [](int pe) {
    dmapp_c_pset_handle_t set = open_set(strided(3, 0, 1), 9, true);
    std::int64_t own = pe + 1;
    std::int64_t sum = 0;
    if (pe != 2) {
      EXPECT_EQ(DMAPP_RC_SUCCESS,
                dmapp_c_greduce_start(set, &own, &sum, 1, DMAPP_C_INT64, DMAPP_C_SUM));
      EXPECT_EQ(DMAPP_RC_NOT_DONE, dmapp_c_pset_test(set));
      EXPECT_EQ(DMAPP_RC_BUSY, dmapp_c_barrier_join(set));
      EXPECT_EQ(DMAPP_RC_BUSY, dmapp_c_pset_destroy(set));
    } else {
      barrier();
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_barrier_join(set));
    }
    if (pe != 2) barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_cancel_op(set));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_test(set));
    barrier();
    EXPECT_EQ(DMAPP_RC_SUCCESS,
              dmapp_c_greduce_start(set, &own, &sum, 1, DMAPP_C_INT64, DMAPP_C_SUM));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_wait(set));
    EXPECT_EQ(6, sum);
  });
}

TEST(Psets, ArgumentsAreChecked) {
  run_dmapp(small_job(2), [](int pe) {
    const auto bad = DMAPP_RC_INVALID_PARAM;
    dmapp_c_pset_handle_t set = nullptr;
    std::uint32_t most = 0;
    auto both = strided(2, 0, 1);
    const auto create = [&](dmapp_c_pset_desc_t description) {
      dmapp_c_pset_handle_t none = nullptr;
      return dmapp_c_pset_create(&description, 3, 0, nullptr, &none);
    };
    EXPECT_EQ(bad, dmapp_c_pset_create(nullptr, 3, 0, nullptr, &set));
    EXPECT_EQ(bad, dmapp_c_pset_create(&both, 3, 0, nullptr, nullptr));
    EXPECT_EQ(bad, dmapp_c_pset_create(&both, 3, 8, nullptr, &set));
    EXPECT_EQ(bad, create(strided(0, 0, 1)));
    EXPECT_EQ(bad, create(strided(3, 0, 1)));
    EXPECT_EQ(bad, create(strided(2, 0, 0)));
    EXPECT_EQ(bad, create(strided(2, 0, 0x80000000)));
    EXPECT_EQ(bad,
              create(strided(1, static_cast<std::uint32_t>(1 - pe), 1)));  // without the caller
    dmapp_c_pset_desc_t unknown = both;
    unknown.type = static_cast<dmapp_c_pset_delimiter_t>(9);
    EXPECT_EQ(bad, create(unknown));
    unknown.type = DMAPP_C_PSET_DELIMITER_INDEXED;
    unknown.u.index_type = {2, nullptr};
    EXPECT_EQ(bad, create(unknown));
    if (pe == 0) {
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_create(&both, 3, 0, nullptr, &set));
      EXPECT_EQ(bad, dmapp_c_pset_create(&both, 3, 0, nullptr, &set));
      EXPECT_EQ(bad, dmapp_c_barrier_join(set));  // not exported
      EXPECT_EQ(DMAPP_RC_NOT_FOUND, dmapp_c_pset_export(set));
      EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(set));
    }
    barrier();
    set = open_set(both, 3, true);
    std::int64_t in[9] = {};
    std::int64_t out[9] = {};
    const auto start = [&](std::uint32_t nelems, int type, int op) {
      return dmapp_c_greduce_start(set, in, out, nelems, static_cast<dmapp_c_type_t>(type),
                                   static_cast<dmapp_c_op_t>(op));
    };
    EXPECT_EQ(bad, start(9, DMAPP_C_INT64, DMAPP_C_SUM));
    EXPECT_EQ(bad, start(1, 19, DMAPP_C_SUM));
    EXPECT_EQ(bad, start(1, DMAPP_C_INT64, 19));
    EXPECT_EQ(DMAPP_RC_NOT_SUPPORTED, start(1, DMAPP_C_DOUBLE, DMAPP_C_BOR));
    EXPECT_EQ(bad, dmapp_c_greduce_start(set, nullptr, out, 1, DMAPP_C_INT64, DMAPP_C_SUM));
    EXPECT_EQ(bad, dmapp_c_greduce_start(set, in, nullptr, 1, DMAPP_C_INT64, DMAPP_C_SUM));
    EXPECT_EQ(bad, dmapp_c_greduce_nelems_max(static_cast<dmapp_c_type_t>(19), &most));
    EXPECT_EQ(bad, dmapp_c_greduce_nelems_max(DMAPP_C_INT64, nullptr));
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_test(set));  // nothing is under way
    EXPECT_EQ(DMAPP_RC_SUCCESS, dmapp_c_pset_destroy(set));
    for (const auto function : {dmapp_c_pset_export, dmapp_c_pset_destroy, dmapp_c_barrier_join,
                                dmapp_c_pset_test, dmapp_c_pset_wait, dmapp_c_pset_cancel_op}) {
      EXPECT_EQ(bad, function(set));
      EXPECT_EQ(bad, function(nullptr));
    }
    barrier();
  });
}

}  // namespace
}  // namespace castor_test
