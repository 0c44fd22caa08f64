// The accessor functions of completion queue entries.
#include "ugni_emu/nic/cq_entry_bits.h"

namespace entry = nic::cq_entry;

namespace {
constexpr std::uint64_t word_mask = entry::low_bits(32);
}  // namespace

uint64_t gni_cq_get_data(gni_cq_entry_t e) { return entry::field(e, 0, entry::data_mask); }
uint64_t gni_cq_get_source(gni_cq_entry_t e) { return entry::field(e, entry::source_shift, 1); }
uint64_t gni_cq_get_status(gni_cq_entry_t e) {
  return entry::field(e, entry::status_shift, entry::status_mask);
}
uint64_t gni_cq_get_info(gni_cq_entry_t e) { return gni_cq_get_status(e); }
uint64_t gni_cq_overrun(gni_cq_entry_t e) { return entry::field(e, entry::overrun_shift, 1); }
uint64_t gni_cq_rem_overrun(gni_cq_entry_t e) {
  return entry::field(e, entry::remote_overrun_shift, 1);
}
uint64_t gni_cq_get_inst_id(gni_cq_entry_t e) { return entry::field(e, 0, word_mask); }
uint64_t gni_cq_get_rem_inst_id(gni_cq_entry_t e) { return entry::field(e, 0, word_mask); }
uint64_t gni_cq_get_tid(gni_cq_entry_t e) {
  return entry::field(e, entry::tid_shift, entry::tid_mask);
}
uint64_t gni_cq_get_msg_id(gni_cq_entry_t e) { return entry::field(e, 0, word_mask); }
uint64_t gni_cq_get_type(gni_cq_entry_t e) { return entry::field(e, entry::type_shift, 3); }
uint64_t gni_cq_get_trans_type(gni_cq_entry_t e) {
  return entry::field(e, entry::kind_shift, entry::kind_mask);
}

// The events of a collective engine.
uint64_t gni_cq_get_ce_id(gni_cq_entry_t e) {
  return entry::is_of_engine(e) ? entry::field(e, entry::tid_shift, entry::tid_mask) : 0;
}
uint64_t gni_cq_get_reductn_id(gni_cq_entry_t e) {
  return entry::is_of_engine(e) ? entry::field(e, 0, word_mask) : 0;
}

// Fields of Aries' block transfer lists: no entry here has any.
uint64_t gni_cq_get_block_id(gni_cq_entry_t) { return 0; }
uint64_t gni_cq_get_unsuccessful_cnt(gni_cq_entry_t) { return 0; }
uint64_t gni_cq_get_marker_id(gni_cq_entry_t) { return 0; }
uint64_t gni_cq_get_failed_enqueue_cnt(gni_cq_entry_t) { return 0; }
unsigned gni_cq_status_dla_overflow(gni_cq_entry_t) { return 0; }
unsigned gni_cq_bte_enq_status(gni_cq_entry_t) { return 0; }

void gni_cq_set_inst_id(gni_cq_entry_t* e, uint64_t value) {
  entry::set_field(*e, 0, word_mask, value);
}
void gni_cq_set_rem_inst_id(gni_cq_entry_t* e, uint64_t value) {
  entry::set_field(*e, 0, word_mask, value);
}
void gni_cq_set_tid(gni_cq_entry_t* e, uint64_t value) {
  entry::set_field(*e, entry::tid_shift, entry::tid_mask, value);
}
void gni_cq_set_msg_id(gni_cq_entry_t* e, uint64_t value) {
  entry::set_field(*e, 0, word_mask, value);
}
void gni_cq_set_type(gni_cq_entry_t* e, uint64_t value) {
  entry::set_field(*e, entry::type_shift, 3, value);
}
void gni_cq_clr_status(gni_cq_entry_t* e) {
  entry::set_field(*e, entry::status_shift, entry::status_mask, 0);
}
