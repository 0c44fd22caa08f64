// MPI functions: barrier, broadcast, gather, scatter, allgather, alltoall.
#include <fmt/format.h>

#include <vector>

#include "netmod/mpi/arguments.h"
#include "netmod/mpi/call_scope.h"
#include "netmod/mpi/collectives.h"
#include "netmod/mpi/packed.h"

namespace netmod {
namespace {

/// One side of a collective: a checked buffer.
struct Side {
  void* buffer = nullptr;
  std::int64_t count = 0;
  TypeView type;
  bool in_place = false;

  std::int64_t bytes() const { return type.packed_bytes(count); }
};

Side side_of(RankState& rank, const void* buffer, std::int64_t count, MPI_Datatype datatype,
             const char* name, bool may_be_in_place) {
  Side side;
  side.buffer = const_cast<void*>(buffer);
  if (buffer == MPI_IN_PLACE) {
    if (!may_be_in_place) {
      fail(MPI_ERR_BUFFER, fmt::format("{} is MPI_IN_PLACE, which is not allowed here", name));
    }
    side.in_place = true;
    return side;
  }
  check_count(count);
  side.count = count;
  side.type = rank.type_in_use(datatype);
  check_buffer(buffer, count, side.type, name);
  return side;
}

/// Parts of all ranks, packed one after another or (datatype without gaps) where they are.
class Parts {
 public:
  Parts(RankState& rank, void* buffer, const int* counts, const int* displacements,
        MPI_Datatype datatype, int size, const char* name)
      : rank_(&rank), buffer_(static_cast<std::byte*>(buffer)), type_(rank.type_in_use(datatype)) {
    check_pointer(counts, "counts");
    check_pointer(displacements, "displs");
    std::int64_t packed = 0;
    for (int i = 0; i < size; ++i) {
      check_count(counts[i], "an element of counts");
      check_buffer(buffer, counts[i], type_, name);
      const std::int64_t place = displacements[i] * type_.extent;
      const std::int64_t bytes = type_.packed_bytes(counts[i]);
      places_.push_back({place, counts[i]});
      pieces_.push_back({type_.contiguous() ? place : packed, bytes});
      packed += bytes;
    }
    if (!type_.contiguous()) copy_ = make_bytes(packed);
  }

  std::span<const Piece> pieces() const { return pieces_; }
  std::byte* data() const { return copy_ != nullptr ? copy_.get() : buffer_; }

  void load() const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) load(i);
  }
  void load(std::size_t i) const {
    if (copy_ == nullptr) return;
    pack(type_, buffer_ + places_[i].offset, places_[i].bytes, data() + pieces_[i].offset);
    rank_->charge_copy(pieces_[i].bytes);
  }
  void store() const {
    if (copy_ == nullptr) return;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      unpack(type_, data() + pieces_[i].offset, pieces_[i].bytes, buffer_ + places_[i].offset);
      rank_->charge_copy(pieces_[i].bytes);
    }
  }
  /// Puts the caller's own part there.
  void set(std::size_t i, const std::byte* from, std::int64_t bytes) const {
    if (bytes > pieces_[i].bytes) {
      fail(MPI_ERR_TRUNCATE, fmt::format("the caller's own part has {} bytes, its place {}", bytes,
                                         pieces_[i].bytes));
    }
    if (bytes != 0) {
      std::memcpy(data() + pieces_[i].offset, from, static_cast<std::size_t>(bytes));
    }
    rank_->charge_copy(bytes);
  }

 private:
  RankState* rank_;
  std::byte* buffer_;
  TypeView type_;
  std::vector<Piece> places_;  ///< offset in the buffer, elements
  std::vector<Piece> pieces_;  ///< offset in data(), bytes
  Bytes copy_;
};

void check_own_part(std::int64_t sent, std::int64_t place) {
  if (sent > place) {
    fail(MPI_ERR_TRUNCATE,
         fmt::format("the caller's own part has {} bytes, its place {}", sent, place));
  }
}

void run_gather(RankState& rank, const Communicator& comm, const Side& sending,
                const Side& receiving, int root) {
  if (comm.rank != root) {
    const PackedInput mine(rank, sending.type, sending.buffer, sending.count);
    gather(rank, comm, mine.data(), nullptr, sending.bytes(), root);
    return;
  }
  const std::int64_t each = receiving.bytes();
  const PackedOutput all(rank, receiving.type, receiving.buffer, receiving.count * comm.size());
  auto* own_place = static_cast<std::byte*>(receiving.buffer) +
                    receiving.count * receiving.type.extent * comm.rank;
  if (!sending.in_place) check_own_part(sending.bytes(), each);
  const PackedInput mine(rank, sending.in_place ? receiving.type : sending.type,
                         sending.in_place ? own_place : sending.buffer,
                         sending.in_place ? receiving.count : sending.count);
  if (root == 0 || !receiving.type.contiguous() || !sending.in_place) {
    gather(rank, comm, mine.data(), all.data(), each, root);
  } else {
    const Bytes copy = make_bytes(each);  // the result overwrites its own part
    if (each != 0) std::memcpy(copy.get(), mine.data(), static_cast<std::size_t>(each));
    gather(rank, comm, copy.get(), all.data(), each, root);
  }
  all.store();
}

void run_scatter(RankState& rank, const Communicator& comm, const Side& sending,
                 const Side& receiving, int root) {
  if (comm.rank != root) {
    const PackedOutput mine(rank, receiving.type, receiving.buffer, receiving.count);
    scatter(rank, comm, nullptr, mine.data(), receiving.bytes(), root);
    mine.store();
    return;
  }
  const std::int64_t each = sending.bytes();
  const PackedInput all(rank, sending.type, sending.buffer, sending.count * comm.size());
  const Bytes own = make_bytes(each);
  scatter(rank, comm, all.data(), own.get(), each, root);
  if (receiving.in_place) return;
  check_own_part(each, receiving.bytes());
  unpack(receiving.type, own.get(), each, receiving.buffer);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;
using netmod::side_of;

extern "C" {

int PMPI_Barrier(MPI_Comm comm) {
  return call("MPI_Barrier", comm,
              [&](RankState& rank) { netmod::barrier(rank, rank.communicator(comm)); });
}
NETMOD_PUBLISH(Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return call("MPI_Bcast", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const netmod::Side side = side_of(rank, buffer, count, datatype, "buffer", false);
    netmod::check_root(on, root);
    if (side.bytes() == 0) return;
    const netmod::PackedOutput data(rank, side.type, buffer, count, on.rank == root);
    netmod::broadcast(rank, on, data.data(), side.bytes(), root);
    if (on.rank != root) data.store();
  });
}
NETMOD_PUBLISH(Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return call("MPI_Gather", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    netmod::check_root(on, root);
    const bool at_root = on.rank == root;
    netmod::Side receiving;
    if (at_root) receiving = side_of(rank, recvbuf, recvcount, recvtype, "recvbuf", false);
    netmod::run_gather(rank, on, side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", at_root),
                       receiving, root);
  });
}
NETMOD_PUBLISH(Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm) {
  return call("MPI_Gatherv", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    netmod::check_root(on, root);
    const bool at_root = on.rank == root;
    const netmod::Side sending = side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", at_root);
    const netmod::PackedInput mine(rank, sending.type, sending.in_place ? nullptr : sendbuf,
                                   sending.count);
    if (!at_root) {
      netmod::gather_pieces(rank, on, mine.data(), sending.bytes(), nullptr, {}, root);
      return;
    }
    const netmod::Parts parts(rank, recvbuf, recvcounts, displs, recvtype, on.size(), "recvbuf");
    const auto own = static_cast<std::size_t>(root);
    if (sending.in_place) {
      parts.load(own);
    } else {
      parts.set(own, mine.data(), sending.bytes());
    }
    netmod::gather_pieces(rank, on, nullptr, 0, parts.data(), parts.pieces(), root);
    parts.store();
  });
}
NETMOD_PUBLISH(Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return call("MPI_Scatter", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    netmod::check_root(on, root);
    const bool at_root = on.rank == root;
    netmod::Side sending;
    if (at_root) sending = side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", false);
    netmod::run_scatter(rank, on, sending,
                        side_of(rank, recvbuf, recvcount, recvtype, "recvbuf", at_root), root);
  });
}
NETMOD_PUBLISH(Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return call("MPI_Scatterv", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    netmod::check_root(on, root);
    const bool at_root = on.rank == root;
    const netmod::Side receiving = side_of(rank, recvbuf, recvcount, recvtype, "recvbuf", at_root);
    if (!at_root) {
      const netmod::PackedOutput mine(rank, receiving.type, recvbuf, recvcount);
      netmod::scatter_pieces(rank, on, nullptr, {}, mine.data(), receiving.bytes(), root);
      mine.store();
      return;
    }
    const netmod::Parts parts(rank, const_cast<void*>(sendbuf), sendcounts, displs, sendtype,
                              on.size(), "sendbuf");
    parts.load();
    netmod::scatter_pieces(rank, on, parts.data(), parts.pieces(), nullptr, 0, root);
    if (receiving.in_place) return;
    const netmod::Piece own = parts.pieces()[static_cast<std::size_t>(root)];
    netmod::check_own_part(own.bytes, receiving.bytes());
    netmod::unpack(receiving.type, parts.data() + own.offset, own.bytes, recvbuf);
    rank.charge_copy(own.bytes);
  });
}
NETMOD_PUBLISH(Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return call("MPI_Allgather", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const netmod::Side sending = side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", true);
    const netmod::Side receiving = side_of(rank, recvbuf, recvcount, recvtype, "recvbuf", false);
    const std::int64_t each = receiving.bytes();
    const netmod::PackedOutput all(rank, receiving.type, recvbuf, receiving.count * on.size(),
                                   sending.in_place);
    if (!sending.in_place) {
      netmod::check_own_part(sending.bytes(), each);
      netmod::pack(sending.type, sendbuf, sending.count, all.data() + each * on.rank);
      rank.charge_copy(sending.bytes());
    }
    netmod::allgather(rank, on, all.data(), each);
    all.store();
  });
}
NETMOD_PUBLISH(Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm) {
  return call("MPI_Allgatherv", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const netmod::Side sending = side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", true);
    const netmod::Parts parts(rank, recvbuf, recvcounts, displs, recvtype, on.size(), "recvbuf");
    const auto own = static_cast<std::size_t>(on.rank);
    if (sending.in_place) {
      parts.load(own);
    } else {
      const netmod::PackedInput mine(rank, sending.type, sendbuf, sending.count);
      parts.set(own, mine.data(), sending.bytes());
    }
    netmod::allgather_pieces(rank, on, parts.data(), parts.pieces());
    parts.store();
  });
}
NETMOD_PUBLISH(Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return call("MPI_Alltoall", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const netmod::Side sending = side_of(rank, sendbuf, sendcount, sendtype, "sendbuf", true);
    const netmod::Side receiving = side_of(rank, recvbuf, recvcount, recvtype, "recvbuf", false);
    const std::int64_t each = receiving.bytes();
    const std::int64_t total = each * on.size();
    if (!sending.in_place && sending.bytes() != each) {
      netmod::fail(MPI_ERR_TRUNCATE, fmt::format("the caller sends {} bytes to each rank but "
                                                 "receives {}",
                                                 sending.bytes(), each));
    }
    const netmod::PackedOutput in(rank, receiving.type, recvbuf, receiving.count * on.size());
    netmod::Bytes copy;
    if (sending.in_place) {
      copy = netmod::make_bytes(total);
      netmod::pack(receiving.type, recvbuf, receiving.count * on.size(), copy.get());
      rank.charge_copy(total);
    }
    const netmod::PackedInput out(rank, sending.type, sending.in_place ? copy.get() : sendbuf,
                                  sending.count * on.size());
    netmod::alltoall(rank, on, out.data(), in.data(), each);
    in.store();
  });
}
NETMOD_PUBLISH(Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return call("MPI_Alltoallv", comm, [&](RankState& rank) {
    const netmod::Communicator& on = rank.communicator(comm);
    const netmod::Parts in(rank, recvbuf, recvcounts, rdispls, recvtype, on.size(), "recvbuf");
    if (sendbuf != MPI_IN_PLACE) {
      const netmod::Parts out(rank, const_cast<void*>(sendbuf), sendcounts, sdispls, sendtype,
                              on.size(), "sendbuf");
      out.load();
      netmod::alltoall_pieces(rank, on, out.data(), out.pieces(), in.data(), in.pieces());
      in.store();
      return;
    }
    std::vector<netmod::Piece> pieces;
    std::int64_t total = 0;
    in.load();
    for (const netmod::Piece& piece : in.pieces()) {
      pieces.push_back({total, piece.bytes});
      total += piece.bytes;
    }
    const netmod::Bytes copy = netmod::make_bytes(total);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].bytes == 0) continue;
      std::memcpy(copy.get() + pieces[i].offset, in.data() + in.pieces()[i].offset,
                  static_cast<std::size_t>(pieces[i].bytes));
    }
    rank.charge_copy(total);
    netmod::alltoall_pieces(rank, on, copy.get(), pieces, in.data(), in.pieces());
    in.store();
  });
}
NETMOD_PUBLISH(Alltoallv);

}  // extern "C"
