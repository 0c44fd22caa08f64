// Runs the dynamic loader's own list of libraries for a program, and looks there for MPI's
// functions and for what is missing.
#include "launch/live_launcher/live_libraries.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "launch/loader/elf_file.h"
#include "launch/loader/library_search.h"
#include "launch/loader/load_error.h"
#include "launch/loader/trial.h"

namespace launch {
namespace {

std::optional<ElfFile> read_elf(const std::string& path) {
  try {
    return ElfFile::read(path);
  } catch (const LoadError&) {
    return std::nullopt;  // the kernel and the dynamic loader have their own words for it
  }
}

/// The dynamic loader that the program names, or empty.
std::string interpreter_of(const ElfFile& file) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_INTERP) continue;
    std::string name;
    for (std::uint64_t i = 0; i + 1 < segment.p_filesz; ++i) {
      name += file.at<char>(segment.p_offset + i);
    }
    return name;
  }
  return {};
}

bool is_glibcs(const std::string& interpreter) {
  return std::filesystem::path(interpreter).filename().string().rfind("ld-linux", 0) == 0;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Answer {
  std::string text;
  int status = 0;  ///< as of waitpid()
  bool late = false;
};

/// What `command` prints, its errors too; killed after some seconds.
std::optional<Answer> run(const std::vector<std::string>& command,
                          const std::vector<std::string>& environment) {
  constexpr int patience_ms = 20'000;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = -1;
  const bool started =
      posix_spawn(&child, command.front().c_str(), &actions, nullptr, pointers_to(command).data(),
                  pointers_to(environment).data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<Answer> answer;
  if (started) {
    answer.emplace();
    std::array<char, 4096> part{};
    for (;;) {
      pollfd ready{ends[0], POLLIN, 0};
      const int count = poll(&ready, 1, patience_ms);
      if (count < 0 && errno == EINTR) continue;
      answer->late = count <= 0;
      if (answer->late) kill(child, SIGKILL);
      const ssize_t got = answer->late ? 0 : read(ends[0], part.data(), part.size());
      if (got <= 0) break;
      answer->text.append(part.data(), static_cast<std::size_t>(got));
    }
    while (waitpid(child, &answer->status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return answer;
}

bool is_own(const std::string& path, const char* name) {
  std::error_code none;
  return std::filesystem::equivalent(path, own_library_directory() + "/" + name, none);
}

/// True if MPI's functions are those of `file`; throws if it is not Castor's.
bool has_mpi(const std::string& program, const ElfFile& file) {
  const std::string other = other_mpi(file);
  if (other.empty()) return false;
  if (is_own(file.path(), "libmpi.so.12")) return true;
  const std::string by_name = other_mpi_name(std::filesystem::path(file.path()).filename());
  throw LoadError(program, by_name.empty() ? other : by_name);
}

/// The dynamic loader's answer, line by line.
struct Listed {
  std::vector<std::string> libraries;  ///< in the order in which symbols are looked for
  std::set<std::string> missing;       ///< symbols
  std::set<std::string> users;         ///< files that refer to them
};

/// "undefined symbol: f (file)", or "symbol f, version V not defined in file L with ... (file)",
/// a tab before the parenthesis.
void read_complaint(const std::string& line, Listed& listed) {
  for (const std::string beginning : {"undefined symbol: ", "symbol "}) {
    if (line.compare(0, beginning.size(), beginning) != 0) continue;
    const std::size_t file = line.rfind("\t(");
    const std::size_t end = line.find_first_of(",\t ", beginning.size());
    if (file == std::string::npos || line.back() != ')') return;
    listed.missing.insert(line.substr(beginning.size(), end - beginning.size()));
    listed.users.insert(line.substr(file + 2, line.size() - file - 3));
    return;
  }
}

/// Lines like "\tlibm.so.6 => /lib/libm.so.6 (0x7f...)", and complaints.
Listed read_list(const std::string& program, const std::string& list) {
  Listed listed;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() != '\t') {
      read_complaint(line, listed);
      continue;
    }
    const std::string arrow = " => ";
    const auto at = line.find(arrow);
    const auto begin = std::min(line.find_first_not_of('\t'), line.size());
    const std::string name = line.substr(begin, at == std::string::npos ? at : at - begin);
    std::string path = at == std::string::npos ? name : line.substr(at + arrow.size());
    if (path == "not found") throw LoadError(program, library_not_found(name));
    path.erase(std::min(path.rfind(" ("), path.size()));
    if (!path.empty() && path.front() == '/') listed.libraries.push_back(path);
  }
  return listed;
}

void check_mpi(const std::string& program, const std::vector<std::string>& libraries) {
  for (const std::string& path : libraries) {
    const std::optional<ElfFile> library = read_elf(path);
    if (library && has_mpi(program, *library)) return;
  }
}

MissingSymbols missing_of(const Listed& listed) {
  std::vector<ElfFile> files;
  for (const std::string& path : listed.users) {
    if (std::optional<ElfFile> file = read_elf(path)) files.push_back(std::move(*file));
  }
  std::vector<const ElfFile*> pointers;
  pointers.reserve(files.size());
  for (const ElfFile& file : files) pointers.push_back(&file);
  return find_missing(pointers, [&listed](const std::string& name, const std::string&) {
    return listed.missing.count(name) == 0;
  });
}

}  // namespace

LibraryReport check_libraries(const std::string& program, std::vector<std::string> environment) {
  LibraryReport report;
  const std::optional<ElfFile> file = read_elf(program);
  if (!file) return report;
  const std::string interpreter = interpreter_of(*file);
  if (interpreter.empty()) return report;
  const bool brings_mpi = has_mpi(program, *file);
  std::vector<std::string> command{interpreter, program};
  if (is_glibcs(interpreter)) {
    // What is missing it says if it is to warn, of all that it would look for now or later.
    environment.insert(environment.end(),
                       {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", "LD_BIND_NOW=1"});
  } else {
    command.insert(command.begin() + 1, "--list");  // others would run the program
  }
  const std::optional<Answer> answer = run(command, environment);
  if (!answer) return report;
  if (answer->late || WIFSIGNALED(answer->status)) {
    throw LoadError(program, loader_crash(answer->late ? 0 : WTERMSIG(answer->status)));
  }
  if (WEXITSTATUS(answer->status) != 0) return report;
  const Listed listed = read_list(program, answer->text);
  if (!brings_mpi) check_mpi(program, listed.libraries);
  report.missing = missing_of(listed);
  refuse_missing_data(report.missing, program);
  report.has_handler =
      std::any_of(listed.libraries.begin(), listed.libraries.end(),
                  [](const std::string& path) { return is_own(path, "libcorespec.so"); });
  return report;
}

}  // namespace launch
