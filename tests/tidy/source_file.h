// A source file as the tidy rules see it: its text, and its text without comments and strings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tidy {

/// One file. `path` is relative to the root of the tree, with forward slashes.
struct SourceFile {
  std::string path;
  std::string text;
  std::string code;  ///< same length and lines; comments and the insides of strings are blanks
};

/// A file made of `text`; comments and strings are blanked for C and C++ files only.
SourceFile make_source(std::string path, std::string text);

/// Every file of the tree that is source, build script or document; directories that are not the
/// project's (.git, build) are left out. In order of path.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

bool is_code(const std::string& path);    ///< C or C++
bool is_header(const std::string& path);  ///< C or C++ header

/// What a file includes, in quotes or angle brackets.
struct Include {
  std::string target;
  int line = 0;
};
std::vector<Include> includes_of(const SourceFile& file);

/// Line number (from 1) of a position in `text`.
int line_of(const std::string& text, std::size_t position);

/// `code` without preprocessor lines (blanked, lines kept).
std::string without_directives(std::string code);

}  // namespace tidy
