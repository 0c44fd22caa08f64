// PREFIX.meta and the ranks that it promises.
#include <gtest/gtest.h>

#include <fstream>

#include "apps/traces/dumpi/trace_file.h"
#include "apps/traces/dumpi/trace_writer.h"
#include "tests/support/test_folder.h"
#include "tests/traces/random_calls.h"

namespace {

using castor_test::error_of;

class MetaFile : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(folder_ / "t.meta") << text; }
  dumpi::Meta read() { return dumpi::read_meta(folder_ / "t"); }
  std::string error() {
    const std::string text = error_of([&] { read(); });
    const std::string name = folder_ / "t.meta: ";
    return text.rfind(name, 0) == 0 ? text.substr(name.size()) : "other: " + text;
  }
  void make_rank(const std::string& digits) {
    std::ofstream(folder_ / ("t-" + digits + ".bin")) << "something";
  }

  castor_test::TestFolder folder_;
};

TEST_F(MetaFile, SaysHowManyRanksThereAre) {
  write(dumpi::meta_text("t", 64, castor_test::some_sections()));
  for (const char* name : {"t", "t.meta"}) {
    const dumpi::Meta meta = dumpi::read_meta(folder_ / name);
    EXPECT_EQ(meta.ranks, 64);
    EXPECT_EQ(meta.host, "nid05840");
    EXPECT_EQ(meta.user, "somebody");
    EXPECT_EQ(meta.start, 1'393'887'300U);
    EXPECT_EQ(meta.version, (dumpi::Version{1, 1, 0}));
    EXPECT_EQ(dumpi::rank_path(meta, 7), folder_ / "t-0007.bin");
    EXPECT_EQ(dumpi::rank_path(meta, 12345), folder_ / "t-12345.bin");
  }
  std::ofstream(folder_ / "t-0007.txt") << "text";
  EXPECT_EQ(dumpi::rank_path(dumpi::read_meta(folder_ / "t"), 7), folder_ / "t-0007.txt");
  make_rank("0007");
  EXPECT_EQ(dumpi::rank_path(dumpi::read_meta(folder_ / "t"), 7), folder_ / "t-0007.bin");
  write("numprocs=4\r\nversion=0\nsubversion=6\nsubsubversion=1\nother=a=b\n\n");
  EXPECT_EQ(read().ranks, 4);
  EXPECT_EQ(read().version, (dumpi::Version{0, 6, 1}));
}

TEST_F(MetaFile, IsRefusedIfItIsNone) {
  EXPECT_EQ(error(), "is no file that can be read");
  write("hostname=a\n");
  EXPECT_EQ(error(), "numprocs '': must be a number from 1 to 1000000");
  for (const char* ranks : {"0", "-1", "1000001", "4x", "99999999999999999999"}) {
    write(std::string("numprocs=") + ranks + "\n");
    EXPECT_EQ(error(), std::string("numprocs '") + ranks + "': must be a number from 1 to 1000000");
  }
  write("numprocs=4\nnumprocs=5\n");
  EXPECT_EQ(error(), "line 2: numprocs a second time");
  write("numprocs=4\nwhat\n");
  EXPECT_EQ(error(), "line 2: must be key=value");
  write("numprocs=4\nversion=2\nsubversion=0\nsubsubversion=0\n");
  EXPECT_EQ(error(), "version '2': must be a number from 0 to 1");
  write("numprocs=4\nversion=1\nsubversion=2\nsubsubversion=0\n");
  EXPECT_EQ(error(), "subversion '2': must be a number from 0 to 1");
}

TEST_F(MetaFile, NamesTheRanksThatAreAbsent) {
  write("numprocs=12\n");
  make_rank("0000");
  make_rank("0002");
  const dumpi::Meta meta = read();
  EXPECT_EQ(dumpi::absent_ranks(meta), (std::vector<int>{1, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(error_of([&] { dumpi::check_all_present(meta); }),
            folder_ /
                    "t.meta: no file of ranks 1, 3, 4, 5, 6, 7, 8, 9 and 2 more (the first would "
                    "be " +
                folder_ / "t-0001.bin); must have all 12");
  for (int rank = 3; rank < 12; ++rank)
    make_rank(rank < 10 ? "000" + std::to_string(rank) : "00" + std::to_string(rank));
  EXPECT_EQ(error_of([&] { dumpi::check_all_present(meta); }),
            folder_ / "t.meta: no file of rank 1 (the first would be " +
                folder_ / "t-0001.bin); must have all 12");
  make_rank("0001");
  EXPECT_EQ(error_of([&] { dumpi::check_all_present(meta); }), "");
}

}  // namespace
