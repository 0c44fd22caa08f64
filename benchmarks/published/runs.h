// Commands of this build's programs, each run once, several at a time; and what they have printed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace published {

/// As a user would type it; the FILE of --counters or --profile belongs to what it has printed.
using Command = std::string;

/// The lines of a CSV table, by the names of the columns.
struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;

  /// Where a column is; throws DataError if there is none.
  [[nodiscard]] std::size_t column(const std::string& name) const;
};

CsvTable read_csv(const std::string& text);

struct Outcome {
  std::string output;
  std::string errors;
  std::string counters;
  nlohmann::ordered_json profile;  ///< null without --profile
  CsvTable table;                  ///< of the output
  CsvTable telemetry;              ///< of --telemetry-file FILE.csv
  std::string setup;               ///< which CPUs ranks, interrupt and progress threads have
};

class Runs {
 public:
  /// Programs are in `bin`.
  explicit Runs(std::filesystem::path bin);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// Tells of runs that have ended, of all of these.
  using Progress = std::function<void(std::size_t ended, std::size_t all)>;

  /// Runs what has not been run, so many at a time. The first that fails ends it.
  void run(const std::vector<Command>& commands, std::size_t workers, const Progress& progress);

  /// What a program writes to its output, as a file of the folder where all programs run.
  void make_file(const std::string& name, const Command& command);

  [[nodiscard]] const Outcome& of(const Command& command) const;

 private:
  [[nodiscard]] std::string file(std::size_t number, const char* kind) const;
  [[nodiscard]] int begin(const Command& command, std::size_t number) const;
  [[nodiscard]] Outcome end(const Command& command, std::size_t number, int status) const;

  std::filesystem::path bin_;
  std::filesystem::path folder_;
  std::map<Command, Outcome> outcomes_;
};

}  // namespace published
