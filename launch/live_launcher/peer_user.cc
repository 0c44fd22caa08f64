// Which user is at the other end of a connection within this host: sock_diag, or /proc/net/tcp.
#include "launch/live_launcher/peer_user.h"

#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace launch {
namespace {

/// The peer's end of a connection, and this end.
struct Ends {
  sockaddr_in peer{}, own{};
};

std::optional<Ends> ends_of(int socket) {
  Ends ends;
  socklen_t peer_size = sizeof ends.peer;
  socklen_t own_size = sizeof ends.own;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&ends.peer), &peer_size) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&ends.own), &own_size) != 0 ||
      ends.peer.sin_family != AF_INET || ends.own.sin_family != AF_INET) {
    return std::nullopt;
  }
  return ends;
}

/// While this holds, the peer's end has been neither closed nor shut down, and its addresses are no
/// other socket's.
bool is_established(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state == TCP_ESTABLISHED;
}

/// A question of sock_diag's about one socket.
struct Question {
  nlmsghdr head{};
  inet_diag_req_v2 request{};
};

enum class Answer : std::uint8_t { user, no_socket, cannot_say };

Answer ask(int netlink, const Ends& ends, uid_t& user) {
  Question question;
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = AF_INET;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = ~0U;
  inet_diag_sockid& id = question.request.id;
  id.idiag_sport = ends.peer.sin_port;
  id.idiag_dport = ends.own.sin_port;
  id.idiag_src[0] = ends.peer.sin_addr.s_addr;
  id.idiag_dst[0] = ends.own.sin_addr.s_addr;
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (send(netlink, &question, sizeof question, 0) != sizeof question) return Answer::cannot_say;
  alignas(nlmsghdr) std::array<char, 4096> text;
  const ssize_t size = recv(netlink, text.data(), text.size(), 0);
  nlmsghdr head{};
  if (size < static_cast<ssize_t>(sizeof head)) return Answer::cannot_say;
  std::memcpy(&head, text.data(), sizeof head);
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY) {  // ENOENT says both: no such socket, no such module
    return Answer::cannot_say;
  }
  inet_diag_msg found{};
  if (size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof found)) return Answer::cannot_say;
  std::memcpy(&found, text.data() + NLMSG_HDRLEN, sizeof found);
  const bool same =
      found.id.idiag_sport == id.idiag_sport && found.id.idiag_dport == id.idiag_dport &&
      found.id.idiag_src[0] == id.idiag_src[0] && found.id.idiag_dst[0] == id.idiag_dst[0];
  if (!same || found.idiag_state != TCP_ESTABLISHED) return Answer::no_socket;
  user = found.idiag_uid;
  return Answer::user;
}

Answer ask_kernel(const Ends& ends, uid_t& user) {
  const int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return Answer::cannot_say;
  const Answer answer = ask(netlink, ends, user);
  close(netlink);
  return answer;
}

/// As /proc/net/tcp writes it: the address as the host's number, the port as people's.
std::string text_of(const sockaddr_in& end) {
  return fmt::format("{:08X}:{:04X}", end.sin_addr.s_addr, ntohs(end.sin_port));
}

Answer look_in_table(const Ends& ends, uid_t& user) {
  const std::string local = text_of(ends.peer);
  const std::string remote = text_of(ends.own);
  std::ifstream table("/proc/net/tcp");
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, from, to, state, queues, timer, retransmissions;
    uid_t owner = 0;
    words >> number >> from >> to >> state >> queues >> timer >> retransmissions >> owner;
    constexpr const char* established = "01";
    if (!words || from != local || to != remote || state != established) continue;
    user = owner;
    return Answer::user;
  }
  return Answer::no_socket;
}

}  // namespace

std::optional<uid_t> user_of_peer(int socket) {
  const std::optional<Ends> ends = ends_of(socket);
  if (!ends) return std::nullopt;
  uid_t user = 0;
  Answer answer = ask_kernel(*ends, user);
  if (answer == Answer::cannot_say) answer = look_in_table(*ends, user);
  // Afterwards: what has been found was the peer's.
  if (answer != Answer::user || !is_established(socket)) return std::nullopt;
  return user;
}

}  // namespace launch
