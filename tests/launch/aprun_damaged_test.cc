// Programs whose files are damaged: aprun says something and ends, whatever is wrong. So many files
// as CASTOR_DAMAGED_FILES says (60); by hand 3,000.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::CommandResult;
using launch_test::run_command;
using launch_test::sample;

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The tables of an ELF file are at its beginning; code and data follow.
std::vector<char> damaged(std::vector<char> file, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t tables = std::min<std::size_t>(file.size(), 0x800);
  const auto within = [&random](std::size_t size) { return random() % size; };
  switch (random() % 4) {
    case 0:  // cut off
      file.resize(within(file.size()));
      break;
    case 1:  // some bytes, most of them in tables
      for (std::size_t i = 1 + random() % 8; i > 0; --i) {
        file[within(random() % 4 == 0 ? file.size() : tables)] = static_cast<char>(random());
      }
      break;
    case 2:  // a number that is far too large or just wrong
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = within(tables - 8) / 8 * 8 + i;
        file[at] = static_cast<char>(random() % 2 == 0 ? 0xff : random());
        if (random() % 4 == 0) break;
      }
      break;
    default: {  // a part somewhere else
      const std::size_t from = within(file.size() - 64);
      const std::size_t to = within(tables);
      std::copy(file.begin() + static_cast<std::ptrdiff_t>(from),
                file.begin() + static_cast<std::ptrdiff_t>(from + 64),
                file.begin() + static_cast<std::ptrdiff_t>(to));
      break;
    }
  }
  return file;
}

TEST(Damaged, FilesEndWithALineOrRun) {
  const char* const wanted = std::getenv("CASTOR_DAMAGED_FILES");
  const int count = wanted == nullptr ? 60 : std::atoi(wanted);
  const std::vector<char> whole = contents(sample("mutated"));
  ASSERT_GT(whole.size(), 4096U);
  const castor_test::TestFolder folder;
  const std::string path = folder / "program";
  int refused = 0;
  for (int seed = 0; seed < count; ++seed) {
    const std::vector<char> bytes = damaged(whole, static_cast<std::uint64_t>(seed));
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    chmod(path.c_str(), 0700);
    // Damaged code may compute for ever.
    const CommandResult result =
        run_command("bash -c 'ulimit -t 20; exec " + launch_test::tool("aprun") +
                    " -q --limit 5s -n 2 " + path + "'");
    if (result.code != 0) {
      ++refused;
      EXPECT_NE(result.errors, "") << "seed " << seed << ": silence, code " << result.code;
    }
    EXPECT_NE(result.code, 128 + 9) << "seed " << seed << " hangs";
    EXPECT_EQ(result.errors.find("internal error"), std::string::npos)
        << "seed " << seed << ": " << result.errors;
  }
  EXPECT_GT(refused, count / 4);
}

}  // namespace
