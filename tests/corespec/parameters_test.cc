// The parameter table: defaults, units, ranges, unknown names, description.
#include "corespec/config/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_folder.h"

namespace corespec {
namespace {

Parameters read(const std::vector<Setting>& settings, std::vector<std::string>& errors) {
  errors.clear();
  return read_parameters(settings, errors);
}

TEST(ParametersTest, UnitsAreUnderstood) {
  std::vector<std::string> errors;
  const Parameters p = read({{"CASTOR_HOP_LATENCY", "0.2us"},
                             {"CASTOR_NIC_BANDWIDTH", "500MB/s"},
                             {"MPICH_GNI_MAX_EAGER_MSG_SIZE", "4K"},
                             {"CASTOR_BTE_CHANNELS", "2"},
                             {"CASTOR_NOISE", "on"},
                             {"MPICH_NEMESIS_ASYNC_PROGRESS", "MC"}},
                            errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(p.hop_latency, Time::nanoseconds(200));
  EXPECT_EQ(p.nic_bandwidth, 5e8);
  EXPECT_EQ(p.max_eager, 4096);
  EXPECT_EQ(p.bte_channels, 2);
  EXPECT_TRUE(p.noise);
  EXPECT_EQ(p.async_progress, "MC");
}

TEST(ParametersTest, ALaterSettingWins) {
  std::vector<std::string> errors;
  EXPECT_EQ(read({{"CASTOR_SEED", "3"}, {"CASTOR_SEED", "4"}}, errors).seed, 4);
}

TEST(ParametersTest, WhatDoesNotParseIsReportedInOneLine) {
  const struct {
    const char* name;
    const char* value;
    const char* allowed;
  } bad[] = {{"CASTOR_HOP_LATENCY", "fast", "a time from 1 to 1000000 ns"},
             {"CASTOR_HOP_LATENCY", "0", "a time from 1"},
             {"CASTOR_HOP_LATENCY", "5 apples", "a time"},
             {"MPICH_GNI_RDMA_THRESHOLD", "abc", "a whole number of bytes"},
             {"MPICH_GNI_RDMA_THRESHOLD", "65537", "0 to 65536"},
             {"MPICH_GNI_RDMA_THRESHOLD", "1.5", "a whole number"},
             {"MPICH_GNI_RDMA_THRESHOLD", "", "a whole number"},
             {"CASTOR_NOISE", "maybe", "0, 1, on"},
             {"MPICH_MAX_THREAD_SAFETY", "some", "one of single|funneled"},
             {"CASTOR_NIC_BANDWIDTH", "-1", "a rate"},
             {"CASTOR_NIC_BANDWIDTH", "nan", "a rate"}};
  for (const auto& [name, value, allowed] : bad) {
    std::vector<std::string> errors;
    read({{name, value}}, errors);
    ASSERT_EQ(errors.size(), 1u) << name << '=' << value;
    EXPECT_EQ(errors[0].find(std::string(name) + "=" + value + ": "), 0u) << errors[0];
    EXPECT_NE(errors[0].find(allowed), std::string::npos) << errors[0];
    EXPECT_EQ(errors[0].find('\n'), std::string::npos);
  }
}

TEST(ParametersTest, UnknownNamesOfOursAreReportedOthersAreNot) {
  std::vector<std::string> errors;
  read({{"CASTOR_UNHEARD_OF", "1"}, {"MPICH_SOMETHING", "1"}, {"HOME", "/"}}, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0], "CASTOR_UNHEARD_OF=1: there is no such variable (see aprun --env-help)");
  read({{"CASTOR_SED", "1"}}, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0],
            "CASTOR_SED=1: there is no such variable; the nearest is CASTOR_SEED (see aprun "
            "--env-help)");
}

TEST(ParametersTest, EveryRowIsCompleteAndItsDefaultIsLegal) {
  std::set<std::string> names;
  for (const ParameterInfo& row : describe(Parameters())) {
    EXPECT_TRUE(names.insert(row.env).second) << row.env << " is declared twice";
    EXPECT_FALSE(row.help.empty()) << row.env;
    EXPECT_FALSE(row.allowed.empty()) << row.env;
    EXPECT_EQ(row.value, row.fallback) << row.env;
    const std::vector<std::string> bases = {"published", "derived", "estimated", "calibrated",
                                            "design"};
    EXPECT_NE(std::find(bases.begin(), bases.end(), row.basis), bases.end()) << row.env;
    const bool sourced = row.basis != "published" && row.basis != "derived";
    EXPECT_TRUE(sourced || !row.source.empty()) << row.env << " names no source";
    std::vector<std::string> errors;
    read_parameters({{row.env, row.fallback}}, errors);
    EXPECT_TRUE(errors.empty()) << (errors.empty() ? "" : errors[0]);
  }
  EXPECT_GT(names.size(), 60u);
}

/// A plan that takes time alone lets nothing fail: libraries are as careless as without it.
TEST(ParametersTest, TransactionsMayFailWhereAPlanOfFaultsSaysSo) {
  std::vector<std::string> errors;
  const auto may_fail = [&errors](const std::string& faults) {
    return read({{"CASTOR_FAULTS", faults}}, errors).transactions_may_fail();
  };
  EXPECT_FALSE(read({}, errors).transactions_may_fail());
  for (const char* harmless :
       {"nic-stalls for=1us p=.1", "completion-late by=1us kind=put; credits-late by=2us",
        "datagram-late by=1us nth=3", "post-refused", "post-refused; nic-stalls for=1us"}) {
    EXPECT_FALSE(may_fail(harmless)) << harmless;
  }
  for (const char* harmful :
       {"post-fails nth=9", "message-lost p=.1", "cq-overrun", "register-fails p=.1",
        "node-dead node=1 at=1s", "links-down count=1 seed=1 until=1ms",
        "nic-stalls for=1us; post-fails kind=put", "no-such p=.1", "no such file"}) {
    EXPECT_TRUE(may_fail(harmful)) << harmful;
  }
  EXPECT_TRUE(read({{"CASTOR_FAULTS", "nic-stalls for=1us"}, {"CASTOR_LOST_PACKETS", "9"}}, errors)
                  .transactions_may_fail());

  const castor_test::TestFolder folder;
  std::ofstream(folder / "plan") << "# nothing\n";
  EXPECT_FALSE(may_fail(folder / "plan"));
  std::ofstream(folder / "plan") << "# two\nnic-stalls for=1us\nmessage-lost\n";
  EXPECT_TRUE(may_fail(folder / "plan"));
}

}  // namespace
}  // namespace corespec
