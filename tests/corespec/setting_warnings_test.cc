// What is said of settings that have no effect: unknown names, other software's, the other clock's.
#include "corespec/config/setting_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "corespec/config/known_elsewhere.h"
#include "corespec/config/nearest_name.h"

namespace corespec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr RunKind virtual_run{.live = false, .by_aprun = true};
constexpr RunKind live_run{.live = true, .by_aprun = true};
constexpr RunKind under_mpirun{.live = true, .by_aprun = false};

TEST(NearestName, EditDistances) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "abxc"), 1U);
  EXPECT_EQ(edit_distance("abxc", "abc"), 1U);
  EXPECT_EQ(edit_distance("abc", "axc"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("abc", "cab"), 2U);
}

TEST(NearestName, DistancesToAPart) {
  EXPECT_EQ(edit_distance_to_part("eager", "MAX eager SIZE"), 0U);
  EXPECT_EQ(edit_distance_to_part("eagre", "MAX eager SIZE"), 1U);
  EXPECT_EQ(edit_distance_to_part("abc", ""), 3U);
  EXPECT_EQ(edit_distance_to_part("", "abc"), 0U);
}

TEST(NearestName, IsTheFirstOfTheNearestOrNone) {
  const std::vector<std::string> names = {"SEED", "SPEED", "SEEDS"};
  EXPECT_EQ(nearest_name("SEED", names), "SEED");
  EXPECT_EQ(nearest_name("SEDE", names), "");  // two of four characters
  EXPECT_EQ(nearest_name("SEEED", names), "SEED");
  EXPECT_EQ(nearest_name("", names), "");
}

TEST(SettingWarnings, UnknownNamesWithTheNearest) {
  for (const RunKind run : {virtual_run, live_run, under_mpirun}) {
    EXPECT_THAT(
        setting_warnings({{"MPICH_GNI_MAX_EAGER_SIZE", "1"},
                          {"ARMCI_EAGER_LIMIT", "2"},
                          {"XT_SYMMETRIC_HEAP", "3"},
                          {"DMAPP_FAR_FROM_ALL", "4"}},
                         run),
        ElementsAre("ARMCI_EAGER_LIMIT=2: there is no such variable; the nearest is "
                    "CASTOR_ARMCI_EAGER_LIMIT (see aprun --env-help)",
                    "DMAPP_FAR_FROM_ALL=4: there is no such variable (see aprun --env-help)",
                    "MPICH_GNI_MAX_EAGER_SIZE=1: there is no such variable; the nearest is "
                    "MPICH_GNI_MAX_EAGER_MSG_SIZE (see aprun --env-help)",
                    "XT_SYMMETRIC_HEAP=3: there is no such variable; the nearest is "
                    "XT_SYMMETRIC_HEAP_SIZE (see aprun --env-help)"));
  }
}

TEST(SettingWarnings, OnlyNamesLikeOurs) {
  EXPECT_THAT(setting_warnings({{"HOME", "/"},
                                {"PMI_RANK", "0"},
                                {"CRAY_CPU_TARGET", "interlagos"},
                                {"XTOS_VERSION", "5"},
                                {"MPICH_CC", "clang"},
                                {"MPICH_DIR", "/opt"}},
                               virtual_run),
              IsEmpty());
}

TEST(SettingWarnings, CraysThatAreNotEmulated) {
  for (const RunKind run : {virtual_run, live_run}) {
    EXPECT_THAT(setting_warnings({{"MPICH_MEMORY_REPORT", "3"}}, run),
                ElementsAre("MPICH_MEMORY_REPORT=3 has no effect: Castor does not emulate it"));
  }
}

TEST(SettingWarnings, TheOtherClocks) {
  const std::vector<Setting> settings = {{"CASTOR_INTERRUPT_HANDLER", "2us"},
                                         {"CASTOR_PROVIDER", "shm"},
                                         {"CASTOR_SYSTEM", "cielo"},
                                         {"CASTOR_SEED", "2"}};
  const std::string option = "CASTOR_SYSTEM=cielo has no effect here: aprun has an option for it";
  EXPECT_THAT(setting_warnings(settings, virtual_run),
              ElementsAre("CASTOR_PROVIDER=shm has no effect in virtual time", option));
  EXPECT_THAT(setting_warnings(settings, live_run),
              ElementsAre("CASTOR_INTERRUPT_HANDLER=2us has no effect live", option));
  EXPECT_THAT(setting_warnings(settings, under_mpirun),
              ElementsAre("CASTOR_INTERRUPT_HANDLER=2us has no effect live"));
  EXPECT_THAT(setting_warnings(settings, {.live = false, .by_aprun = false}),
              ElementsAre("CASTOR_PROVIDER=shm has no effect in virtual time",
                          "CASTOR_SYSTEM=cielo has no effect in virtual time"));
}

TEST(SettingWarnings, WhatOnlyAprunDoes) {
  const std::vector<Setting> settings = {{"MPICH_RANK_REORDER_METHOD", "0"}};
  EXPECT_THAT(setting_warnings(settings, virtual_run), IsEmpty());
  EXPECT_THAT(setting_warnings(settings, live_run), IsEmpty());
  EXPECT_THAT(setting_warnings(settings, under_mpirun),
              ElementsAre("MPICH_RANK_REORDER_METHOD=0 has no effect without aprun"));
}

TEST(SettingWarnings, ProgressThreadsThatWillNotBeThere) {
  const Setting safe("MPICH_MAX_THREAD_SAFETY", "multiple");
  for (const Setting& asked : std::vector<Setting>{{"MPICH_NEMESIS_ASYNC_PROGRESS", "1"},
                                                   {"MPICH_NEMESIS_ASYNC_PROGRESS", "MC"},
                                                   {"MPICH_ASYNC_PROGRESS", "1"}}) {
    EXPECT_THAT(setting_warnings({asked}, virtual_run),
                ElementsAre(asked.first + "=" + asked.second +
                            " has no effect without MPICH_MAX_THREAD_SAFETY=multiple"));
    EXPECT_THAT(setting_warnings({asked, safe}, virtual_run), IsEmpty());
  }
  for (const char* none : {"0", "disabled"}) {
    EXPECT_THAT(setting_warnings({{"MPICH_NEMESIS_ASYNC_PROGRESS", none}}, virtual_run), IsEmpty());
  }
}

TEST(SettingWarnings, TheLastOfSeveralCountsAndIsSaidOnce) {
  EXPECT_THAT(setting_warnings({{"MPICH_SEED", "1"}, {"MPICH_SEED", "2"}}, virtual_run),
              ElementsAre(testing::StartsWith("MPICH_SEED=2: ")));
}

TEST(SettingWarnings, WhatOthersHaveIsNoParameter) {
  std::set<std::string> ours;
  for (const ParameterInfo& row : describe(Parameters())) ours.insert(row.env);
  for (const std::string_view name : without_effect_here) {
    EXPECT_EQ(ours.count(std::string(name)), 0U) << name;
  }
  for (const std::string_view name : of_build_tools) {
    EXPECT_EQ(ours.count(std::string(name)), 0U) << name;
  }
}

}  // namespace
}  // namespace corespec
