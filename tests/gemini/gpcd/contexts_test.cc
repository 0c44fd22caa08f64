// GPCD: names of registers, contexts and their lists.
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ugni_emu/include/gpcd_lib.h"

namespace {

std::string name_of(int row, int column, int counter) {
  return "GM_" + std::to_string(row) + "_" + std::to_string(column) +
         "_TILE_PERFORMANCE_COUNTERS_" + std::to_string(counter);
}

gpcd_mmr_desc_t* look_up(const std::string& name) { return gpcd_lookup_mmr_byname(name.c_str()); }

std::vector<std::string> names(const gpcd_context_t* context) {
  std::vector<std::string> found;
  for (const gpcd_mmr_list_t* entry = context->list; entry != nullptr; entry = entry->next) {
    found.emplace_back(entry->item->name);
  }
  return found;
}

TEST(Gpcd, EveryCounterHasTwoSpellingsAndAnAddress) {
  std::set<std::uint64_t> addresses;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 8; ++column) {
      for (int counter = 0; counter < 6; ++counter) {
        const std::string name = name_of(row, column, counter);
        gpcd_mmr_desc_t* const item = look_up(name);
        ASSERT_NE(item, nullptr) << name;
        EXPECT_EQ(item->name, name);
        std::string printed = name;  // as S0 prints it
        printed.erase(4, 1).erase(2, 1);
        EXPECT_EQ(look_up(printed), item) << printed;
        addresses.insert(item->addr);
      }
    }
  }
  EXPECT_EQ(addresses.size(), 288U);
  EXPECT_EQ(look_up(name_of(0, 0, 0))->addr, 0x2001380U);
  EXPECT_EQ(look_up(name_of(5, 7, 5))->addr, 0x20af3a8U);
  EXPECT_EQ(look_up("GM_ORB_PERF_VC0_FLITS")->addr, 0x5018040U);  // as Cray's header has it
  EXPECT_EQ(look_up("GM_TARB_PERF_FMA_PKTS")->addr, 0x5800248U);
}

TEST(Gpcd, NamesThatDoNotExist) {
  for (const char* name :
       {"", "GM", "GM_", "GM_0_0_TILE_PERFORMANCE_COUNTERS_", "GM_0_0_TILE_PERFORMANCE_COUNTERS_6",
        "GM_6_0_TILE_PERFORMANCE_COUNTERS_0", "GM_0_8_TILE_PERFORMANCE_COUNTERS_0",
        "GM_0_0_TILE_PERFORMANCE_COUNTERS_00", "GM_0_0_TILE_PERFORMANCE_COUNTERS_0 ",
        "GM_00_TILE_PERFORMANCE_COUNTERS_0", "GM0_0_TILE_PERFORMANCE_COUNTERS_0",
        "gm_0_0_TILE_PERFORMANCE_COUNTERS_0", "GM_/_0_TILE_PERFORMANCE_COUNTERS_0",
        "GM_ORB_PERF_VC0_FLIT", "GM_0_0_TILE_PERFORMANCE_COUNTERS_\xff"}) {
    EXPECT_EQ(gpcd_lookup_mmr_byname(name), nullptr) << name;
  }
  EXPECT_EQ(gpcd_lookup_mmr_byname(nullptr), nullptr);
}

TEST(Gpcd, AContextsListBeginsWithTheLastOneAdded) {
  gpcd_context_t* const context = gpcd_create_context();
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->list, nullptr);
  EXPECT_EQ(context->count, 0);
  EXPECT_EQ(context->nic_addr, 0U);
  for (const int counter : {0, 1, 2, 1}) {
    EXPECT_EQ(gpcd_context_add_mmr(context, look_up(name_of(1, 2, counter))), 0);
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(context),
            (Names{name_of(1, 2, 1), name_of(1, 2, 2), name_of(1, 2, 1), name_of(1, 2, 0)}));
  EXPECT_EQ(context->count, 4);

  context->list->value = 77;
  EXPECT_EQ(gpcd_context_find_list_byname(context, name_of(1, 2, 1).c_str()), context->list);
  EXPECT_EQ(gpcd_context_find_list_byname(context, "GM12_TILE_PERFORMANCE_COUNTERS_2"),
            context->list->next);
  EXPECT_EQ(gpcd_context_find_list_byname(context, name_of(1, 2, 3).c_str()), nullptr);
  EXPECT_EQ(gpcd_context_find_list_byname(context, "no such name"), nullptr);
  EXPECT_EQ(gpcd_context_find_list_byname(nullptr, name_of(1, 2, 1).c_str()), nullptr);

  gpcd_context_set_nic_addr(context, 5);
  gpcd_context_set_nic_addr(nullptr, 5);
  gpcd_context_t* const copy = gpcd_create_context();
  EXPECT_EQ(gpcd_context_add_mmr(copy, look_up(name_of(5, 5, 5))), 0);
  EXPECT_EQ(gpcd_clone_context(context, copy), 0);
  EXPECT_EQ(gpcd_clone_context(copy, copy), 0);
  EXPECT_EQ(names(copy), names(context));
  EXPECT_NE(copy->list, context->list);
  EXPECT_EQ(copy->list->value, 77U);
  EXPECT_EQ(copy->count, 4);
  EXPECT_EQ(copy->nic_addr, 5U);

  EXPECT_EQ(gpcd_context_remove_mmr(context, look_up(name_of(1, 2, 1))), 0);
  EXPECT_EQ(names(context), (Names{name_of(1, 2, 2), name_of(1, 2, 1), name_of(1, 2, 0)}));
  EXPECT_EQ(gpcd_context_remove_mmr(context, look_up(name_of(1, 2, 0))), 0);
  EXPECT_EQ(context->count, 2);
  EXPECT_EQ(copy->count, 4);
  errno = 0;
  EXPECT_EQ(gpcd_context_remove_mmr(context, look_up(name_of(1, 2, 0))), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(gpcd_remove_context(context), 0);
  EXPECT_EQ(gpcd_remove_context(copy), 0);
}

/// `call` returns -1 with this error number.
#define EXPECT_REFUSED(call, why) \
  do {                            \
    errno = 0;                    \
    EXPECT_EQ(call, -1) << #call; \
    EXPECT_EQ(errno, why);        \
  } while (false)

TEST(Gpcd, WhatIsNotThereIsRefused) {
  gpcd_context_t* const context = gpcd_create_context();
  gpcd_mmr_desc_t stranger = *look_up(name_of(0, 0, 0));
  gpcd_mmr_desc_t* const item = look_up(name_of(0, 0, 0));
  std::uint64_t value = 7;
  EXPECT_REFUSED(gpcd_context_add_mmr(context, nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_context_add_mmr(context, &stranger), EINVAL);
  EXPECT_REFUSED(gpcd_context_add_mmr(nullptr, item), EINVAL);
  EXPECT_REFUSED(gpcd_context_remove_mmr(context, nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_context_remove_mmr(context, item), EINVAL);
  EXPECT_REFUSED(gpcd_context_remove_mmr(nullptr, item), EINVAL);
  EXPECT_REFUSED(gpcd_context_read_mmr_vals(nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_context_print(nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_remove_context(nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_clone_context(context, nullptr), EINVAL);
  EXPECT_REFUSED(gpcd_clone_context(nullptr, context), EINVAL);
  EXPECT_REFUSED(gpcd_read_mmr_val(nullptr, &value, 0), EINVAL);
  EXPECT_REFUSED(gpcd_read_mmr_val(&stranger, &value, 0), EINVAL);
  EXPECT_REFUSED(gpcd_read_mmr_val(item, nullptr, 0), EINVAL);
  EXPECT_REFUSED(gpcd_read_mmr_val_byname("no such name", &value, 0), EINVAL);
  EXPECT_REFUSED(gpcd_read_mmr_val_byname(nullptr, &value, 0), EINVAL);
  EXPECT_REFUSED(gpcd_context_write_mmr_vals(context), EPERM);
  EXPECT_REFUSED(gpcd_write_mmr_val(item, &value, 0), EPERM);
  EXPECT_REFUSED(gpcd_write_mmr_val_byname(item->name, &value, 0), EPERM);
  EXPECT_REFUSED(gpcd_disable_perms(), EPERM);
  EXPECT_REFUSED(gpcd_add_perms_entry(1, 3), EPERM);
  EXPECT_EQ(value, 7U);
  EXPECT_EQ(context->count, 0);
  EXPECT_EQ(gpcd_context_read_mmr_vals(context), 0);  // nothing to read
  EXPECT_EQ(gpcd_set_verbose_debug(), 0);
  EXPECT_EQ(gpcd_remove_context(context), 0);
}

TEST(Gpcd, PrintsNamesAndValues) {
  gpcd_context_t* const context = gpcd_create_context();
  gpcd_context_add_mmr(context, look_up(name_of(0, 0, 0)));
  gpcd_context_add_mmr(context, look_up(name_of(3, 1, 4)));
  context->list->value = 18446744073709551615U;
  testing::internal::CaptureStdout();
  EXPECT_EQ(gpcd_context_print(context), 0);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "GM_3_1_TILE_PERFORMANCE_COUNTERS_4: 18446744073709551615\n"
            "GM_0_0_TILE_PERFORMANCE_COUNTERS_0: 0\n");
  gpcd_remove_context(context);
  testing::internal::CaptureStdout();
  EXPECT_EQ(gpcd_print_valid_tile_static_mmrs(), 0);
  EXPECT_EQ(gpcd_print_valid_tile_filtering_mmrs(), 0);
  EXPECT_EQ(gpcd_print_valid_nic_mmrs(), 0);
  std::fflush(stdout);
  std::istringstream printed(testing::internal::GetCapturedStdout());
  int count = 0;
  for (std::string name; std::getline(printed, name); ++count) {
    EXPECT_NE(look_up(name), nullptr) << name;
  }
  constexpr int nic_registers = 40;
  EXPECT_EQ(count, 288 + nic_registers);
}

}  // namespace
