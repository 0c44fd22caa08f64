// Rendezvous between nodes (Nemesis LMT): R0, read by the receiver; R1, cooperative write.
#pragma once

#include <cstdint>
#include <vector>

#include "netmod/device/between_nodes/connection.h"
#include "netmod/device/messages/completion_client.h"
#include "netmod/device/messages/message_contexts.h"
#include "netmod/device/messages/request_names.h"
#include "ugni_emu/rma/registration_cache.h"

namespace netmod {

/// The sender announces a message with an RTS that says where it is. The receiver, once it has
/// matched it, either reads it (R0: below MPICH_GNI_NDREG_MAXSIZE, word-aligned on both sides)
/// and ends with receive done, or grants it chunk by chunk (R1: CTS, RDMA write, send done).
class Rendezvous {
 public:
  Rendezvous(const Settings& settings, RankPort& port, Connections& connections,
             rma::RegistrationCache& cache, RequestNames& names, DeviceStatistics& statistics,
             const MessageContexts* contexts, CompletionClient& client);

  /// Sends the RTS; false without a credit.
  bool announce(Connection& connection, RequestImpl& send);
  /// A receive has been matched to an RTS.
  void accept(Connection& connection, RequestImpl& receive, const PacketHeader& header,
              const MemoryReference& source);
  void control_arrived(Connection& connection, const ControlPacket& packet);
  /// The sender wants its RTS back, or (recall) its eager message, whose number is `wanted`.
  void ask_back(Connection& connection, const RequestImpl& send);
  void recall(Connection& connection, RequestImpl& request, std::uint32_t wanted);
  /// A read or write completed.
  void data_done(DataDescriptor& descriptor);
  /// One failed: it is posted again, if that is allowed.
  void data_failed(gni_cq_entry_t entry, DataDescriptor& descriptor);
  /// Posts again what the NIC had no room for. True if anything was posted.
  bool retry();
  bool busy() const { return !unposted_.empty(); }

 private:
  static constexpr std::uint64_t word = 4;  ///< a GET's addresses and length are multiples of it

  bool readable(const Connection& connection, const RequestImpl& receive,
                const MemoryReference& source) const;
  void read(Connection& connection, RequestImpl& receive, const PacketHeader& header,
            const MemoryReference& source);
  void grant_chunks(Connection& connection, RequestImpl& receive, int most);
  void write_chunk(Connection& connection, const ControlPacket& cts);
  void send_done(Connection& connection, const PacketHeader& header);
  /// The request that a packet names, which must be one of this kind with this peer.
  RequestImpl& named(const Connection& connection, std::uint64_t name,
                     RequestImpl::Kind kind) const;
  void end(RequestImpl& send, std::uint64_t name);
  void finish_receive(Connection& connection, RequestImpl& receive);
  bool try_post(DataDescriptor& descriptor);
  void post(DataDescriptor& descriptor);
  enum class Use : std::uint8_t { read, written };
  /// Ends the job with a line if the program's memory cannot be used so.
  rma::CachedRegistration* registration(const void* data, std::uint64_t bytes, Use use);

  std::vector<DataDescriptor*> unposted_;  // first: each look at the queues asks for it
  const Settings& settings_;
  RankPort& port_;
  Connections& connections_;
  rma::RegistrationCache& cache_;
  RequestNames& names_;
  DeviceStatistics& statistics_;
  const MessageContexts* contexts_;  ///< null: nothing is marked
  CompletionClient& client_;
};

}  // namespace netmod
