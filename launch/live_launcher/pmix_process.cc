// The PMIx server's process: its start, its end, and what it tells the launcher.
#include "launch/live_launcher/pmix_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
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

}  // namespace

PmixProcess::PmixProcess(const PmixJob& job) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("aprun: no descriptor left for start-up");
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
    throw std::runtime_error(fmt::format("aprun: no process for PMIx: {}", std::strerror(reason)));
  }
  process_ = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  std::string why = "the PMIx server has ended while it started";
  while (static_cast<int>(variables_.size()) < job.ranks) {
    Packet packet;
    const Got got = receive_packet(channel_, 0, packet);
    if (got == Got::packet && packet.head.what == Head::What::variables) {
      variables_.push_back(split_at_zeros(packet.text));
      continue;
    }
    if (got == Got::packet) why = packet.text;
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    close(channel_);
    if (process_ >= 0) close(process_);
    throw std::runtime_error(why);
  }
}

PmixProcess::~PmixProcess() {
  if (channel_ >= 0) close(channel_);
  if (process_ < 0) return;
  syscall(SYS_pidfd_send_signal, process_, SIGKILL, nullptr, 0);
  siginfo_t info{};
  while (waitid(P_PIDFD, static_cast<id_t>(process_), &info, WEXITED) < 0 && errno == EINTR) {
  }
  close(process_);
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
