// What CASTOR_TELEMETRY may say.
#include "ugni_emu/telemetry/mark_choice.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "ugni_emu/telemetry/sampler.h"

namespace {

using corespec::Time;
using telemetry::Choice;
using telemetry::parse_choice;
using telemetry::Sampler;

std::string refusal(const char* text) {
  try {
    parse_choice(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MarkChoice, ANumberIsOneInSoMany) {
  for (const char* text : {"250", "random:250"}) {
    const Choice choice = parse_choice(text);
    EXPECT_EQ(choice.sampler, Choice::Sampler::random) << text;
    EXPECT_EQ(choice.of, 250U) << text;
    EXPECT_TRUE(choice.of_software()) << text;
  }
}

TEST(MarkChoice, FiltersAloneMarkAll) {
  const Choice choice = parse_choice("pair:3-42,size:4K-1M,site:ring.c:41");
  EXPECT_EQ(choice.sampler, Choice::Sampler::all);
  EXPECT_EQ(choice.pair->from, 3);
  EXPECT_EQ(choice.pair->to, 42);
  EXPECT_EQ(choice.sizes->least, 4096U);
  EXPECT_EQ(choice.sizes->most, 1U << 20);
  EXPECT_EQ(choice.site, "ring.c:41");
}

TEST(MarkChoice, MomentsHaveATime) {
  EXPECT_EQ(parse_choice("moments:2.5us").period, Time::nanoseconds(2500));
  EXPECT_EQ(parse_choice("moments:1s").period, Time::seconds(1));
}

TEST(MarkChoice, AComponentMarksInsteadOfSoftware) {
  const Choice choice = parse_choice("router:12,every:7");
  EXPECT_EQ(choice.component, telemetry::Component::router(12));
  EXPECT_FALSE(choice.of_software());
  EXPECT_EQ(choice.sampler, Choice::Sampler::every);
}

TEST(MarkChoice, RefusalsNameTheWord) {
  EXPECT_EQ(refusal("0"), "0: the number must be 1 or more");
  EXPECT_EQ(refusal("every:x"), "every:x: the number must be 1 or more");
  EXPECT_EQ(refusal("100,every:3"), "every:3: a second sampler; there can be one");
  EXPECT_EQ(refusal("pair:3"), "pair:3: it must be pair:RANK-RANK, like pair:3-42");
  EXPECT_EQ(refusal("size:1M-4K"), "size:1M-4K: the first size must not be the larger one");
  EXPECT_EQ(refusal("size:99999999999999999999-4K"),
            "size:99999999999999999999-4K: it must be size:BYTES-BYTES, like size:4K-1M");
  EXPECT_EQ(refusal("moments:5"),
            "moments:5: it must be a time with its unit (ns, us, ms, s), 1ns or more");
  EXPECT_EQ(refusal("moments:-5us"),
            "moments:-5us: it must be a time with its unit (ns, us, ms, s), 1ns or more");
  EXPECT_EQ(refusal("router:12,nic:3"), "nic:3: a second component; there can be one");
  EXPECT_EQ(refusal("router:12,pair:0-1"),
            "router: and nic: stand with a sampler alone: a component knows no ranks, sizes of "
            "commands or calls");
  for (const char* text :
       {"", ",", "100,", "sometimes", "site:", "nic:-1", "nan", "moments:nans"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
}

TEST(MarkChoice, EveryNthIsExact) {
  const Choice choice = parse_choice("every:3");
  Sampler sampler(1, 1);
  std::string taken;
  for (int i = 0; i < 9; ++i) taken += sampler.takes(choice, Time()) ? 'x' : '-';
  EXPECT_EQ(taken, "--x--x--x");
}

TEST(MarkChoice, MomentsTakeTheFirstOfEachPeriod) {
  const Choice choice = parse_choice("moments:10ns");
  Sampler sampler(1, 1);
  std::string taken;
  for (const double ns : {0.0, 3.0, 9.0, 10.0, 11.0, 35.0, 36.0, 40.0}) {
    taken += sampler.takes(choice, Time::nanoseconds(ns)) ? 'x' : '-';
  }
  EXPECT_EQ(taken, "x--x-x-x");
}

TEST(MarkChoice, RandomIsOneInSoManyAndRepeats) {
  const Choice choice = parse_choice("100");
  Sampler first(7, 1), again(7, 1), other(7, 2);
  int marked = 0, different = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool takes = first.takes(choice, Time());
    EXPECT_EQ(takes, again.takes(choice, Time()));
    marked += takes ? 1 : 0;
    different += takes != other.takes(choice, Time()) ? 1 : 0;
  }
  EXPECT_NEAR(marked, 1000, 100);
  EXPECT_GT(different, 1000);
}

}  // namespace
