// The tree against the tidy rules, with the list of exceptions applied.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/tidy/folders.h"
#include "tests/tidy/rules.h"

namespace tidy {
namespace {

const std::vector<SourceFile>& tree() {
  static const std::vector<SourceFile> files = read_tree(CASTOR_SOURCE_DIR);
  return files;
}

FolderOrder listed_order(std::vector<std::string>& faults) {
  std::ifstream in(CASTOR_SOURCE_DIR "/tests/tidy/folder_order.txt");
  return {std::string(std::istreambuf_iterator<char>(in), {}), faults};
}

/// What a folder's README says of the list's line.
std::string readme_line(const std::set<std::string>& used) {
  std::string line;
  for (const std::string& folder : used) line += (line.empty() ? "`" : ", `") + folder + "`";
  return "\nUses, of this layer: " + (line.empty() ? "nothing" : line) + ".\n";
}

/// One test for both, as reading and matching the whole tree takes seconds.
TEST(Tree, KeepsTheRulesAndNeedsEachException) {
  ASSERT_GT(tree().size(), 50U) << "not the whole tree: " << CASTOR_SOURCE_DIR;
  std::vector<bool> excuses(exceptions().size());
  for (const SourceFile& file : tree()) {
    for (const Finding& finding : check_file(file)) {
      const std::size_t exception = exception_for(finding);
      if (exception < excuses.size()) {
        excuses[exception] = true;
        continue;
      }
      ADD_FAILURE() << finding.path << ":" << finding.line << ": " << finding.rule << ": "
                    << finding.what;
    }
  }
  for (std::size_t i = 0; i < excuses.size(); ++i) {
    EXPECT_TRUE(excuses[i]) << "an exception that excuses nothing: " << exceptions()[i].rule << ", "
                            << exceptions()[i].path;
  }
}

TEST(Tree, HasNoTwoHeadersOfTheLayersWithOneName) {
  for (const Finding& finding : check_header_names(tree())) {
    ADD_FAILURE() << finding.path << ": " << finding.what;
  }
}

TEST(Tree, KeepsTheOrderOfFolders) {
  std::vector<std::string> faults;
  const FolderOrder order = listed_order(faults);
  for (const std::string& fault : faults) ADD_FAILURE() << "folder_order.txt: " << fault;
  for (const SourceFile& file : tree()) {
    for (const Finding& finding : order.check(file)) {
      ADD_FAILURE() << finding.path << ":" << finding.line << ": " << finding.what;
    }
  }
}

TEST(Tree, HasAReadmeInEachFolderThatSaysWhatTheListDoes) {
  std::vector<std::string> faults;
  const FolderOrder order = listed_order(faults);
  ASSERT_FALSE(order.folders().empty());
  for (const auto& [folder, used] : order.folders()) {
    const std::filesystem::path there = std::filesystem::path(CASTOR_SOURCE_DIR) / folder;
    EXPECT_TRUE(std::filesystem::is_directory(there)) << folder;
    std::ifstream in(there / "README.md");
    const std::string readme(std::istreambuf_iterator<char>(in), {});
    EXPECT_NE(readme.find(readme_line(used)), std::string::npos)
        << folder << "/README.md lacks the line: " << readme_line(used);
  }
}

}  // namespace
}  // namespace tidy
