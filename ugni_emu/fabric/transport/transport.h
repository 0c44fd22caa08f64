// One process's end of what carries messages: of the host's queues, or of a libfabric provider.
#pragma once

#include <rdma/fabric.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/fabric/transport/process_message.h"
#include "ugni_emu/fabric/transport/secret.h"

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
  static constexpr std::size_t behind = Secret::bytes;  ///< the transport's own, behind a message
  Buffer() : Operation(Kind::receive) {}
  int peer = -1;  ///< sends: the rank it goes to
  std::size_t size = 0;
  alignas(message_alignment) std::byte bytes[room + behind];
};

/// Data on its way between registered memories.
struct Movement : Operation {
  Movement() : Operation(Kind::movement) {}
};

/// What became of something that was handed over.
enum class Outcome : std::uint8_t {
  done,     ///< taken (completions follow where there are any)
  moved,    ///< at its place already; nothing follows
  again,    ///< no room now
  refused,  ///< memory: the system does not let this process do it; the data may go in messages
  failed    ///< the peer cannot be reached
};

/// Buffers for what is to be sent.
class BufferPool {
 public:
  Buffer& take();
  void put_back(Buffer& buffer) { free_.push_back(&buffer); }

 private:
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<Buffer*> free_;
};

/// What a transport tells its user, from within poll().
class TransportClient {
 public:
  /// `message` is there until this returns. It is from the peer that add() called `from`;
  /// some_process_of_the_job: the transport knows no more than that.
  static constexpr std::uint64_t some_process_of_the_job = ~std::uint64_t{0};
  virtual void received(std::span<const std::byte> message, std::uint64_t from) = 0;
  virtual void movement_ended(Movement& movement, bool well) = 0;
  virtual void send_failed(int peer) = 0;

 protected:
  ~TransportClient() = default;
};

/// Memory that peers may read and write until this goes.
class Registration {
 public:
  virtual ~Registration() = default;
  /// `address` within it, as peers name it.
  virtual RemoteMemory remote(const std::byte* address) const = 0;
};

/// Reliable and unconnected: messages to one peer arrive in order. Used by one thread at a time,
/// and at work only while called.
class Transport {
 public:
  /// What send(), read() and write() know a peer by; from add().
  using Address = std::uint64_t;

  Transport() : pool_(std::make_shared<BufferPool>()) {}
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// For people: "shared memory", or the provider's name.
  virtual std::string name() const = 0;
  /// Peers are processes of this host, whose memory the kernel reads and writes for us at once.
  virtual bool by_memory() const = 0;

  /// What peers give to their add() to reach this one, and to open what they send: for the job's
  /// processes only.
  virtual std::vector<std::byte> address() const = 0;
  /// A peer: its address(), and its process if it is on this host.
  virtual Address add(std::span<const std::byte> address, pid_t process) = 0;
  /// No more peers follow. Until then nothing comes in from a network.
  virtual void all_added() {}
  /// A network's: this end's and a peer's socket, as sockaddr; empty if it has none.
  virtual std::vector<std::byte> own_socket() const { return {}; }
  virtual std::vector<std::byte> socket_of(Address) const { return {}; }
  /// True if peers have to hear from each other once before forget_name().
  virtual bool has_name() const { return false; }
  /// Removes what peers found this transport by; a peer that has found it keeps it.
  virtual void forget_name() {}

  /// Largest message.
  virtual std::size_t limit() const = 0;
  /// An empty buffer, to be handed to send() or put back.
  Buffer& take() { return pool_->take(); }
  void put_back(Buffer& buffer) { pool_->put_back(buffer); }
  /// Sends buffer.size bytes. `again`: the buffer is still the caller's.
  virtual Outcome send(Address to, Buffer& buffer) = 0;

  /// Reads or writes a peer's memory; `done`: movement_ended() follows.
  virtual Outcome read(Address from, std::span<std::byte> into, RemoteMemory memory,
                       Movement& movement) = 0;
  virtual Outcome write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                        Movement& movement) = 0;
  /// Null if it cannot be.
  virtual std::unique_ptr<Registration> expose(std::byte* address, std::size_t bytes) = 0;

  /// Takes in what has come, up to a few dozen. True if there was any.
  virtual bool poll(TransportClient& client) = 0;
  /// Gets ready to receive more. It does so itself when it has to; a little may wait until there is
  /// time.
  virtual void make_ready() {}

  /// What becomes readable when something comes; -1 if there is nothing of that kind.
  virtual int wait_descriptor() const { return -1; }
  /// True if a thread may now wait for wait_descriptor(); false: poll() first.
  virtual bool may_wait() { return true; }
  /// Connections and arrivals that were dropped unread: they were not from processes of the job.
  virtual std::uint64_t refused() const { return 0; }
  /// Sends that have not completed.
  virtual std::size_t sends_under_way() const { return 0; }

 protected:
  struct InFrontOf {
    const Transport& behind;
  };
  /// Has the buffers of the one behind it.
  explicit Transport(InFrontOf of) : pool_(of.behind.pool_) {}

 private:
  std::shared_ptr<BufferPool> pool_;
};

}  // namespace ugni::fabric
