// An attribute: a key and its value, as C and as Fortran see it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "netmod/include/mpi.h"

namespace netmod {

/// What C set is a pointer, what Fortran set an integer. Each language sees what the other set (MPI
/// 3.1, 17.2.7): C a pointer to the integer, Fortran the pointer as an integer. One address serves
/// as a pointer to an int and to an MPI_Aint: Fortran's shorter integers are sign-extended.
class AttributeValue {
 public:
  AttributeValue() = default;
  explicit AttributeValue(void* pointer) : pointer_(pointer) {}
  static AttributeValue integer(MPI_Aint set_by_fortran) {
    AttributeValue value;
    value.integer_ = std::make_shared<MPI_Aint>(set_by_fortran);
    return value;
  }

  /// To an integer of Fortran's: as long as any copy of the value is there.
  void* in_c() const { return integer_ != nullptr ? integer_.get() : pointer_; }
  MPI_Aint in_fortran() const {
    return integer_ != nullptr ? *integer_ : reinterpret_cast<MPI_Aint>(pointer_);
  }

  /// What becomes of the value when C's copy function made `copy` of in_c(), and Fortran's of
  /// in_fortran(). A function that copies an address unchanged means the value: an integer is one
  /// anew.
  AttributeValue copied_in_c(void* copy) const {
    return copy == in_c() ? renewed(in_fortran()) : AttributeValue(copy);
  }
  AttributeValue copied_in_fortran(MPI_Aint copy) const { return renewed(copy); }

 private:
  /// Of the same language.
  AttributeValue renewed(MPI_Aint value) const {
    if (integer_ != nullptr) return integer(value);
    return AttributeValue(reinterpret_cast<void*>(value));  // NOLINT(performance-no-int-to-ptr)
  }

  void* pointer_ = nullptr;
  std::shared_ptr<MPI_Aint> integer_;  ///< null: C's
};

/// Of one object, by key, in order of setting.
using Attributes = std::vector<std::pair<int, AttributeValue>>;

}  // namespace netmod
