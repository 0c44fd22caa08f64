// Rules about includes, calls, names, opening lines and texts.
#include "tests/tidy/rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <utility>

namespace tidy {
namespace {

/// The layers, lowest first; each uses only those before it.
const std::vector<std::string>& layers() {
  static const std::vector<std::string> names = {"corespec", "ugni_emu",   "netmod", "armci",
                                                 "launch",   "benchmarks", "apps"};
  return names;
}

/// A directory's place among the layers, or -1.
int layer_of(const std::string& path) {
  const std::string top = path.substr(0, path.find('/'));
  const auto found = std::find(layers().begin(), layers().end(), top);
  return found == layers().end() ? -1 : static_cast<int>(found - layers().begin());
}

bool is_program(const std::string& path) {
  return path.rfind("benchmarks/", 0) == 0 || path.rfind("apps/", 0) == 0;
}

void add(std::vector<Finding>& findings, const char* rule, const SourceFile& file,
         std::size_t position, std::string what) {
  findings.push_back({rule, file.path, line_of(file.text, position), std::move(what)});
}

/// What a rule looks for: a pattern whose first group is what is reported, and how that can begin.
/// Regular expressions are tried only where one of the beginnings stands: the tree is long.
struct Sought {
  std::vector<std::string> beginnings;
  std::regex pattern;
};

/// The words of "a|b::c(?=d)|e": a, b::c, e.
std::vector<std::string> words_of(const std::string& alternatives) {
  static const std::regex word(R"((?:^|\|)([\w:]+))");
  std::vector<std::string> words;
  for (std::sregex_iterator it(alternatives.begin(), alternatives.end(), word), end; it != end;
       ++it) {
    words.push_back((*it)[1]);
  }
  return words;
}

/// One of several whole words.
Sought any_of(const std::string& words) {
  return {words_of(words), std::regex("\\b(" + words + ")\\b")};
}

/// A path in one of a machine's own directories.
Sought path_in(const std::string& directories) {
  std::vector<std::string> beginnings;
  for (const std::string& name : words_of(directories)) beginnings.push_back("/" + name + "/");
  return {beginnings, std::regex("(?:^|[^\\w.\\-])(/(?:" + directories + ")/\\w*)")};
}

/// A call of a free function: not a member, not a declaration with that name after a type.
Sought free_call(const std::string& names) {
  return {words_of(names),
          std::regex("(?:^|[^\\w.>:\\s]|\\breturn|\\bstd::|[^\\w:]::|\\n)\\s*((?:" + names +
                     ")\\s*\\()")};
}

/// The lines around a position, of which patterns see one before and one behind.
std::pair<std::size_t, std::size_t> lines_around(const std::string& text, std::size_t position) {
  const auto line_at = [&text](std::size_t at) {
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  };
  const std::size_t line = line_at(position);
  const std::size_t next = std::min(text.find('\n', position), text.size() - 1) + 1;
  return {line == 0 ? 0 : line_at(line - 1), std::min(text.find('\n', next), text.size())};
}

/// Where what is sought stands in a text, in order, and what is reported of it.
std::map<std::size_t, std::string> places_of(const Sought& sought, const std::string& text) {
  std::map<std::size_t, std::string> places;
  const auto at = [&text](std::size_t position) {
    return text.begin() + static_cast<std::ptrdiff_t>(position);
  };
  for (const std::string& beginning : sought.beginnings) {
    for (std::size_t found = text.find(beginning); found != std::string::npos;
         found = text.find(beginning, found + 1)) {
      const auto [begin, end] = lines_around(text, found);
      for (std::sregex_iterator it(at(begin), at(end), sought.pattern), none; it != none; ++it) {
        if (begin + static_cast<std::size_t>(it->position(1)) == found) places[found] = (*it)[1];
      }
    }
  }
  return places;
}

/// What may not be called outside the places that own it.
struct BannedCall {
  const char* rule;
  Sought call;
};

const std::vector<BannedCall>& banned_calls() {
  static const std::vector<BannedCall> calls = {
      {"clock", any_of("system_clock|steady_clock|high_resolution_clock")},
      {"clock", any_of("utc_clock|file_clock|__rdtsc|__rdtscp|__builtin_ia32_rdtsc")},
      {"clock", free_call("clock_gettime|gettimeofday|clock|getrusage|timespec_get|ftime")},
      {"clock", free_call("timerfd_create|timer_create|setitimer|getitimer|alarm|ualarm")},
      {"clock", free_call(R"(time(?=\s*\(\s*(?:NULL|nullptr|0|&)))")},
      {"sleep", free_call(R"(sleep(?=\s*\(\s*\w)|usleep|nanosleep|clock_nanosleep)")},
      {"sleep", any_of(R"(std::this_thread::sleep_\w+)")},
      {"environment", free_call("getenv|secure_getenv|setenv|unsetenv|putenv|clearenv")},
      {"environment", any_of("environ")},
      {"random", free_call("rand|srand|rand_r|srandom|drand48|lrand48|getrandom")},
      // Without the colons, random() is how tests call a generator of that name.
      {"random", {{"::random"}, std::regex(R"((?:^|[^\w:])(::random\s*\())")}},
      {"random", any_of("std::random_device|std::default_random_engine")},
      {"threads", any_of("std::thread|std::jthread|std::async")},
      {"threads", free_call("pthread_create|thrd_create|fork|vfork|clone")},
      {"locks", any_of("std::mutex|std::recursive_mutex|std::timed_mutex|std::shared_mutex")},
      {"locks", any_of("std::lock_guard|std::unique_lock|std::shared_lock|std::scoped_lock")},
      {"locks", any_of("std::condition_variable|std::condition_variable_any|std::once_flag")},
      {"locks", any_of("std::counting_semaphore|std::binary_semaphore|std::barrier|std::latch")},
      {"locks", any_of("std::call_once|std::atomic_flag|notify_one|notify_all|SYS_futex")},
      {"locks", any_of(R"(pthread_mutex_\w+|pthread_cond_\w+|pthread_rwlock_\w+)")},
      {"locks", any_of(R"(pthread_spin_\w+|pthread_barrier_\w+|pthread_once)")},
      {"locks", free_call("sem_wait|sem_post|sem_init|sem_open")},
      {"prefetch", any_of("__builtin_prefetch")},
      // A name that two tests, or two builds, may choose at once.
      {"test_files", any_of("testing::TempDir|temp_directory_path|tmpnam|tempnam")},
  };
  return calls;
}

std::string first_line(const std::string& text, int number) {
  std::size_t start = 0;
  for (int i = 1; i < number && start != std::string::npos; ++i) {
    start = text.find('\n', start);
    if (start != std::string::npos) ++start;
  }
  if (start == std::string::npos) return "";
  return text.substr(start, text.find('\n', start) - start);
}

bool starts_with_any(const std::string& line, const std::vector<std::string>& openings) {
  return std::any_of(openings.begin(), openings.end(),
                     [&](const std::string& opening) { return line.rfind(opening, 0) == 0; });
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<Finding> check_layers(const SourceFile& file) {
  std::vector<Finding> findings;
  const int own = layer_of(file.path);
  if (own < 0) return findings;
  for (const auto& [target, line] : includes_of(file)) {
    const int other = layer_of(target);
    if (other > own) {
      findings.push_back({"layers", file.path, line, "includes a higher layer: " + target});
    }
    if (is_program(file.path) && other >= 0 && !is_program(target) &&
        target.find("/include/") == std::string::npos) {
      findings.push_back(
          {"layers", file.path, line, "programs include public headers only: " + target});
    }
  }
  return findings;
}

std::vector<Finding> check_doors(const SourceFile& file) {
  // The libraries over uGNI, and what they may include of ugni_emu.
  static const std::vector<std::string> libraries = {"netmod/", "armci/", "ugni_emu/rma/",
                                                     "ugni_emu/dmapp/"};
  static const std::vector<std::string> open_to_them = {"ugni_emu/include/", "ugni_emu/doors/",
                                                        "ugni_emu/rma/", "ugni_emu/dmapp/"};
  std::vector<Finding> findings;
  if (!starts_with_any(file.path, libraries)) return findings;
  for (const auto& [target, line] : includes_of(file)) {
    if (target.rfind("ugni_emu/", 0) != 0 || starts_with_any(target, open_to_them)) continue;
    findings.push_back(
        {"doors", file.path, line,
         "of ugni_emu, libraries include the public headers, doors/ and rma/ only: " + target});
  }
  return findings;
}

std::vector<Finding> check_calls(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!is_code(file.path)) return findings;
  for (const BannedCall& banned : banned_calls()) {
    for (const auto& [position, what] : places_of(banned.call, file.code)) {
      add(findings, banned.rule, file, position, what);
    }
  }
  return findings;
}

std::vector<Finding> check_names(const SourceFile& file) {
  // What takes the name of the function that it stands in, for users to read.
  static const Sought named{{"gni::Caller caller;", "dmapp::call("},
                            std::regex(R"((gni::Caller caller;|dmapp::call\())")};
  static const std::regex head(R"((?:^|\n)\w[^\n()]*?(\w+)\()");
  static const std::regex public_name(R"(GNI_\w+|dmapp_\w+)");
  std::vector<Finding> findings;
  if (!is_code(file.path)) return findings;
  for (const auto& [position, what] : places_of(named, file.code)) {
    const auto end = file.code.begin() + static_cast<std::ptrdiff_t>(position);
    std::string function;
    for (std::sregex_iterator it(file.code.begin(), end, head), none; it != none; ++it) {
      function = (*it)[1];
    }
    if (std::regex_match(function, public_name)) continue;
    add(findings, "names", file, position,
        "a call that bears the name of " + function + "(), which no program calls");
  }
  return findings;
}

std::vector<Finding> check_header_names(const std::vector<SourceFile>& tree) {
  std::map<std::string, std::string> first_with;
  std::vector<Finding> findings;
  for (const SourceFile& file : tree) {
    const bool of_library = layer_of(file.path) >= 0 && !is_program(file.path);
    const bool is_public = file.path.find("/include/") != std::string::npos;
    if (!of_library || is_public || !is_header(file.path)) continue;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    const auto [first, is_first] = first_with.emplace(name, file.path);
    if (!is_first) add(findings, "names", file, 0, "has the name of " + first->second);
  }
  return findings;
}

std::vector<Finding> check_opening(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::string& path = file.path;
  const bool script = ends_with(path, ".sh") || ends_with(path, ".py") || path == ".ci/run";
  // Scripts that are only sourced have no "#!" line.
  const std::string line = first_line(file.text, file.text.rfind("#!", 0) == 0 ? 2 : 1);
  std::vector<std::string> openings;
  if (is_code(path)) openings = {"// ", "/* "};
  if (script || ends_with(path, "CMakeLists.txt") || ends_with(path, ".cmake") ||
      ends_with(path, ".gp") || ends_with(path, ".md")) {
    openings = {"# "};
  }
  if (!openings.empty() && !starts_with_any(line, openings)) {
    add(findings, "opening", file, 0, "does not open with a line that says what it is");
  }
  static const std::regex guard(R"(#pragma once|#ifndef (\w+)\s+#define \1\b)");
  if (is_header(path) && !std::regex_search(file.code, guard)) {
    add(findings, "guard", file, 0, "a header that may be included twice");
  }
  return findings;
}

std::vector<Finding> check_text(const SourceFile& file) {
  static const Sought open_ends = any_of("TODO|FIXME|XXX|HACK");
  static const Sought machine = path_in("work|home|root|Users");
  constexpr int longest = 600;
  std::vector<Finding> findings;
  const int lines = line_of(file.text, file.text.size()) - 1;
  if (is_code(file.path) && lines > longest) {
    add(findings, "length", file, file.text.size(), "more than 600 lines");
  }
  for (const auto& [position, what] : places_of(open_ends, file.text)) {
    add(findings, "open_ends", file, position, what);
  }
  for (const std::string_view mark : {"\n<<<<<<< ", "\n>>>>>>> "}) {
    const std::size_t found = file.text.find(mark);
    if (found != std::string::npos) {
      add(findings, "conflict", file, found + 1, "a merge has left its marks");
    }
  }
  for (const auto& [position, what] : places_of(machine, file.text)) {
    add(findings, "machine", file, position, "a path of one machine: " + what);
  }
  return findings;
}

std::vector<Finding> check_file(const SourceFile& file) {
  std::vector<Finding> all;
  append(all, check_layers(file));
  append(all, check_doors(file));
  append(all, check_calls(file));
  append(all, check_seams(file));
  append(all, check_switches(file));
  append(all, check_order(file));
  append(all, check_names(file));
  append(all, check_globals(file));
  append(all, check_opening(file));
  append(all, check_text(file));
  return all;
}

}  // namespace tidy
