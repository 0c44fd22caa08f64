// A stranger that speaks libfabric's protocol by hand: well-formed and damaged connection requests.
#pragma once

#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wire_test {

/// Where a rank listens.
struct ListeningPlace {
  std::uint32_t address = 0;  ///< as in_addr has it
  std::uint16_t port = 0;     ///< as people write it
};

class RawStranger {
 public:
  /// Has an endpoint of libfabric's own make a connection, to learn what a request looks like.
  RawStranger();

  /// Asks `victim` for a connection in the name of the rank that listens at `as`, from the same
  /// address. True if anything came back.
  bool passes_for(ListeningPlace as, ListeningPlace victim) const;
  /// Makes so many connections to `victim` at once, which say a damaged request and then rubbish,
  /// or less, and keeps them until its process ends. The damage is the same each time.
  void flood(ListeningPlace victim, int connections) const;

 private:
  /// The request of an endpoint that listens at that port.
  std::vector<std::byte> request_of(std::uint16_t port) const;

  std::vector<std::byte> request_;  ///< as it was sent
  std::uint16_t own_port_ = 0;      ///< what stands in it
};

}  // namespace wire_test
