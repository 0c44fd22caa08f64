// One libfabric endpoint with its completion queue, its buffers and its registered memory.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/wire/fabric/library.h"
#include "ugni_emu/wire/fabric/message.h"

namespace ugni::fabric {

/// What libfabric gives back on completion; its first member is the context it asks for.
struct Operation {
  enum class Kind : std::uint8_t { receive, send, movement };
  explicit Operation(Kind what) : kind(what) {}
  fi_context2 context{};
  Kind kind;
};

/// A message being received or sent.
struct Buffer final : Operation {
  static constexpr std::size_t room = 8192 + largest_head;
  Buffer() : Operation(Kind::receive) {}
  int peer = -1;  ///< sends: the rank it goes to
  std::size_t size = 0;
  alignas(message_alignment) std::byte bytes[room];
};

/// Data on its way between registered memories.
struct Movement : Operation {
  Movement() : Operation(Kind::movement) {}
};

/// What became of something that was handed over.
enum class Outcome : std::uint8_t {
  done,   ///< taken (completions follow where there are any)
  moved,  ///< at its place already; nothing follows
  again,  ///< no room now
  failed  ///< the peer cannot be reached
};

/// What an endpoint tells its user, from within poll().
class EndpointClient {
 public:
  virtual void received(std::span<const std::byte> message) = 0;
  virtual void movement_ended(Movement& movement, bool well) = 0;
  virtual void send_failed(int peer) = 0;

 protected:
  ~EndpointClient() = default;
};

/// A reliable, unconnected endpoint of one provider; manual progress, used by one thread at a time.
class Endpoint {
 public:
  struct Request {
    std::string provider;   ///< as fi_getinfo() knows it
    std::string name;       ///< shm: of the shared region
    bool loopback = false;  ///< network: of this host only
    std::size_t peers = 1;  ///< how many there will be at most
  };

  /// Throws std::runtime_error with one line.
  explicit Endpoint(const Request& request);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const std::string& provider() const { return provider_; }
  /// Peers are processes of this host, whose memory is read and written directly.
  bool by_memory() const { return provider_ == "shm"; }
  std::vector<std::byte> address() const;
  fi_addr_t add(std::span<const std::byte> address);
  /// Removes the name of a shm endpoint's region; who has mapped it keeps it.
  void remove_name();

  /// Largest message; what fits into one goes without waiting for the receiver.
  std::size_t limit() const { return limit_; }

  /// An empty buffer, to be handed to send() or put back.
  Buffer& take();
  void put_back(Buffer& buffer) { free_.push_back(&buffer); }
  /// Sends buffer.size bytes. `again`: the buffer is still the caller's.
  Outcome send(fi_addr_t to, Buffer& buffer);

  /// Starts an RMA read or write; `done`: movement_ended() follows.
  Outcome read(fi_addr_t from, std::span<std::byte> into, RemoteMemory memory, Movement& movement);
  Outcome write(fi_addr_t to, std::span<const std::byte> data, RemoteMemory memory,
                Movement& movement);

  /// Memory that peers may read and write. Null if the provider refuses.
  fid_mr* expose(std::byte* address, std::size_t bytes);
  /// `address` within a region exposed from `base` on, as peers name it.
  RemoteMemory remote(fid_mr* region, const std::byte* base, const std::byte* address) const;

  /// Takes in up to a few dozen completions. True if there were any.
  bool poll(EndpointClient& client);
  /// Posts the buffers again that messages were received into. It does so itself when many are out;
  /// a few may wait until there is time.
  void post_again() {
    if (!taken_in_.empty()) post_those();
  }

  /// What becomes readable when something comes; -1 if the provider has nothing of that kind.
  int wait_descriptor() const { return wait_descriptor_; }
  /// True if a thread may now wait for wait_descriptor(); false: poll() first.
  bool may_wait();
  /// Sends that have not completed.
  std::size_t sends_under_way() const { return sends_; }

 private:
  void open(const Request& request);
  void close();
  void check(long result, const char* what) const;
  void post(Buffer& buffer);
  void post_those();
  void complete(Operation& operation, std::size_t length, EndpointClient& client);
  bool fail(EndpointClient& client);

  Library library_;
  std::string provider_;
  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* queue_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  std::size_t limit_ = 0;
  bool injects_ = false;  ///< messages up to the limit are copied by the provider
  std::uint64_t next_key_ = 1;
  int wait_descriptor_ = -1;
  std::size_t sends_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;
  std::vector<Buffer*> taken_in_;  ///< received, to be posted again
};

}  // namespace ugni::fabric
