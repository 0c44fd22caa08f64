// A set of PEs and the collective operation that is under way in it, as one of its members has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ugni_emu/include/dmapp.h"
#include "ugni_emu/rma/rma_port.h"

namespace dmapp {
class State;

/// What members combine in one operation, at most: as much as a put of one packet carries.
constexpr std::size_t reduction_bytes = 64;
using Values = std::array<std::byte, reduction_bytes>;
}  // namespace dmapp

/// What a dmapp_c_pset_handle_t points to. Values go up a binomial tree of the members, combined on
/// the way, and the outcome comes down it: each step a PUT into a slot of the peer's memory, with
/// an event that says which slot and which operation.
struct dmapp_c_pset {
  struct Peer {
    std::uint64_t address = 0;  ///< of its slots
    gni_mem_handle_t memory{};
  };
  enum class Stage : std::uint8_t { idle, up, awaits_outcome, down };

  std::uint64_t identifier = 0;
  std::vector<dmapp_pe_t> members;
  std::size_t own = 0;  ///< number among the members
  unsigned levels = 0;  ///< of the tree
  bool exported = false;
  gni_cq_handle_t events = nullptr;
  gni_mem_handle_t memory{};
  std::vector<dmapp::Values> slots;    ///< one for each level, and one for the outcome
  std::vector<std::uint32_t> arrived;  ///< by slot: the operation whose values are there
  std::vector<Peer> peers;             ///< by member; those that this one sends to

  // The operation.
  Stage stage = Stage::idle;
  std::uint32_t operation = 0;  ///< its number
  unsigned level = 0;
  void* out = nullptr;
  std::uint32_t nelems = 0;
  dmapp_c_type_t type = DMAPP_C_INT64;
  dmapp_c_op_t op = DMAPP_C_SUM;
  dmapp::Values values{};
  rma::Completion sent;
};

namespace dmapp {

/// Bytes of an element; 0 if there is no such type.
std::size_t bytes_of_collective(dmapp_c_type_t type);
/// False if there is no such operation on the type.
bool combines(dmapp_c_type_t type, dmapp_c_op_t op);
/// Element by element `sum` = `sum` op `with`.
void combine(Values& sum, const Values& with, std::uint32_t nelems, dmapp_c_type_t type,
             dmapp_c_op_t op);

/// Begins the operation that `set` describes (out, nelems, type, op, values).
void begin(dmapp_c_pset& set);
/// Goes on with it as far as it can. True: none is under way any more; set.sent says whether what
/// this member has sent has failed.
bool advance(State& state, dmapp_c_pset& set);

}  // namespace dmapp
