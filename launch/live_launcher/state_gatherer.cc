// What the ranks of a live job are doing: the launcher asks all of them and says it together.
#include "launch/live_launcher/state_gatherer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "launch/live_rank/state_report.h"
#include "launch/reports/situation_groups.h"
#include "launch/reports/situation_packing.h"
#include "launch/symbols/symbols.h"

namespace launch {
namespace {

constexpr std::int64_t patience_ms = 1000;
constexpr std::int64_t quiet_ms = 3000;  // ranks look once a second whether they are stuck

}  // namespace

StateGatherer::~StateGatherer() {
  for (const auto& [rank, socket] : sockets_) close(socket);
}

int StateGatherer::open_for(int rank) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  sockets_[rank] = ends[0];
  return ends[1];
}

std::string StateGatherer::variable(int end) {
  return fmt::format("{}={},{}", states_variable, end, getpid());
}

void StateGatherer::ask(std::int64_t now) {
  if (deadline_ >= 0) return;
  answers_.clear();
  why_ = "what the ranks are doing";
  deadline_ = now + patience_ms;
  for (const auto& [rank, socket] : sockets_) {
    const char what = state_message::ask;
    send(socket, &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void StateGatherer::watch(std::vector<pollfd>& ready) const {
  for (const auto& [rank, socket] : sockets_) ready.push_back({socket, POLLIN, 0});
}

bool StateGatherer::read_from(int socket, int rank, std::int64_t now) {
  std::array<char, most_packed + 1> bytes;
  for (;;) {
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    const std::string_view message(bytes.data(), static_cast<std::size_t>(got));
    if (message.front() == state_message::ask) {
      ask(now);
    } else if (message.front() == state_message::stuck) {
      if (deadline_ >= 0 || now < quiet_until_) continue;  // others have said so just now
      ask(now);
      why_ = fmt::format("nothing has come to rank {} for as long as CASTOR_STUCK says", rank);
    } else if (message.front() == state_message::answer && deadline_ >= 0) {
      corespec::Situation situation;
      if (unpack(message.substr(1), ranks_, situation)) answers_[rank] = std::move(situation);
    } else if (message.front() == state_message::fault) {
      note_fault(rank, message.substr(1));
    } else if (message.front() == state_message::order && message.size() == 2) {
      orders_[rank] = message[1];
    } else if (message.front() == state_message::late) {
      note_late_start(rank, message.substr(1));
    }
  }
}

/// What a process says that is about to die of its mistakes is looked at.
void StateGatherer::note_fault(int rank, std::string_view said) {
  constexpr std::size_t longest = 200;
  const auto printable = [](char letter) { return letter >= ' ' && letter <= '~'; };
  if (said.empty() || said.size() > longest ||
      !std::all_of(said.begin() + 1, said.end(), printable)) {
    return;
  }
  faults_[rank] = {said.front(), std::string(said.substr(1))};
}

void StateGatherer::note_late_start(int rank, std::string_view why) {
  if (!late_start_) late_start_ = {rank, std::string(why)};
}

std::string StateGatherer::fault(int rank, int number) const {
  const auto found = faults_.find(rank);
  return found != faults_.end() && found->second.signal == number ? found->second.said : "";
}

bool StateGatherer::may_end(int rank, int code) const {
  const auto found = orders_.find(rank);
  if (found == orders_.end()) return false;
  return found->second == order_code::any || (found->second == order_code::zero && code == 0);
}

std::string StateGatherer::take(std::int64_t now) {
  for (auto at = sockets_.begin(); at != sockets_.end();) {
    const auto [rank, socket] = *at;
    if (read_from(socket, rank, now)) {
      ++at;
      continue;
    }
    close(socket);
    at = sockets_.erase(at);
  }
  if (deadline_ < 0) return {};
  const bool all = std::all_of(sockets_.begin(), sockets_.end(), [this](const auto& each) {
    return answers_.count(each.first) != 0;
  });
  if (!all && now < deadline_) return {};
  deadline_ = -1;
  quiet_until_ = now + quiet_ms;
  return text();
}

std::string StateGatherer::text() const {
  SituationGroups groups("aprun", ranks_, say_by_symbols());
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto found = answers_.find(rank);
    corespec::Situation silent;
    silent.facts_known = false;
    silent.gone = sockets_.count(rank) == 0;
    silent.details = silent.gone
                         ? "has ended"
                         : "does not answer (no call of MPI, PMI or DMAPP yet, or it is stopped)";
    groups.add(rank, found != answers_.end() ? found->second : silent);
  }
  return fmt::format("aprun: Apid {}: {}\n{}", apid_, why_, groups.text());
}

}  // namespace launch
