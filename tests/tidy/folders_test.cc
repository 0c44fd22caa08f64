// The order of folders: a list that contradicts itself and files that break it are found.
#include "tests/tidy/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FolderOrder order_of(const std::string& text) {
  std::vector<std::string> faults;
  FolderOrder order(text, faults);
  EXPECT_THAT(faults, IsEmpty());
  return order;
}

std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> faults;
  FolderOrder(text, faults);
  return faults;
}

std::vector<std::string> found(const FolderOrder& order, const std::string& path,
                               const std::string& text) {
  std::vector<std::string> all;
  for (const Finding& finding : order.check(make_source(path, text))) all.push_back(finding.what);
  return all;
}

TEST(Folders, FindsAnUpwardInclude) {
  const FolderOrder order = order_of("corespec/time:\ncorespec/events: corespec/time\n");
  EXPECT_THAT(found(order, "corespec/time/a.h", "#include \"corespec/events/b.h\"\n"),
              ElementsAre("corespec/time may not use corespec/events"));
}

TEST(Folders, FindsAnIncludeThatTheListDoesNotName) {
  const FolderOrder order = order_of("armci/a:\narmci/b: armci/a\narmci/c: armci/b\n");
  EXPECT_THAT(found(order, "armci/c/x.cc", "// x\n #  include <armci/a/y.h>\n"),
              ElementsAre("armci/c may not use armci/a"));
}

TEST(Folders, FindsAFolderThatTheListDoesNotKnow) {
  const FolderOrder order = order_of("armci/a:\n");
  EXPECT_THAT(found(order, "armci/b/x.cc", ""),
              ElementsAre("armci/b is not in the list of folders"));
}

TEST(Folders, PassesWhatIsListedOneselfAndOtherLayers) {
  const FolderOrder order = order_of("# lowest first\narmci/a:\narmci/b: armci/a  # why\n");
  EXPECT_THAT(found(order, "armci/b/x.cc",
                    "#include \"armci/a/y.h\"\n#include \"armci/b/z.h\"\n#include "
                    "\"corespec/time/time.h\"\n#include <vector>\n#include \"corespec_work.h\"\n"),
              IsEmpty());
  EXPECT_THAT(found(order, "tests/x.cc", "#include \"armci/a/y.h\"\n"), IsEmpty());
}

TEST(Folders, FindsAListThatContradictsItself) {
  EXPECT_THAT(faults_of("a/b: a/c\na/c:\n"),
              ElementsAre("line 1: a/b uses a/c, which no line before has"));
  EXPECT_THAT(faults_of("a/b:\na/b:\n"), ElementsAre("line 2: a/b a second time"));
  EXPECT_THAT(faults_of("a/b a/c\n"), ElementsAre("line 1: no colon behind a/b"));
}

}  // namespace
}  // namespace tidy
