// Reduction operations on packed elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// An operation made by MPI_Op_create.
struct UserOp {
  MPI_User_function* function = nullptr;
  bool commutative = false;
};

/// Which operand of an operation something is.
enum class Operand : std::uint8_t { first, second };

/// inout[i] = in[i] op inout[i], or inout[i] op in[i], for `count` basic elements, packed (pairs
/// without padding). The order matters to zeros of either sign and to what is not a number.
using Kernel = void (*)(const std::byte* in, Operand in_is, std::byte* inout, std::int64_t count);

/// The kernel of a predefined operation for a basic type, or null if the standard does not define
/// it (MPI_CHAR counts as an integer, as in MPICH; MPI_REPLACE and MPI_NO_OP are one-sided only).
Kernel find_kernel(MPI_Op op, const BasicType& type);

/// True for MPI_MAX ... MPI_NO_OP.
bool is_predefined_op(MPI_Op op);

/// One reduction of a collective: an operation bound to a datatype. Data is packed.
class Reduction {
 public:
  Reduction(Kernel kernel, const TypeView& type) : kernel_(kernel), type_(type) {}
  Reduction(const UserOp& user, const TypeView& type) : user_(user), type_(type) {}

  bool commutative() const { return predefined() || user_.commutative; }
  bool predefined() const { return user_.function == nullptr; }
  const TypeView& type() const { return type_; }
  /// Bytes of `count` elements of the datatype.
  std::int64_t bytes(std::int64_t count) const { return type_.size * count; }

  /// inout = in op inout, `count` elements of the datatype; charges the modelled cost.
  void apply(const std::byte* in, std::byte* inout, std::int64_t count) const;
  /// In two parts, of a predefined operation: the cost, and what is done.
  void charge(std::int64_t count) const;
  void combine(const std::byte* in, Operand in_is, std::byte* inout, std::int64_t count) const {
    kernel_(in, in_is, inout, basic_elements(count));
  }

 private:
  std::int64_t basic_elements(std::int64_t count) const {
    return type_.basic == nullptr ? count : type_.size / type_.basic->size * count;
  }
  void apply_user(const std::byte* in, std::byte* inout, int count) const;

  Kernel kernel_ = nullptr;
  UserOp user_;  ///< or this: a copy, since the program may free its handle
  TypeView type_;
};

}  // namespace netmod
