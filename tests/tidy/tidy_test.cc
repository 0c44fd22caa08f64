// The tree against the tidy rules, with the allow-list applied.
#include <gtest/gtest.h>

#include "tests/tidy/rules.h"

namespace tidy {
namespace {

TEST(Tree, KeepsTheRules) {
  const std::vector<SourceFile> files = read_tree(CASTOR_SOURCE_DIR);
  ASSERT_GT(files.size(), 50U) << "not the whole tree: " << CASTOR_SOURCE_DIR;
  for (const SourceFile& file : files) {
    for (const Finding& finding : check_file(file)) {
      if (is_excepted(finding)) continue;
      ADD_FAILURE() << finding.path << ":" << finding.line << ": " << finding.rule << ": "
                    << finding.what;
    }
  }
}

}  // namespace
}  // namespace tidy
