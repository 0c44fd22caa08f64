// The output of a live job's processes on its way to the launcher's.
#include "launch/live_launcher/output_relay.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "corespec/host/what_happened.h"

namespace launch {

OutputRelay::OutputRelay(int descriptor, RankLines::Form form)
    : descriptor_(descriptor),
      direct_(!form.labels && isatty(descriptor) == 1),
      lines_(form, [this](std::string_view text) {
        if (failure_ == 0) waiting_ += text;
        return failure_ == 0;
      }) {}

OutputRelay::~OutputRelay() {
  for (const auto& [rank, pipe] : pipes_) close(pipe);
}

int OutputRelay::open_for(int rank) {
  if (direct_) return -1;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(corespec::no_descriptor("ranks' output"));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pipes_[rank] = ends[0];
  return ends[1];
}

void OutputRelay::watch(std::vector<pollfd>& ready) const {
  if (!waiting_.empty()) ready.push_back({descriptor_, POLLOUT, 0});
  if (full()) return;
  for (const auto& [rank, pipe] : pipes_) ready.push_back({pipe, POLLIN, 0});
}

void OutputRelay::pass_on() {
  std::vector<pollfd> ready;
  for (const auto& [rank, pipe] : pipes_) ready.push_back({pipe, POLLIN, 0});
  poll(ready.data(), ready.size(), 0);
  auto state = ready.begin();
  for (auto at = pipes_.begin(); at != pipes_.end() && !full();) {
    const auto [rank, pipe] = *at;
    if ((state++)->revents == 0 || read_from(pipe, rank)) {
      ++at;
      continue;
    }
    lines_.end(rank);
    close(pipe);
    at = pipes_.erase(at);
  }
  write_some();
}

bool OutputRelay::read_from(int pipe, int rank) {
  std::array<char, 65536> text;
  while (!full()) {
    const ssize_t got = read(pipe, text.data(), text.size());
    if (got > 0) {
      lines_.add(rank, {text.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return false;
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return true;
}

/// What a stream is ready for it takes without waiting, up to PIPE_BUF bytes.
void OutputRelay::write_some() {
  std::size_t written = 0;
  pollfd ready{descriptor_, POLLOUT, 0};
  while (written < waiting_.size() && poll(&ready, 1, 0) > 0) {
    const std::size_t bytes = std::min<std::size_t>(waiting_.size() - written, PIPE_BUF);
    const ssize_t done = write(descriptor_, waiting_.data() + written, bytes);
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
      give_up(errno);
      return;
    }
    if (done > 0) written += static_cast<std::size_t>(done);
  }
  waiting_.erase(0, written);
}

/// If the reader has gone the ranks see it (SIGPIPE), as if the stream had been their own. On a
/// full disk they go on.
void OutputRelay::give_up(int reason) {
  failure_ = reason;
  waiting_.clear();
  if (reason != EPIPE) return;
  for (const auto& [rank, pipe] : pipes_) close(pipe);
  pipes_.clear();
}

}  // namespace launch
