// MPI functions: packing into a buffer of the program's, and finding a type by its size.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/bytes.h"
#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/datatypes/external32.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {
namespace {

/// Where packed bytes are or go: `bytes` from `position` on, which must lie within the `size` of
/// the buffer. The position moves behind them.
template <class Byte, class Position>
Byte* packed_place(Byte* buffer, Position size, Position* position, std::int64_t bytes) {
  check_pointer(position, "position");
  if (size < 0 || *position < 0 || bytes > std::int64_t{size} - *position) {
    fail(MPI_ERR_ARG, fmt::format("{} packed bytes at position {} do not fit into a buffer of {}",
                                  bytes, *position, size));
  }
  if (bytes > 0) check_pointer(buffer, "the packed buffer");
  Byte* place = buffer + *position;
  *position += static_cast<Position>(bytes);
  return place;
}

/// Elements that a call packs or unpacks, in "external32".
struct External {
  External(RankState& rank, const char* datarep, const void* buffer, int count,
           MPI_Datatype datatype)
      : type(rank.datatypes().in_use(datatype)), signature(signature_of(type)) {
    check_pointer(datarep, "datarep");
    if (std::string_view(datarep) != "external32") {
      fail(MPI_ERR_ARG, fmt::format("datarep is \"{}\" (allowed: \"external32\")", datarep));
    }
    check_count(count);
    check_buffer(buffer, count, type);
    elements = type.size == 0 ? 0 : count;
    bytes = elements * external_bytes(signature);
  }
  /// Memory for them in the host's representation.
  Bytes native() const { return make_bytes(type.packed_bytes(elements)); }

  TypeView type;
  Signature signature;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
};

MPI_Datatype type_of_size(int typeclass, int size) {
  static constexpr std::pair<int, MPI_Datatype> types[] = {
      {MPI_TYPECLASS_REAL, MPI_REAL4},        {MPI_TYPECLASS_REAL, MPI_REAL8},
      {MPI_TYPECLASS_REAL, MPI_REAL16},       {MPI_TYPECLASS_INTEGER, MPI_INTEGER1},
      {MPI_TYPECLASS_INTEGER, MPI_INTEGER2},  {MPI_TYPECLASS_INTEGER, MPI_INTEGER4},
      {MPI_TYPECLASS_INTEGER, MPI_INTEGER8},  {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX8},
      {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX16}, {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX32}};
  bool known = false;
  for (const auto& [of_class, type] : types) {
    if (of_class != typeclass) continue;
    known = true;
    if (find_simple(type)->size == size) return type;
  }
  if (!known) fail(MPI_ERR_ARG, fmt::format("typeclass is {}, which is none", typeclass));
  fail(MPI_ERR_ARG, fmt::format("no type of typeclass {} has {} bytes", typeclass, size));
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;
using netmod::TypeView;

extern "C" {

int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return call("MPI_Pack_size", comm, [&](RankState& rank) {
    rank.communicators().named(comm);
    netmod::check_count(incount, "incount");
    const TypeView type = rank.datatypes().in_use(datatype);
    netmod::check_elements(incount, type);
    const std::int64_t bytes = type.packed_bytes(incount);
    netmod::check_pointer(size, "size");
    *size = bytes <= INT32_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Pack_size);

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
              int* position, MPI_Comm comm) {
  return call("MPI_Pack", comm, [&](RankState& rank) {
    rank.communicators().named(comm);
    netmod::check_count(incount, "incount");
    const TypeView type = rank.datatypes().in_use(datatype, incount);
    netmod::check_buffer(inbuf, incount, type, "inbuf");
    const std::int64_t bytes = type.packed_bytes(incount);
    auto* place = netmod::packed_place(static_cast<std::byte*>(outbuf), outsize, position, bytes);
    netmod::pack(type, inbuf, incount, place);
    rank.charge_copy(bytes);
  });
}
NETMOD_PUBLISH(Pack);

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                MPI_Datatype datatype, MPI_Comm comm) {
  return call("MPI_Unpack", comm, [&](RankState& rank) {
    rank.communicators().named(comm);
    netmod::check_count(outcount, "outcount");
    const TypeView type = rank.datatypes().in_use(datatype, outcount);
    netmod::check_buffer(outbuf, outcount, type, "outbuf");
    const std::int64_t bytes = type.packed_bytes(outcount);
    const auto* place =
        netmod::packed_place(static_cast<const std::byte*>(inbuf), insize, position, bytes);
    netmod::unpack(type, place, bytes, outbuf);
    rank.charge_copy(bytes);
  });
}
NETMOD_PUBLISH(Unpack);

int PMPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                            MPI_Aint* size) {
  return call("MPI_Pack_external_size", [&](RankState& rank) {
    static constexpr char any = 0;  // there is no buffer to check
    const netmod::External elements(rank, datarep, &any, incount, datatype);
    netmod::check_pointer(size, "size");
    *size = elements.bytes;
  });
}
NETMOD_PUBLISH(Pack_external_size);

int PMPI_Pack_external(const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype,
                       void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
  return call("MPI_Pack_external", [&](RankState& rank) {
    const netmod::External in(rank, datarep, inbuf, incount, datatype);
    auto* place =
        netmod::packed_place(static_cast<std::byte*>(outbuf), outsize, position, in.bytes);
    const netmod::Bytes native = in.native();
    netmod::pack(in.type, inbuf, in.elements, native.get());
    netmod::to_external(in.signature, in.elements, native.get(), place);
    rank.charge_copy(in.bytes);
  });
}
NETMOD_PUBLISH(Pack_external);

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                         MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype) {
  return call("MPI_Unpack_external", [&](RankState& rank) {
    const netmod::External out(rank, datarep, outbuf, outcount, datatype);
    const auto* place =
        netmod::packed_place(static_cast<const std::byte*>(inbuf), insize, position, out.bytes);
    const netmod::Bytes native = out.native();
    netmod::from_external(out.signature, out.elements, place, native.get());
    netmod::unpack(out.type, native.get(), out.type.packed_bytes(out.elements), outbuf);
    rank.charge_copy(out.bytes);
  });
}
NETMOD_PUBLISH(Unpack_external);

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  return call("MPI_Type_match_size", [&](RankState&) {
    netmod::check_pointer(datatype, "datatype");
    *datatype = netmod::type_of_size(typeclass, size);
  });
}
NETMOD_PUBLISH(Type_match_size);

}  // extern "C"
