// Records as bytes and back.
#include "corespec/containers/packed_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct Pair {
  int one;
  double other;
};

std::string packed() {
  corespec::PackedRecords records;
  records.add(Pair{3, 0.5});
  records.add_text("text");
  records.add_all(std::vector<int>{7, 8});
  return records.take();
}

TEST(PackedRecords, ComeOutAsTheyWentIn) {
  const std::string bytes = packed();
  corespec::RecordReader reader(bytes);
  const Pair pair = reader.take<Pair>();
  EXPECT_EQ(pair.one, 3);
  EXPECT_EQ(pair.other, 0.5);
  EXPECT_EQ(reader.take_text(), "text");
  std::vector<int> numbers{6};
  EXPECT_FALSE(reader.is_empty());
  reader.take_all(numbers);
  EXPECT_EQ(numbers, (std::vector<int>{6, 7, 8}));
  EXPECT_TRUE(reader.is_empty());
}

TEST(PackedRecords, ThatHaveBeenCutAreRefused) {
  const std::string bytes = packed();
  const auto read = [](std::string_view from) {
    corespec::RecordReader reader(from);
    reader.take<Pair>();
    reader.take_text();
    std::vector<int> numbers;
    reader.take_all(numbers);
  };
  EXPECT_NO_THROW(read(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(read(std::string_view(bytes).substr(0, length)), std::runtime_error) << length;
  }
}

}  // namespace
