// Commands of this build's programs, each run once, several at a time; and what they have printed.
#include "benchmarks/published/runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "benchmarks/published/values.h"

namespace published {
namespace {

/// The words of a command; what stands between ' and ' is one.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : text + " ") {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// From aprun -v: "ranks on CPU 0, interrupt on CPU 0, progress threads on 1-31, ...".
std::string setup_of(const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t ranks = line.find(": ranks on ");
    const std::size_t interrupt = line.find(", interrupt on ");
    if (!line.starts_with("castor: ") || ranks == std::string::npos ||
        interrupt == std::string::npos) {
      continue;
    }
    const std::size_t from = ranks + std::strlen(": ranks on ");
    return fmt::format("ranks on CPU {}, interrupt on CPU {}", line.substr(from, interrupt - from),
                       line.substr(interrupt + std::strlen(", interrupt on ")));
  }
  return "placement not printed";
}

/// Between commas; what stands in quotes may have some.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

/// Sends what a child writes to `descriptor` to a file.
void redirect(int descriptor, const std::string& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
}

/// Starts a program in `folder`; Ctrl-C is the program's.
pid_t start(const std::vector<std::string>& words, const std::filesystem::path& folder,
            const std::string& output, const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing runs on for a program that has been killed
  std::signal(SIGINT, SIG_DFL);
  redirect(STDOUT_FILENO, output);
  redirect(STDERR_FILENO, errors);
  if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], std::strerror(errno));
  _exit(127);
}

/// The next child that has ended, and how.
std::pair<pid_t, int> wait_for_one() {
  int status = 0;
  pid_t child = -1;
  while ((child = wait(&status)) < 0 && errno == EINTR) {
  }
  if (child < 0) throw std::runtime_error(fmt::format("wait: {}", std::strerror(errno)));
  return {child, status};
}

/// What the program says of its own answer, in a column ok, if it has one.
bool all_right(const CsvTable& table) {
  const auto ok = std::find(table.names.begin(), table.names.end(), "ok");
  if (ok == table.names.end()) return true;
  const auto column = static_cast<std::size_t>(ok - table.names.begin());
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column] == "yes"; });
}

}  // namespace

std::size_t CsvTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw DataError(fmt::format("no column {}", name));
  return static_cast<std::size_t>(found - names.begin());
}

CsvTable read_csv(const std::string& text) {
  CsvTable table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    std::vector<std::string> cells = cells_of(line);
    if (table.names.empty()) {
      table.names = std::move(cells);
    } else {
      cells.resize(table.names.size());
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

Runs::Runs(std::filesystem::path bin) : bin_(std::move(bin)) {
  std::string folder = (std::filesystem::temp_directory_path() / "published.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw std::runtime_error(fmt::format("{}: {}", folder, std::strerror(errno)));
  }
  folder_ = folder;
  std::signal(SIGINT, SIG_IGN);  // it ends the runs, and then this program
}

Runs::~Runs() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Runs::file(std::size_t number, const char* kind) const {
  return folder_ / fmt::format("{}.{}", number, kind);
}

int Runs::begin(const Command& command, std::size_t number) const {
  std::vector<std::string> words = words_of(command);
  const bool launched = words[0] == "aprun";
  const std::string* before = &words[0];
  std::error_code none;              // a list of nodes may be longer than a file's name
  for (std::string& word : words) {  // programs are the words that are files there
    if ((word == "FILE" || word == "FILE.csv") && before->starts_with("--")) {
      word = file(number, before->c_str() + 2) + word.substr(4);
    } else if (&word == &words[0] || std::filesystem::is_regular_file(bin_ / word, none)) {
      word = bin_ / word;
    }
    before = &word;
  }
  if (launched) words.insert(words.begin() + 1, "-v");
  return start(words, folder_, file(number, "out"), file(number, "err"));
}

Outcome Runs::end(const Command& command, std::size_t number, int status) const {
  Outcome outcome{contents(file(number, "out")),
                  contents(file(number, "err")),
                  contents(file(number, "counters")),
                  {},
                  {},
                  {},
                  ""};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) throw std::runtime_error("interrupted");
  if (status != 0) {
    throw std::runtime_error(fmt::format("{}this run failed: {}", outcome.errors, command));
  }
  outcome.table = read_csv(outcome.output);
  const std::string profile = contents(file(number, "profile"));
  if (!profile.empty()) outcome.profile = nlohmann::ordered_json::parse(profile);
  outcome.telemetry = read_csv(contents(file(number, "telemetry-file.csv")));
  if (!all_right(outcome.table)) {
    throw std::runtime_error(fmt::format("the program's answer is wrong: {}", command));
  }
  if (command.starts_with("aprun ")) outcome.setup = setup_of(outcome.errors);
  for (const char* const kind : {"out", "err", "counters", "profile", "telemetry-file.csv"}) {
    std::filesystem::remove(file(number, kind));
  }
  return outcome;
}

void Runs::run(const std::vector<Command>& commands, std::size_t workers,
               const Progress& progress) {
  std::vector<Command> todo;
  std::set<Command> seen;
  for (const Command& each : commands) {
    if (outcomes_.count(each) == 0 && seen.insert(each).second) todo.push_back(each);
  }
  std::map<pid_t, std::size_t> running;
  std::size_t next = 0;
  std::exception_ptr failure;
  while (!running.empty() || (next < todo.size() && !failure)) {
    if (next < todo.size() && running.size() < workers && !failure) {
      running[begin(todo[next], next)] = next;
      ++next;
      continue;
    }
    progress(next - running.size(), todo.size());
    const auto [child, status] = wait_for_one();
    const auto ended = running.find(child);
    if (ended == running.end()) continue;
    try {
      outcomes_[todo[ended->second]] = end(todo[ended->second], ended->second, status);
    } catch (...) {  // the others end first
      if (!failure) failure = std::current_exception();
    }
    running.erase(ended);
  }
  if (failure) std::rethrow_exception(failure);
}

void Runs::make_file(const std::string& name, const Command& command) {
  if (std::filesystem::exists(folder_ / name)) return;
  run({command}, 1, [](std::size_t, std::size_t) {});
  std::ofstream(folder_ / name) << of(command).output;
}

const Outcome& Runs::of(const Command& command) const { return outcomes_.at(command); }

}  // namespace published
