// By what a program that a rank starts sees that its rank is taken.
#include "launch/start_up/rank_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace launch {
namespace {

std::string value_of(const std::vector<corespec::Setting>& environment, std::string_view name) {
  const auto found = std::find_if(environment.begin(), environment.end(),
                                  [&](const corespec::Setting& one) { return one.first == name; });
  return found == environment.end() ? "" : found->second;
}

/// Another launcher's jobs, inside this one, have other names.
std::string rank_of(const std::vector<corespec::Setting>& environment) {
  return value_of(environment, "PMIX_NAMESPACE") + "." + value_of(environment, "PMIX_RANK");
}

struct Mark {
  int pid = 0;
  int said = -1;
};

std::optional<Mark> mark_in(const std::vector<corespec::Setting>& environment) {
  const std::string text = value_of(environment, RankMark::variable);
  Mark mark;
  const char* const end = text.data() + text.size();
  const auto [colon, bad_pid] = std::from_chars(text.data(), end, mark.pid);
  if (bad_pid != std::errc() || colon == end || *colon != ':') return std::nullopt;
  const auto [behind, bad_file] = std::from_chars(colon + 1, end, mark.said);
  if (bad_file != std::errc() || behind == end || *behind != ':') return std::nullopt;
  if (std::string(behind + 1, end) != rank_of(environment)) return std::nullopt;
  return mark;
}

}  // namespace

RankMark::RankMark() : said_(memfd_create("castor-rank", MFD_CLOEXEC)) {
  const std::string text =
      fmt::format("{}:{}:{}", getpid(), said_, rank_of(corespec::environment()));
  setenv(std::string(variable).c_str(), text.c_str(), 1);
}

RankMark::~RankMark() {
  unsetenv(std::string(variable).c_str());
  if (said_ >= 0) close(said_);
}

bool started_by_rank(const std::vector<corespec::Setting>& environment) {
  const std::optional<Mark> mark = mark_in(environment);
  return mark && mark->pid != getpid();
}

bool first_started_by_rank(const std::vector<corespec::Setting>& environment) {
  const std::optional<Mark> mark = mark_in(environment);
  if (!mark) return false;
  const std::string path = fmt::format("/proc/{}/fd/{}", mark->pid, mark->said);
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return false;
  const bool first = lseek(file, 0, SEEK_END) == 0 && write(file, "1", 1) == 1;
  close(file);
  return first;
}

}  // namespace launch
