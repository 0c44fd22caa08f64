// Settings, clocks and the file of a rank's recording.
#include "apps/traces/record/recorder.h"

#include <errno.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/traces/dumpi/bytes.h"

namespace dumpi_record {
namespace {

constexpr const char* other_names[] = {
#define OTHER(name, parameters, arguments) "MPI_" #name,
#include "apps/traces/record/other_calls.def"
#undef OTHER
};

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t most) {
  const std::string text = variable(name, "");
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end && value <= most) return value;
  throw std::runtime_error(
      fmt::format("{} '{}': must be a whole number from 0 to {}", name, text, most));
}

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * dumpi::second + time.tv_nsec;
}

/// A well mixed number (the finalizer of MurmurHash3's 64-bit form).
std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

std::uint32_t whole_seconds(std::int64_t ns) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, ns / dumpi::second));
}

std::string user_name() {
  return variable("USER", variable("LOGNAME", fmt::format("{}", getuid())));
}

void say(const std::string& line) {
  std::fputs(fmt::format("dumpi_record: {}\n", line).c_str(), stderr);
  std::fflush(stderr);
}

std::string system_error() { return std::error_code(errno, std::generic_category()).message(); }

}  // namespace

Settings Settings::from_environment() {
  constexpr std::uint64_t most_us = 1'000'000'000;
  Settings settings;
  settings.prefix =
      variable("DUMPI_RECORD_PREFIX", fmt::format("dumpi-{}", program_invocation_short_name));
  constexpr std::int64_t microsecond = 1000;
  settings.skew_ns =
      static_cast<std::int64_t>(number("DUMPI_RECORD_SKEW_US", 0, most_us)) * microsecond;
  settings.seed = number("DUMPI_RECORD_SEED", 1, ~std::uint64_t{0});
  return settings;
}

std::int64_t clock_offset(const Settings& settings, int rank) {
  const std::uint64_t drawn = mixed(mixed(settings.seed + 1) + static_cast<std::uint64_t>(rank));
  return static_cast<std::int64_t>(drawn % (static_cast<std::uint64_t>(settings.skew_ns) + 1));
}

Moment Moment::now() {
  return {nanoseconds(CLOCK_PROCESS_CPUTIME_ID), nanoseconds(CLOCK_REALTIME)};
}

Recorder& Recorder::own() {
  // A rank has its own copy of this library. Never destroyed: the program's destructors may still
  // call MPI.
  static auto* const recorder = new Recorder;
  return *recorder;
}

Recorder::Recorder() : others_(std::size(other_names)) {}

void Recorder::fail(const std::string& what) const {
  say(fmt::format("rank {}: {}", rank_, what));
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (finalized == 0) PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::exit(EXIT_FAILURE);
}

void Recorder::begin(const Moment& entry) {
  if (begun_.exchange(true)) {
    if (!shared_.exchange(true)) {
      say("ranks share this library; give it to them with aprun -e LD_PRELOAD=..., or link the "
          "program with it");
    }
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  handles.types.begin();
  try {
    settings_ = Settings::from_environment();
    offset_ns_ = clock_offset(settings_, rank_);
    bias_ = {whole_seconds(entry.cpu), whole_seconds(entry.wall + offset_ns_)};
    open();
    agree("");
  } catch (const std::runtime_error& error) {
    agree(error.what());
  }
}

void Recorder::agree(const std::string& fault) const {
  const int own = fault.empty() ? ranks_ : rank_;
  int first = ranks_;
  PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == ranks_) return;
  if (first == rank_) fail(fault);
  PMPI_Barrier(MPI_COMM_WORLD);  // that rank ends the job
}

void Recorder::open() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  PMPI_Get_processor_name(host.data(), &length);
  sections_.host.assign(host.data(), static_cast<std::size_t>(length));
  sections_.user = user_name();
  sections_.start = bias_.wall_s;
  sections_.called.resize(dumpi::function_count);
  sections_.ignored.resize(dumpi::function_count);
  dumpi::Meta meta;
  meta.prefix = settings_.prefix;
  path_ = dumpi::rank_path(meta, rank_);
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_) throw std::runtime_error(fmt::format("{}: {}", path_, system_error()));
  writer_ = std::make_unique<dumpi::TraceWriter>(file_, path_, bias_);
  if (rank_ != 0) return;
  const std::string meta_path = settings_.prefix + ".meta";
  std::ofstream text(meta_path, std::ios::trunc);
  text << dumpi::meta_text(settings_.prefix.substr(settings_.prefix.rfind('/') + 1), ranks_,
                           sections_);
  text.close();
  if (!text) throw std::runtime_error(fmt::format("{}: {}", meta_path, system_error()));
}

void Recorder::say_others() const {
  std::vector<std::uint64_t> all(others_.size());
  PMPI_Reduce(others_.data(), all.data(), static_cast<int>(all.size()), MPI_UINT64_T, MPI_SUM, 0,
              MPI_COMM_WORLD);
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", other_names[i], all[i]);
  }
  if (rank_ != 0 || list.empty()) return;
  say("not in the format, not recorded: " + list);
}

void Recorder::end() {
  const std::lock_guard lock(mutex_);
  sections_.type_sizes = handles.types.sizes();
  try {
    writer_->finish(sections_);
    file_.close();
    if (!file_) throw std::runtime_error(fmt::format("{}: {}", path_, system_error()));
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  writer_.reset();
}

std::uint16_t Recorder::thread_number() {
  const auto number = static_cast<std::uint16_t>(threads_.size());
  return threads_.emplace(std::this_thread::get_id(), number).first->second;
}

void Recorder::add(dumpi::Label label, const Moment& entry, const Moment& exit,
                   std::vector<dumpi::Value> values) {
  if (!has_begun()) return;
  if (!on_) {
    ignore(label);
    return;
  }
  // A clock that has been set back to before MPI_Init stands still in the trace.
  const auto wall = [this](std::int64_t time) {
    return std::max(time + offset_ns_, std::int64_t{bias_.wall_s} * dumpi::second);
  };
  dumpi::Call call;
  call.label = label;
  call.cpu = dumpi::Span{entry.cpu, exit.cpu};
  call.wall = dumpi::Span{wall(entry.wall), wall(exit.wall)};
  call.values = std::move(values);
  const std::lock_guard lock(mutex_);
  call.thread = thread_number();
  ++sections_.called[static_cast<std::size_t>(label)];
  try {
    writer_->write(call);
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
}

void Recorder::ignore(dumpi::Label label) {
  if (!has_begun()) return;
  const std::lock_guard lock(mutex_);
  ++sections_.called[static_cast<std::size_t>(label)];
  ++sections_.ignored[static_cast<std::size_t>(label)];
}

void Recorder::count_other(std::size_t number) {
  const std::lock_guard lock(mutex_);
  ++others_[number];
}

}  // namespace dumpi_record
