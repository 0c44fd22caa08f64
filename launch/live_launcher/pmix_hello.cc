// The first message of a process to its PMIx server, field by field, as PMIx 4 writes it.
#include "launch/live_launcher/pmix_hello.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace launch {
namespace {

constexpr std::size_t longest_name = 255;      // PMIX_MAX_NSLEN
constexpr unsigned char ordinary_process = 0;  // neither tool nor launcher

/// Takes fields off the front of a text; after one that is not there all are missing.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  bool complete() const { return complete_; }
  std::string_view bytes(std::size_t count) {
    complete_ = complete_ && count <= text_.size();
    if (!complete_) return {};
    const std::string_view field = text_.substr(0, count);
    text_.remove_prefix(count);
    return field;
  }
  /// Up to a zero byte, which goes too.
  std::string_view name() {
    const std::size_t length = text_.find('\0');
    complete_ = complete_ && length <= longest_name;
    const std::string_view field = bytes(complete_ ? length : 0);
    bytes(1);
    return field;
  }
  std::uint32_t number() {  // in network order
    const std::string_view field = bytes(sizeof(std::uint32_t));
    std::uint32_t value = 0;
    if (complete_) std::memcpy(&value, field.data(), sizeof value);
    return ntohl(value);
  }
  unsigned char byte() {
    const std::string_view field = bytes(1);
    return complete_ ? static_cast<unsigned char>(field.front()) : 0xff;
  }

 private:
  std::string_view text_;
  bool complete_ = true;
};

/// "4.2.2", "4.2.2rc1": three numbers, of a release since 2.1.
bool is_version(std::string_view text) {
  const bool begins = !text.empty() && text.front() >= '3' && text.front() <= '9';
  return begins && std::count(text.begin(), text.end(), '.') == 2;
}

}  // namespace

std::size_t pmix_hello_length(std::string_view head) {
  constexpr std::size_t count_at = 8;  // behind an index and a tag; the host's own order
  std::uint32_t count = 0;
  if (head.size() < pmix_hello_head) return 0;
  std::memcpy(&count, head.data() + count_at, sizeof count);
  return count > longest_pmix_hello - pmix_hello_head ? 0 : pmix_hello_head + count;
}

std::optional<PmixHello> parse_pmix_hello(std::string_view message) {
  if (message.size() < pmix_hello_head || pmix_hello_length(message) != message.size()) {
    return std::nullopt;
  }
  Fields fields(message.substr(pmix_hello_head));
  fields.name();                  // the security component
  fields.bytes(fields.number());  // its credential
  const bool ordinary = fields.byte() == ordinary_process;
  const std::string_view space = fields.name();
  const std::uint32_t rank = fields.number();
  const bool version = is_version(fields.name());
  fields.name();  // how data are packed
  fields.byte();
  fields.name();  // where data are kept
  if (!fields.complete() || !ordinary || !version) return std::nullopt;
  return PmixHello{std::string(space), rank};
}

}  // namespace launch
