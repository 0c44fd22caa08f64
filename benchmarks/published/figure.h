// A published figure or table: a data file's comparisons and charts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/published/comparison.h"
#include "benchmarks/published/picture.h"

namespace published {

/// A data file has
///
///   row, title, source   its name, what it shows, where it was published; says: what the paper
///   says of it group                a name that chooses several rows setup                stands
///   for what runs print of their placement together             how many runs at a time (all
///   processors' number) files                {NAME: COMMAND}: what the programs read sets,
///   definitions    beside those of common.json (scope.h, source.h) comparisons, charts  lists; a
///   node with "do" repeats that list "for" its variables, and its values are
///                        those of every comparison in it
struct Figure {
  std::string row, group, title, source, says, setup;
  std::size_t together = 0;
  Json sets, definitions;  ///< what the comparisons' scopes refer to
  std::vector<std::pair<std::string, Command>> files;
  std::vector<Comparison> comparisons;
  std::vector<Picture> charts;

  Figure(const std::filesystem::path& file, const Json& common);
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;
};

/// Reads a file of JSON; throws what the parser does.
Json read_json(const std::filesystem::path& file);

}  // namespace published
