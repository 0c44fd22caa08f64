// What DMAPP keeps for a PE: its port, segments, heap, ids under way.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>

#include "corespec/job/job.h"
#include "corespec/threads/process.h"
#include "ugni_emu/dmapp/pset.h"
#include "ugni_emu/dmapp/queue.h"
#include "ugni_emu/include/dmapp.h"
#include "ugni_emu/rma/block_heap.h"
#include "ugni_emu/rma/rma_port.h"

/// What a dmapp_syncid_handle_t points to.
struct dmapp_syncid {
  rma::Completion completion{.tells_bad_memory = true};
};

/// What a dmapp_lock_handle_t points to: a lock that is held.
struct dmapp_lock {
  std::uint64_t serving = 0;  ///< remote address of the lock's second word
  gni_mem_handle_t memory{};
  int host = -1;
};

namespace dmapp {

/// dmapp_seg_desc_t::flags: what the addresses in a segment mean.
enum SegmentKind : std::uint32_t { registered = 0, data = 1, heap = 2, reserved = 3 };

/// The symmetric segments of a PE.
struct Segments {
  dmapp_seg_desc_t data{};
  dmapp_seg_desc_t heap{};
};

/// A place in another PE's memory.
struct Remote {
  std::uint64_t address = 0;
  gni_mem_handle_t memory{};
};

class State final : public corespec::ProcessState {
 public:
  /// Opens the port and tells where the segments are, which is seen after the job's next barrier.
  /// `code` is where the program calls from: its data segment is the one of that file. Throws
  /// std::exception with one line if there is no memory for the heap.
  State(corespec::Process& process, const dmapp_rma_attrs_ext_t& attributes, const void* code);
  ~State() override;
  void add_facts(corespec::Situation& to) override;

  rma::RmaPort& port() { return port_; }
  corespec::Process& process() const { return port_.process(); }
  corespec::Job& job() const { return process().job(); }
  const Segments& own() const { return own_; }
  rma::BlockHeap& sheap() { return *heap_; }

  const dmapp_rma_attrs_ext_t& attributes() const { return attributes_; }
  void change(const dmapp_rma_attrs_ext_t& attributes);

  bool is_pe(dmapp_pe_t pe) const { return pe >= 0 && pe < job().size(); }
  /// Where [address, address + bytes) of a segment is at `pe`. False if a symmetric segment is
  /// left. `bytes` may be 0.
  bool find(const dmapp_seg_desc_t& segment, dmapp_pe_t pe, const void* address,
            std::uint64_t bytes, Remote& remote);
  /// The same for the symmetric segment that the address lies in.
  bool find_symmetric(dmapp_pe_t pe, const void* address, std::uint64_t bytes, Remote& remote);

  /// Gives back what sets of PEs have of the NIC.
  void close_psets();

  rma::Completion implicit{.tells_bad_memory = true};  ///< of all _nbi transfers
  std::list<dmapp_syncid> syncids;                     ///< under way, or not asked for since
  std::map<dmapp_syncid_handle_t, std::list<dmapp_syncid>::iterator> syncid_places;
  std::multiset<std::uint64_t> registrations;       ///< first words of handles
  std::map<std::uint64_t, std::uint64_t> reserved;  ///< ranges of dmapp_mem_reserve: ends by begins
  std::list<dmapp_lock> locks;                      ///< held
  std::unique_ptr<dmapp_queue> queue;               ///< attached
  std::list<dmapp_c_pset> psets;
  bool checkpointed = false;
  int starts = 1;  ///< dmapp_init without dmapp_finalize

 private:
  const Segments& segments_of(dmapp_pe_t pe);

  dmapp_rma_attrs_ext_t attributes_;
  rma::RmaPort port_;
  Segments own_;
  std::unique_ptr<rma::BlockHeap> heap_;
  std::map<dmapp_pe_t, Segments> peers_;  ///< those asked about so far
};

/// Defaults in place of zeros; false if a field is out of range.
bool complete(dmapp_rma_attrs_ext_t& attributes);

/// The calling PE's state after dmapp_init, or null.
State* this_state();

}  // namespace dmapp
