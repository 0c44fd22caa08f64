// libfabric, loaded when a process first needs it.
#pragma once

#include <rdma/fabric.h>

#include <array>
#include <csignal>

namespace ugni::fabric {

/// Keeps every signal's action as it is: what libfabric loads takes some over for good (to print
/// backtraces, to remove its files), and they are the program's.
class KeptSignals {
 public:
  KeptSignals();
  ~KeptSignals();
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  std::array<struct sigaction, 32> kept_{};
};

/// Makes libfabric's ofi_rxm keep fewer and smaller buffers of its own (by default they take some
/// 70 MB a process): as large as the messages here. By its variables in the environment, which is
/// the only way to tell it, unless they are set. To be called before the first getinfo().
void ask_for_small_buffers();

/// The few functions of libfabric that are not called through its objects. It is not linked: its
/// drivers act when they are loaded, and no run in virtual time is to pay for them.
struct Library {
  /// Throws std::runtime_error if it is not installed. Once loaded it stays.
  Library();

  void* handle = nullptr;  ///< from dlopen()

  decltype(&::fi_getinfo) getinfo = nullptr;
  decltype(&::fi_freeinfo) freeinfo = nullptr;
  decltype(&::fi_dupinfo) dupinfo = nullptr;
  decltype(&::fi_fabric) fabric = nullptr;
  decltype(&::fi_strerror) strerror = nullptr;
};

}  // namespace ugni::fabric
