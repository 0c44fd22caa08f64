// The benchmark programs' option parser: values, ranges, lists, mistakes.
#include "benchmarks/common/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct Targets {
  int flag = 0;
  int word = -1;
  long count = 0;
  long bytes = 0;
  double factor = 0;
  size_list sizes = {};
  long box[3] = {0, 0, 0};
};

/// Parses the arguments; returns the error line, empty if all went well.
std::string parse(Targets& targets, std::vector<std::string> arguments) {
  const std::vector<option> options = {
      {'f', "flag", option_flag, &targets.flag, 7, nullptr, "a flag"},
      {'\0', "word", option_word, &targets.word, 0, "one|two|three", "a word"},
      {'c', "count", option_count, &targets.count, 1, nullptr, "a count"},
      {'b', "bytes", option_bytes, &targets.bytes, 0, nullptr, "bytes"},
      {'\0', "factor", option_factor, &targets.factor, 1, nullptr, "a factor"},
      {'\0', "sizes", option_list, &targets.sizes, 0, "LIST", "sizes"},
      {'\0', "box", option_box, targets.box, 2, "XxYxZ", "a box"}};
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  char error[option_error_size] = "";
  const int good = parse_options(options.data(), static_cast<int>(options.size()),
                                 static_cast<int>(argv.size()), argv.data(), error);
  EXPECT_EQ(good != 0, error[0] == '\0');
  return error;
}

std::vector<long> sizes_of(const size_list& sizes) {
  return {sizes.bytes, sizes.bytes + sizes.count};
}

TEST(Options, ReadsEveryKind) {
  Targets targets;
  EXPECT_EQ(parse(targets, {"-f", "--word", "two", "-c5", "--bytes=4K", "--factor", "1.5",
                            "--sizes", "1,2k,3M,1g", "--box", "2x30x1000000"}),
            "");
  EXPECT_EQ(targets.flag, 7);
  EXPECT_EQ(targets.word, 1);
  EXPECT_EQ(targets.count, 5);
  EXPECT_EQ(targets.bytes, 4096);
  EXPECT_EQ(targets.factor, 1.5);
  EXPECT_EQ(std::vector<long>(targets.box, targets.box + 3), (std::vector<long>{2, 30, 1000000}));
  EXPECT_EQ(sizes_of(targets.sizes), (std::vector<long>{1, 2048, 3 << 20, 1 << 30}));
}

TEST(Options, RefusesWhatItDoesNotKnow) {
  for (const char* argument : {"--unknown", "-x", "word", "-", "--", "--flags", "--wor"}) {
    Targets targets;
    EXPECT_EQ(parse(targets, {argument}),
              "unknown argument '" + std::string(argument) + "' (--help lists the options)");
  }
}

TEST(Options, RefusesMissingAndSuperfluousValues) {
  Targets targets;
  EXPECT_EQ(parse(targets, {"--count"}), "option --count needs a value");
  EXPECT_EQ(parse(targets, {"-b"}), "option --bytes needs a value");
  EXPECT_EQ(parse(targets, {"--flag=1"}), "option --flag takes no value");
}

TEST(Options, RefusesValuesOutOfRange) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"--count", "0"},
      {"--count", "-3"},
      {"--count", "5x"},
      {"--count", ""},
      {"--count", "99999999999999999999"},
      {"--bytes", "-1"},
      {"--bytes", "1KB"},
      {"--bytes", "K"},
      {"--bytes", "9999G"},
      {"--bytes", "99999999999999999999"},
      {"--factor", "0.9"},
      {"--factor", "nan"},
      {"--factor", "inf"},
      {"--word", "four"},
      {"--word", ""},
      {"--word", "one|two"},
      {"--sizes", ""},
      {"--sizes", "1,,2"},
      {"--sizes", "1,2,"},
      {"--sizes", "8 "},
      {"--box", "1x4x4"},
      {"--box", "4x4"},
      {"--box", "4x4x4x"},
      {"--box", "4x4x1000001"},
      {"--box", "4x4x-4"},
      {"--box", "4xx4"}};
  for (const auto& [name, value] : wrong) {
    Targets targets;
    const std::string error = parse(targets, {name, value});
    EXPECT_EQ(error.rfind("option " + std::string(name) + ": '", 0), 0U) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(Options, KeepsLongErrorsInTheirLine) {
  Targets targets;
  EXPECT_LT(parse(targets, {"--sizes", std::string(10000, '9')}).size(), option_error_size);
  EXPECT_LT(parse(targets, {"--" + std::string(10000, 'x')}).size(), option_error_size);
}

TEST(Sizes, ListHasALimit) {
  size_list sizes = {};
  std::string text = "1";
  for (int i = 1; i < max_sizes; ++i) text += ",1";
  EXPECT_TRUE(parse_sizes(text.c_str(), &sizes));
  EXPECT_FALSE(parse_sizes((text + ",1").c_str(), &sizes));
}

TEST(Sizes, PowersAndLargest) {
  size_list sizes = {};
  add_powers(&sizes, 2, 20);
  add_size(&sizes, 3);
  EXPECT_EQ(sizes_of(sizes), (std::vector<long>{2, 4, 8, 16, 3}));
  EXPECT_EQ(largest_size(&sizes), 16);
}

}  // namespace
