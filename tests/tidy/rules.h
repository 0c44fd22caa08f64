// The tidy rules: what no compiler checks and every file of the tree must keep.
#pragma once

#include <string>
#include <vector>

#include "tests/tidy/source_file.h"

namespace tidy {

/// One breach of a rule.
struct Finding {
  std::string rule;  ///< the rule's name, as in the allow-list
  std::string path;
  int line = 0;
  std::string what;
};

/// One permitted exception: the file `path` may break `rule`, because of `reason`. Programs of
/// tests and benchmarks are excepted by folders, whose paths end in '/'.
struct Exception {
  const char* rule;
  const char* path;
  const char* reason;
};

/// The whole allow-list.
const std::vector<Exception>& exceptions();

/// Breaches of every rule in one file, whether excepted or not.
std::vector<Finding> check_file(const SourceFile& file);

/// The single rules.
std::vector<Finding> check_layers(const SourceFile& file);    ///< "layers"
std::vector<Finding> check_doors(const SourceFile& file);     ///< "doors"
std::vector<Finding> check_calls(const SourceFile& file);     ///< "clock" ... "test_files"
std::vector<Finding> check_seams(const SourceFile& file);     ///< "seams"
std::vector<Finding> check_order(const SourceFile& file);     ///< "unordered"
std::vector<Finding> check_globals(const SourceFile& file);   ///< "globals", "thread_local"
std::vector<Finding> check_switches(const SourceFile& file);  ///< "switch"
std::vector<Finding> check_names(const SourceFile& file);     ///< "names"
std::vector<Finding> check_opening(const SourceFile& file);   ///< "opening", "guard"
std::vector<Finding> check_text(
    const SourceFile& file);  ///< "length", "open_ends", "conflict", "machine"

/// "names": a header of a layer that has the file name of another one. Public headers are
/// left out: their names are those of the emulated interfaces.
std::vector<Finding> check_header_names(const std::vector<SourceFile>& tree);

/// The place of the exception that permits a finding, or their number if none does.
std::size_t exception_for(const Finding& finding);

}  // namespace tidy
