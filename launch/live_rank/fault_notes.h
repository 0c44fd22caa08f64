// What goes wrong by a plan in a rank's process, for its launcher.
#pragma once

#include <string>
#include <vector>

#include "ugni_emu/faults/occasions.h"

namespace launch {

/// Keeps each in a file before it happens: it may be the last thing that the process does.
class FaultNotes {
 public:
  /// `name`: of the file; empty: the launcher wants none.
  explicit FaultNotes(const std::string& name);
  ~FaultNotes();
  FaultNotes(const FaultNotes&) = delete;
  FaultNotes& operator=(const FaultNotes&) = delete;

  void add(const faults::Fault& fault) const;

  /// Those of a file; none if it is not there.
  static std::vector<faults::Fault> read(const std::string& name);

 private:
  int file_ = -1;
};

}  // namespace launch
