// The PMIx server's process: its start, its end, and what it tells the launcher.
#include "launch/live_launcher/pmix_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "corespec/host/what_happened.h"

namespace launch {
namespace {

/// What goes over the channel, a packet each: this, and text behind it.
struct Head {
  enum class What : std::uint8_t { variables, failure, report };
  What what{};
  PmixReport::Kind kind{};
  std::int32_t rank = 0;
  std::int32_t code = 0;
};
struct Packet {
  Head head;
  std::string text;
};

constexpr std::size_t longest_text = 64 * 1024;

void send_packet(int channel, const Head& head, const std::string& text) {
  std::vector<char> packet(sizeof head + std::min(text.size(), longest_text));
  std::memcpy(packet.data(), &head, sizeof head);
  std::memcpy(packet.data() + sizeof head, text.data(), packet.size() - sizeof head);
  while (send(channel, packet.data(), packet.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

enum class Got : std::uint8_t { packet, nothing, end };

Got receive_packet(int channel, int flags, Packet& packet) {
  std::vector<char> bytes(sizeof packet.head + longest_text);
  ssize_t size = 0;
  do {
    size = recv(channel, bytes.data(), bytes.size(), flags);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Got::nothing;
  if (size < static_cast<ssize_t>(sizeof packet.head)) return Got::end;
  std::memcpy(&packet.head, bytes.data(), sizeof packet.head);
  packet.text.assign(bytes.data() + sizeof packet.head,
                     static_cast<std::size_t>(size) - sizeof packet.head);
  return Got::packet;
}

/// Each ends with a zero byte.
std::string joined_by_zeros(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text).push_back('\0');
  return all;
}

std::vector<std::string> split_at_zeros(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += texts.back().size() + 1) {
    texts.emplace_back(all.c_str() + at);
  }
  return texts;
}

/// The server's process, until its launcher closes the channel.
[[noreturn]] void serve(const PmixJob& job, int channel) {
  try {
    const PmixServer server(job, [channel](const PmixReport& report) {
      send_packet(channel, {Head::What::report, report.kind, report.rank, report.code},
                  report.text);
    });
    for (int rank = 0; rank < job.ranks; ++rank) {
      send_packet(channel, {Head::What::variables, {}, rank, 0},
                  joined_by_zeros(server.variables(rank)));
    }
    char none = 0;
    while (recv(channel, &none, sizeof none, 0) != 0) {
    }
  } catch (const std::exception& error) {
    send_packet(channel, {Head::What::failure, {}, 0, 0}, error.what());
  }
  _exit(EXIT_FAILURE);
}

/// With fewer, libpmix crashes or complains at length.
void check_descriptors() {
  constexpr rlim_t needed = 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw std::runtime_error(fmt::format(
      "start-up: ulimit -n allows {} descriptors; a PMIx server needs {}", limit.rlim_cur, needed));
}

}  // namespace

PmixProcess::PmixProcess(const PmixJob& job, std::int64_t patience_s) {
  check_descriptors();
  start(job);
  try {
    await_variables(job.ranks, patience_s);
  } catch (...) {
    end();
    throw;
  }
}

PmixProcess::~PmixProcess() { end(); }

void PmixProcess::start(const PmixJob& job) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(corespec::no_descriptor("start-up"));
  }
  const pid_t self = getpid();
  const pid_t child = fork();
  const int reason = errno;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(EXIT_FAILURE);  // it died before the line above
    prctl(PR_SET_NAME, "castor-pmix");
    close(ends[0]);
    serve(job, ends[1]);
  }
  close(ends[1]);
  channel_ = ends[0];
  if (child < 0) {
    close(channel_);
    throw std::runtime_error(fmt::format("no process for PMIx: {}", std::strerror(reason)));
  }
  process_ = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (process_ < 0) {
    const std::string why = corespec::no_descriptor("start-up");
    kill(child, SIGKILL);
    close(channel_);
    throw std::runtime_error(why);
  }
}

/// Libpmix may hang over what it has no memory for, without a word.
void PmixProcess::await_variables(int ranks, std::int64_t patience_s) {
  constexpr std::int64_t second_ms = 1000;
  const int patience_ms = patience_s == 0 ? -1 : static_cast<int>(patience_s * second_ms);
  while (static_cast<int>(variables_.size()) < ranks) {
    pollfd ready{channel_, POLLIN, 0};
    const int found = poll(&ready, 1, patience_ms);
    if (found < 0 && errno == EINTR) continue;
    if (found == 0) {
      throw std::runtime_error(
          fmt::format("start-up: has waited {} s (CASTOR_START_TIMEOUT) for the PMIx server to "
                      "start{}",
                      patience_s, corespec::address_limit()));
    }
    Packet packet;
    const Got got = receive_packet(channel_, 0, packet);
    if (got == Got::packet && packet.head.what == Head::What::variables) {
      variables_.push_back(split_at_zeros(packet.text));
      continue;
    }
    throw std::runtime_error(
        (got == Got::packet ? packet.text : "the PMIx server has ended while it started") +
        corespec::address_limit());
  }
}

void PmixProcess::end() {
  if (channel_ >= 0) close(std::exchange(channel_, -1));
  if (process_ < 0) return;
  syscall(SYS_pidfd_send_signal, process_, SIGKILL, nullptr, 0);
  siginfo_t info{};
  while (waitid(P_PIDFD, static_cast<id_t>(process_), &info, WEXITED) < 0 && errno == EINTR) {
  }
  close(std::exchange(process_, -1));
}

std::vector<PmixReport> PmixProcess::take() {
  std::vector<PmixReport> reports;
  Packet packet;
  Got got = channel_ < 0 ? Got::nothing : receive_packet(channel_, MSG_DONTWAIT, packet);
  for (; got == Got::packet; got = receive_packet(channel_, MSG_DONTWAIT, packet)) {
    reports.push_back(
        {packet.head.kind, packet.head.rank, packet.head.code, std::move(packet.text)});
  }
  if (got == Got::end) close(std::exchange(channel_, -1));
  return reports;
}

}  // namespace launch
