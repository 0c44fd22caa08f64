// What a live job is called.
#include "launch/live/job_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace launch {
namespace {

constexpr std::string_view apruns = "aprun-";

}  // namespace

std::string job_name_of(std::string_view launcher_name) {
  std::string name(launcher_name);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !letter && !(c >= '0' && c <= '9') && c != '-';
      },
      '-');
  return name;
}

std::string apruns_job_name(int pid, long moment) {
  return fmt::format("{}{}-{:x}", apruns, pid, static_cast<unsigned long>(moment));
}

bool is_apruns(std::string_view job_name) { return apruns_pid(job_name) > 0; }

int apruns_pid(std::string_view job_name) {
  if (job_name.substr(0, apruns.size()) != apruns) return 0;
  job_name.remove_prefix(apruns.size());
  int pid = 0;
  const auto [end, error] =
      std::from_chars(job_name.data(), job_name.data() + job_name.size(), pid);
  const bool whole =
      error == std::errc() && end != job_name.data() + job_name.size() && *end == '-';
  return whole ? pid : 0;
}

std::string file_prefix(std::string_view job_name) { return fmt::format("castor-{}-", job_name); }

}  // namespace launch
