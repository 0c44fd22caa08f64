// Calls that no other rank hears of, and files.
#include <vector>

#include "apps/traces/replay/replayed_calls.h"
#include "corespec_work.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

/// A question to a rank's own library.
void nothing(ReplayedRank&, const Call&) {}

/// The modelled machine has no file system: it takes as long as in the trace.
void as_long(ReplayedRank&, const Call& call) {
  corespec_work_ns(static_cast<double>(call.wall->exit - call.wall->entry));
}

/// Its request is over at once.
void as_long_with_request(ReplayedRank& rank, const Call& call) {
  as_long(rank, call);
  rank.keep(call.number("request"), MPI_REQUEST_NULL, false);
}

constexpr Label asks[] = {
    Label::Get_count,
    Label::Buffer_attach,
    Label::Buffer_detach,
    Label::Test_cancelled,
    Label::Type_contiguous,
    Label::Type_vector,
    Label::Type_hvector,
    Label::Type_indexed,
    Label::Type_hindexed,
    Label::Type_struct,
    Label::Address,
    Label::Type_extent,
    Label::Type_size,
    Label::Type_lb,
    Label::Type_ub,
    Label::Type_commit,
    Label::Type_free,
    Label::Get_elements,
    Label::Pack,
    Label::Unpack,
    Label::Pack_size,
    Label::Op_create,
    Label::Op_free,
    Label::Group_size,
    Label::Group_rank,
    Label::Group_translate_ranks,
    Label::Group_compare,
    Label::Comm_size,
    Label::Comm_rank,
    Label::Comm_test_inter,
    Label::Comm_remote_size,
    Label::Keyval_create,
    Label::Keyval_free,
    Label::Attr_put,
    Label::Attr_get,
    Label::Attr_delete,
    Label::Topo_test,
    Label::Dims_create,
    Label::Graphdims_get,
    Label::Graph_get,
    Label::Cartdim_get,
    Label::Cart_get,
    Label::Cart_rank,
    Label::Cart_coords,
    Label::Graph_neighbors_count,
    Label::Graph_neighbors,
    Label::Cart_shift,
    Label::Get_processor_name,
    Label::Get_version,
    Label::Errhandler_create,
    Label::Errhandler_set,
    Label::Errhandler_get,
    Label::Errhandler_free,
    Label::Error_string,
    Label::Error_class,
    Label::Wtime,
    Label::Wtick,
    Label::Initialized,
    Label::Comm_get_parent,
    Label::Add_error_class,
    Label::Add_error_code,
    Label::Add_error_string,
    Label::Comm_create_keyval,
    Label::Comm_delete_attr,
    Label::Comm_free_keyval,
    Label::Comm_get_attr,
    Label::Comm_get_name,
    Label::Comm_set_attr,
    Label::Comm_set_name,
    Label::Is_thread_main,
    Label::Query_thread,
    Label::Status_set_cancelled,
    Label::Status_set_elements,
    Label::Type_create_keyval,
    Label::Type_delete_attr,
    Label::Type_dup,
    Label::Type_free_keyval,
    Label::Type_get_attr,
    Label::Type_get_contents,
    Label::Type_get_envelope,
    Label::Type_get_name,
    Label::Type_set_attr,
    Label::Type_set_name,
    Label::Type_match_size,
    Label::Win_create_keyval,
    Label::Win_delete_attr,
    Label::Win_free_keyval,
    Label::Win_get_attr,
    Label::Win_get_name,
    Label::Win_set_attr,
    Label::Win_set_name,
    Label::Alloc_mem,
    Label::Comm_create_errhandler,
    Label::Comm_get_errhandler,
    Label::Comm_set_errhandler,
    Label::File_create_errhandler,
    Label::File_get_errhandler,
    Label::File_set_errhandler,
    Label::Finalized,
    Label::Free_mem,
    Label::Get_address,
    Label::Info_create,
    Label::Info_delete,
    Label::Info_dup,
    Label::Info_free,
    Label::Info_get,
    Label::Info_get_nkeys,
    Label::Info_get_nthkey,
    Label::Info_get_valuelen,
    Label::Info_set,
    Label::Pack_external,
    Label::Pack_external_size,
    Label::Type_create_darray,
    Label::Type_create_hindexed,
    Label::Type_create_hvector,
    Label::Type_create_indexed_block,
    Label::Type_create_resized,
    Label::Type_create_struct,
    Label::Type_create_subarray,
    Label::Type_get_extent,
    Label::Type_get_true_extent,
    Label::Unpack_external,
    Label::Win_create_errhandler,
    Label::Win_get_errhandler,
    Label::Win_set_errhandler,
    Label::File_set_info,
    Label::File_get_info,
    Label::File_get_group,
    Label::File_get_amode,
    Label::File_get_view,
    Label::File_get_type_extent,
    Label::File_get_atomicity,
    Label::Register_datarep,
    Label::Function_enter,
    Label::Function_exit,
};

constexpr Label files[] = {
    Label::File_open,
    Label::File_close,
    Label::File_delete,
    Label::File_set_size,
    Label::File_preallocate,
    Label::File_get_size,
    Label::File_set_view,
    Label::File_read_at,
    Label::File_read_at_all,
    Label::File_write_at,
    Label::File_write_at_all,
    Label::File_read,
    Label::File_read_all,
    Label::File_write,
    Label::File_write_all,
    Label::File_seek,
    Label::File_get_position,
    Label::File_get_byte_offset,
    Label::File_read_shared,
    Label::File_write_shared,
    Label::File_read_ordered,
    Label::File_write_ordered,
    Label::File_seek_shared,
    Label::File_get_position_shared,
    Label::File_read_at_all_begin,
    Label::File_read_at_all_end,
    Label::File_write_at_all_begin,
    Label::File_write_at_all_end,
    Label::File_read_all_begin,
    Label::File_read_all_end,
    Label::File_write_all_begin,
    Label::File_write_all_end,
    Label::File_read_ordered_begin,
    Label::File_read_ordered_end,
    Label::File_write_ordered_begin,
    Label::File_write_ordered_end,
    Label::File_set_atomicity,
    Label::File_sync,
    Label::MPIO_Test,
    Label::MPIO_Wait,
    Label::MPIO_Testall,
    Label::MPIO_Waitall,
    Label::MPIO_Testany,
    Label::MPIO_Waitany,
    Label::MPIO_Waitsome,
    Label::MPIO_Testsome,
};

constexpr Label files_with_requests[] = {
    Label::File_iread_at, Label::File_iwrite_at,    Label::File_iread,
    Label::File_iwrite,   Label::File_iread_shared, Label::File_iwrite_shared,
};

}  // namespace

std::span<const ReplayedCall> local_calls() {
  static const std::vector<ReplayedCall> all = [] {
    std::vector<ReplayedCall> made;
    for (const Label each : asks) made.push_back({each, nothing});
    for (const Label each : files) made.push_back({each, as_long});
    for (const Label each : files_with_requests) made.push_back({each, as_long_with_request});
    return made;
  }();
  return all;
}

}  // namespace replay
