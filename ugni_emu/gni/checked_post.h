// A descriptor that was checked, and what it is for the NIC and the wire.
#pragma once

#include <cstdint>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/nic.h"

namespace gni {

/// A descriptor that was found to be right, and what it means.
struct CheckedPost {
  nic::Endpoint* endpoint = nullptr;
  nic::CompletionQueue* queue = nullptr;
  const gni_post_descriptor_t* descriptor = nullptr;
  ugni::TransactionKind kind = ugni::TransactionKind::put;
  std::uint64_t local_handle = 0;  ///< 0: the local memory needs no registration
};

/// The kind of transaction that GNI_PostFma() and GNI_CtPostFma() make of the type; false: none.
bool fma_kind(gni_post_type_t type, ugni::TransactionKind& kind);

/// What posts of all kinds need.
gni_return_t check_post(const Caller& caller, gni_ep_handle_t ep_hndl,
                        const gni_post_descriptor_t* descriptor, ugni::TransactionKind kind,
                        CheckedPost& checked);
/// Lengths, addresses and alignment of a PUT or GET; the local memory if it has to be registered.
gni_return_t check_transfer(CheckedPost& checked, bool local_registration);
/// So many bytes of the process's own registered memory: SUCCESS, PERMISSION_ERROR, INVALID_PARAM.
gni_return_t check_local_memory(nic::Domain& domain, const gni_mem_handle_t& handle,
                                std::uint64_t address, std::uint64_t length,
                                nic::RegionTable::Access access);
/// FMA transfers and AMOs: PUTs need no registration here, and GETs into memory that may not be
/// written are plain bad parameters.
gni_return_t check_fma(CheckedPost& checked);

/// The local events that it asks for.
std::uint8_t events_of(const CheckedPost& checked);
/// The descriptor in the NIC's and the wire's terms. The event brings back `returned`.
void fill(const nic::Posting& posting, const CheckedPost& checked, gni_post_descriptor_t* returned);
/// The CPU's time to write so many bytes through the window.
corespec::Time fma_cost(const corespec::Parameters& parameters, std::uint64_t bytes);

}  // namespace gni
