// What a live job is called.
#include "launch/start_up/job_name.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace launch {
namespace {

constexpr std::string_view apruns = "aprun-";

/// aprun-PID-MOMENT of aprun-PID-MOMENT-SECRET.
std::string_view without_secret(std::string_view name) {
  if (!is_apruns(name)) return name;
  const std::size_t moment = name.find('-', apruns.size()) + 1;
  return name.substr(0, name.find('-', moment));
}

}  // namespace

std::string job_name_of(std::string_view launcher_name) {
  std::string name(without_secret(launcher_name));
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

std::string with_secret(std::string_view job_name) {
  std::array<std::uint64_t, 2> secret{};
  if (getrandom(secret.data(), sizeof secret, 0) != sizeof secret) {
    throw std::runtime_error("the system has no random bits for the job's secret");
  }
  return fmt::format("{}-{:016x}{:016x}", job_name, secret[0], secret[1]);
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
