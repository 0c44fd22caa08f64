// Checks of requests: their ranks, places and lengths.
#include "armci/core/request_check.h"

#include <algorithm>
#include <cstring>

#include "armci/core/memory.h"
#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"

namespace armci {
namespace {

constexpr const char* outside = "bytes that its chunk does not have";

bool is_transfer(Kind kind) {
  return kind == Kind::put || kind == Kind::get || kind == Kind::accumulate;
}

const char* fault_in_sender(const corespec::Process& helper, const RequestHeader& header,
                            int client) {
  const corespec::Job& job = helper.job();
  if (header.kind > Kind::stop) return "a kind that there is not";
  if (header.from != client) return "the name of another rank";
  if (header.number >= most_requests) return "a number beyond those of requests";
  if (header.target < 0 || header.target >= job.size() ||
      job.nid_of(header.target) != helper.node().nid()) {
    return "a target of another node";
  }
  if (header.kind == Kind::stop && client != helper.rank()) return "a wish to end it";
  return nullptr;
}

/// The description's words, one after another.
class Words {
 public:
  explicit Words(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::int64_t next() {
    std::int64_t value = 0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// As many words as the description has to have, or none if it is of another size.
const char* fault_in_description(const RequestHeader& header, std::span<const std::byte> rest) {
  constexpr std::uint64_t word = sizeof(std::int64_t);
  const bool listed = (header.flags & request_flag::listed) != 0;
  if (header.description > rest.size()) return "a description longer than its buffer";
  if (header.runs < 1 || header.first_run < 0 || header.levels > most_levels) {
    return "runs that there are not";
  }
  const std::uint64_t room = rest.size() / word;
  const auto runs = static_cast<std::uint64_t>(header.runs);
  if (listed && (runs >= room || header.first_run != 0)) return "a list longer than its buffer";
  const std::uint64_t words = listed ? 1 + runs : 1 + 2 * std::uint64_t{header.levels};
  return header.description == words * word ? nullptr : "a description of another length";
}

/// [base + begin, base + end) is in the chunk.
bool is_inside(const RequestHeader& header, std::int64_t begin, std::int64_t end) {
  std::int64_t from = 0;
  std::int64_t to = 0;
  if (__builtin_add_overflow(header.base, begin, &from) ||
      __builtin_add_overflow(header.base, end, &to)) {
    return false;
  }
  return from >= 0 && to >= from && static_cast<std::uint64_t>(to) <= header.chunk_bytes;
}

const char* read_list(const RequestHeader& header, Words& words, Patch& patch) {
  patch.listed = true;
  for (std::int64_t i = 0; i < header.runs; ++i) {
    const std::int64_t offset = words.next();
    std::int64_t end = 0;
    if (__builtin_add_overflow(offset, patch.run_bytes(), &end) ||
        !is_inside(header, offset, end)) {
      return outside;
    }
    patch.list.push_back(offset);
  }
  return nullptr;
}

const char* read_strides(const RequestHeader& header, Words& words, Patch& patch) {
  Strides& strides = patch.strides;
  strides.levels = header.levels;
  std::int64_t runs = 1;
  std::int64_t begin = 0;
  std::int64_t end = patch.run_bytes();
  for (std::size_t level = 1; level <= header.levels; ++level) {
    const std::int64_t count = strides.count[level] = words.next();
    const std::int64_t stride = strides.stride[level - 1] = words.next();
    std::int64_t reach = 0;
    std::int64_t& side = stride < 0 ? begin : end;
    if (count < 1 || __builtin_mul_overflow(runs, count, &runs) ||
        __builtin_mul_overflow(stride, count - 1, &reach) ||
        __builtin_add_overflow(side, reach, &side)) {
      return "counts and strides beyond all memory";
    }
  }
  if (header.runs > runs || header.first_run > runs - header.runs) {
    return "runs that its patch does not have";
  }
  return is_inside(header, begin, end) ? nullptr : outside;
}

const char* fault_in_transfer(const corespec::Parameters& parameters, const RequestHeader& header,
                              std::span<const std::byte> rest, Patch& patch) {
  if (const char* fault = fault_in_description(header, rest)) return fault;
  const bool accumulates = header.kind == Kind::accumulate;
  if (accumulates && bytes_of(header.element) == 0) return "elements of no type";
  Words words(rest);
  patch.strides.count[0] = words.next();
  if (patch.run_bytes() < 1) return "runs without bytes";
  const bool listed = (header.flags & request_flag::listed) != 0;
  const char* const fault =
      listed ? read_list(header, words, patch) : read_strides(header, words, patch);
  if (fault != nullptr) return fault;
  std::int64_t bytes = 0;
  // Several runs go through a client's buffer, together.
  const std::uint64_t most =
      std::max(header.chunk_bytes, static_cast<std::uint64_t>(parameters.armci_client_buffer));
  if (__builtin_mul_overflow(header.runs, patch.run_bytes(), &bytes) ||
      static_cast<std::uint64_t>(bytes) > most) {
    return outside;
  }
  const bool eager = (header.flags & request_flag::eager) != 0;
  if (eager && (header.kind == Kind::get ||
                static_cast<std::uint64_t>(bytes) > rest.size() - header.description)) {
    return "more data than its buffer holds";
  }
  if (header.kind == Kind::get && static_cast<std::uint64_t>(bytes) > rma::RmaPort::most_bytes) {
    return "more data than one answer brings";
  }
  return nullptr;
}

}  // namespace

const char* fault_in(corespec::Process& helper, const RequestHeader& header, int client,
                     std::span<const std::byte> rest, Patch& patch) {
  if (const char* fault = fault_in_sender(helper, header, client)) return fault;
  if (header.kind == Kind::read_modify_write) {
    const bool wide = (header.flags & request_flag::wide) != 0;
    if (!is_inside(header, 0, wide ? sizeof(std::int64_t) : sizeof(std::int32_t))) return outside;
  } else if (!is_transfer(header.kind)) {
    return nullptr;
  } else if (const char* fault =
                 fault_in_transfer(helper.job().parameters(), header, rest, patch)) {
    return fault;
  }
  std::byte* const chunk = find_view(helper, header.target, header.chunk, header.chunk_bytes);
  if (chunk == nullptr) return "a chunk that there is not";
  patch.base = chunk + header.base;
  return nullptr;
}

}  // namespace armci
