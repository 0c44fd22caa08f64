// Requests that no client sends: the helper thread says so in one line, and touches nothing.
#include <cstring>
#include <limits>

#include "armci/core/helper_request.h"
#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "tests/armci/job.h"
#include "ugni_emu/rma/rma_port.h"

namespace castor_test {
namespace {

using armci::Kind;
using armci::RequestHeader;
namespace flag = armci::request_flag;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t chunk_bytes = 4 << 20;
constexpr std::int64_t run_bytes = 64;

/// A request as it lies in a helper's buffer.
struct Request {
  RequestHeader header;
  std::vector<std::int64_t> words;  ///< its description
  std::vector<std::byte> data;
};

/// A put that is in order, as rank 1 would send it for rank 0's memory.
Request good_put() {
  Request request;
  request.header.kind = Kind::put;
  request.header.flags = flag::eager;
  request.header.from = 1;
  request.header.target = 0;
  request.header.number = 3;
  request.header.chunk_bytes = chunk_bytes;
  request.header.runs = 1;
  request.words = {run_bytes};
  request.header.description = sizeof(std::int64_t);
  request.data.resize(run_bytes, std::byte{0x55});
  return request;
}

Request good_strides() {
  Request request = good_put();
  request.words = {8, 4, 100, 2, 1000};  // 8 bytes, 4 times 100 apart, twice
  request.header.levels = 2;
  request.header.runs = 8;
  request.header.description = 5 * sizeof(std::int64_t);
  return request;
}

Request good_list() {
  Request request = good_put();
  request.words = {8, 0, 100, 50};
  request.header.flags |= flag::listed;
  request.header.runs = 3;
  request.header.description = 4 * sizeof(std::int64_t);
  return request;
}

/// Rank 1 writes it into its buffer at rank 0's helper, with the event `number` of buffers further.
std::string send(const Request& request, std::uint32_t further = 0) {
  return run_armci_to_error(small_job(2), {}, [&](int rank) {
    Shared<char> memory(1000);
    ARMCI_Barrier();
    if (rank == 1) {
      corespec::Process& process = *corespec::this_process_or_null();
      const auto* const peers = reinterpret_cast<const armci::Peer*>(
          process.node().memory().segment("armci ranks", 2 * sizeof(armci::Peer)));
      rma::RmaPort port(process, "forged", {.cookie_offset = 2, .instance_group = 2});
      std::vector<std::byte> bytes(sizeof request.header);
      std::memcpy(bytes.data(), &request.header, sizeof request.header);
      const auto words = std::as_bytes(std::span(request.words));
      bytes.insert(bytes.end(), words.begin(), words.end());
      bytes.insert(bytes.end(), request.data.begin(), request.data.end());
      const corespec::Parameters& parameters = process.job().parameters();
      const auto each = static_cast<std::uint32_t>(parameters.armci_cht_buffers);
      const std::uint32_t number = armci::buffer_number(1, 0, each);
      const std::uint64_t place =
          peers[0].buffers + number * static_cast<std::uint64_t>(parameters.armci_cht_buffer_size);
      rma::Completion completion;
      const int helper = process.job().size();
      port.insist([&] {
        return port.put_with_event(completion, helper, bytes.data(), place, peers[0].buffers_handle,
                                   bytes.size(), number + further);
      });
      port.wait(completion);
    }
    ARMCI_Barrier();
    // Where its helper has believed it, rank 1 is answered what it has not asked.
    char byte = 'x';
    if (rank == 1) ARMCI_Put(&byte, memory.at(0), 1, 0);
    ARMCI_AllFence();
    ARMCI_Barrier();
  });
}

struct Change {
  const char* name;
  std::function<Request()> make;
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

template <typename Edit>
Change changed(const char* name, Request (*good)(), Edit edit) {
  return {name, [good, edit] {
            Request request = good();
            edit(request);
            return request;
          }};
}

const Change changes[] = {
    changed("Kind", good_put, [](auto& r) { r.header.kind = static_cast<Kind>(7); }),
    changed("From", good_put, [](auto& r) { r.header.from = 0; }),
    changed("FromNobody", good_put, [](auto& r) { r.header.from = -1; }),
    changed("Target", good_put, [](auto& r) { r.header.target = 1; }),
    changed("TargetNobody", good_put, [](auto& r) { r.header.target = 1 << 30; }),
    changed("Number", good_put, [](auto& r) { r.header.number = armci::most_requests; }),
    changed("Chunk", good_put, [](auto& r) { r.header.chunk = 1; }),
    changed("ChunkBytes", good_put, [](auto& r) { r.header.chunk_bytes = ~std::uint64_t{0}; }),
    changed("Base", good_put, [](auto& r) { r.header.base = -1; }),
    changed("BaseBehind", good_put, [](auto& r) { r.header.base = chunk_bytes - run_bytes + 1; }),
    changed("BaseHuge", good_put, [](auto& r) { r.header.base = huge; }),
    changed("Runs", good_put, [](auto& r) { r.header.runs = 2; }),
    changed("NoRuns", good_put, [](auto& r) { r.header.runs = 0; }),
    changed("RunsHuge", good_put, [](auto& r) { r.header.runs = huge; }),
    changed("FirstRun", good_put, [](auto& r) { r.header.first_run = 1; }),
    changed("FirstRunNegative", good_put, [](auto& r) { r.header.first_run = -1; }),
    changed("Description", good_put, [](auto& r) { r.header.description = 1 << 30; }),
    changed("Levels", good_put, [](auto& r) { r.header.levels = 255; }),
    changed("RunBytes", good_put, [](auto& r) { r.words[0] = huge; }),
    changed("NoBytes", good_put, [](auto& r) { r.words[0] = 0; }),
    changed("EagerBytes", good_put, [](auto& r) { r.words[0] = 1 << 20; }),
    changed("EagerGet", good_put, [](auto& r) { r.header.kind = Kind::get; }),
    changed("Element", good_put, [](auto& r) { r.header.kind = Kind::accumulate; }),
    changed("Stop", good_put, [](auto& r) { r.header.kind = Kind::stop; }),
    changed("Word", good_put,
            [](auto& r) {
              r.header.kind = Kind::read_modify_write;
              r.header.base = chunk_bytes - 3;
            }),
    changed("Count", good_strides, [](auto& r) { r.words[1] = 0; }),
    changed("CountHuge", good_strides, [](auto& r) { r.words[1] = huge; }),
    changed("Stride", good_strides, [](auto& r) { r.words[2] = -100; }),
    changed("StrideHuge", good_strides, [](auto& r) { r.words[4] = huge; }),
    changed("StrideBehind", good_strides, [](auto& r) { r.words[4] = chunk_bytes - 307; }),
    changed("StridedRuns", good_strides, [](auto& r) { r.header.first_run = 1; }),
    changed("Offset", good_list, [](auto& r) { r.words[2] = -1; }),
    changed("OffsetHuge", good_list, [](auto& r) { r.words[2] = huge; }),
    changed("OffsetBehind", good_list, [](auto& r) { r.words[3] = chunk_bytes - 7; }),
    changed("ListLength", good_list, [](auto& r) { r.header.runs = 1 << 20; }),
};

class Forged : public testing::TestWithParam<Change> {};
INSTANTIATE_TEST_SUITE_P(All, Forged, testing::ValuesIn(changes),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(Forged, IsRefusedWithOneLine) {
  const std::string said = send(GetParam().make());
  EXPECT_NE(said.find("ARMCI: rank 1 has asked the helper thread of node"), std::string::npos)
      << said;
}

TEST(Forged, ABufferThatThereIsNotIsNamed) {
  const std::string said = send(good_put(), 1000);
  EXPECT_NE(said.find("a buffer that there is not"), std::string::npos) << said;
}

/// These are in order, but for rank 1's not having asked.
TEST(Forged, WhatWasNotAskedIsNotAnswered) {
  for (const auto& good : {good_put, good_strides, good_list}) {
    const std::string said = send(good());
    EXPECT_NE(said.find("answered a request that is not under way"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace castor_test
