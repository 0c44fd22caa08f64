// The routers of a network, each with its NIC ports and links, in one piece of memory.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

#include "ugni_emu/gemini/message/router.h"

namespace gemini {

/// All routers of a network, by number, side by side (a link names its neighbour by number, so that
/// it fits a cache line) and never moved. A router's block holds its NIC ports, the last one first,
/// the router, its links and its NICs' Netlinks. The routers of a large network lie on huge pages:
/// a job builds all of them, whichever it uses.
class RouterArray {
 public:
  /// Room for all routers of the topology.
  RouterArray(const Timing& timing, RouterShare& share);
  ~RouterArray();
  RouterArray(const RouterArray&) = delete;
  RouterArray& operator=(const RouterArray&) = delete;

  /// Adds the next router, with its ports and links; calls `make_source` for the router, then for
  /// each NIC.
  void add(corespec::EventDomain& domain, corespec::EventDomain& nodes,
           const std::function<corespec::EventSource()>& make_source);
  /// Throws std::out_of_range.
  Router& at(std::size_t number) const {
    if (number >= size_) throw std::out_of_range("no router " + std::to_string(number));
    return *reinterpret_cast<Router*>(first_ + number * stride_);
  }

 private:
  const Timing& timing_;
  RouterShare& share_;
  unsigned links_, nics_;
  std::size_t stride_;
  std::byte* memory_ = nullptr;
  std::byte* first_ = nullptr;  ///< router 0
  std::size_t size_ = 0;
};

}  // namespace gemini
