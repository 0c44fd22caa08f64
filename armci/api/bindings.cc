// ARMCI functions: puts, gets and accumulates in all their forms.
#include <vector>

#include "armci/api/transfer_arguments.h"

namespace {

using armci::Kind;
using armci::What;
using armci::When;

constexpr What put{Kind::put};
constexpr What get{Kind::get};
What accumulate(int type, const void* scale) { return {Kind::accumulate, type, scale}; }
When under(armci_hdl_t* handle) { return {false, handle}; }
constexpr When now{};

/// The classic dialect's lists: the same with two fields the other way round.
struct ClassicList {
  void** src_ptr_array;
  void** dst_ptr_array;
  int ptr_array_len;
  int bytes;
};

template <typename List>
int listed(const char* function, const What& what, const List* lists, int n, int proc, When when) {
  if (lists == nullptr || n < 1) return armci::listed(function, what, nullptr, n, proc, when);
  std::vector<armci::Pairs> pairs;
  pairs.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    pairs.push_back(
        {lists[i].src_ptr_array, lists[i].dst_ptr_array, lists[i].ptr_array_len, lists[i].bytes});
  }
  return armci::listed(function, what, pairs.data(), n, proc, when);
}

/// Data, and then a flag that no rank sees before them. A flag that cannot be put keeps the data
/// back, too.
template <typename PutData>
int with_flag(const char* function, int* flag, int value, int proc, PutData put_data) {
  {
    const armci::Call call(function);
    if (flag == nullptr) return armci::bad_base;
    armci::Transfer transfer;
    transfer.proc = proc;
    transfer.remote.base = reinterpret_cast<std::byte*>(flag);
    transfer.remote.strides.count[0] = sizeof value;
    if (call.is_rank(proc) && !call->client().reaches(transfer)) return armci::refused;
  }
  if (const int result = put_data(); result != armci::ok) return result;
  {
    const armci::Call call(function);
    call->client().fence(proc);
  }
  return armci::contiguous(function, put, &value, flag, sizeof value, proc, now);
}

}  // namespace

extern "C" {

int PARMCI_Put(void* src, void* dst, int bytes, int proc) {
  return armci::contiguous("ARMCI_Put", put, src, dst, bytes, proc, now);
}
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  return armci::contiguous("ARMCI_NbPut", put, src, dst, bytes, proc, under(handle));
}
int PARMCI_Get(void* src, void* dst, int bytes, int proc) {
  return armci::contiguous("ARMCI_Get", get, src, dst, bytes, proc, now);
}
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  return armci::contiguous("ARMCI_NbGet", get, src, dst, bytes, proc, under(handle));
}
int PARMCI_Acc(int type, void* scale, void* src, void* dst, int bytes, int proc) {
  return armci::contiguous("ARMCI_Acc", accumulate(type, scale), src, dst, bytes, proc, now);
}
int PARMCI_NbAcc(int type, void* scale, void* src, void* dst, int bytes, int proc,
                 armci_hdl_t* handle) {
  return armci::contiguous("ARMCI_NbAcc", accumulate(type, scale), src, dst, bytes, proc,
                           under(handle));
}

int PARMCI_PutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                int proc) {
  return armci::strided("ARMCI_PutS", put, src, src_stride, dst, dst_stride, count, levels, proc,
                        now);
}
int PARMCI_NbPutS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                  int proc, armci_hdl_t* handle) {
  return armci::strided("ARMCI_NbPutS", put, src, src_stride, dst, dst_stride, count, levels, proc,
                        under(handle));
}
int PARMCI_GetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                int proc) {
  return armci::strided("ARMCI_GetS", get, src, src_stride, dst, dst_stride, count, levels, proc,
                        now);
}
int PARMCI_NbGetS(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                  int proc, armci_hdl_t* handle) {
  return armci::strided("ARMCI_NbGetS", get, src, src_stride, dst, dst_stride, count, levels, proc,
                        under(handle));
}
int PARMCI_AccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                int* count, int levels, int proc) {
  return armci::strided("ARMCI_AccS", accumulate(type, scale), src, src_stride, dst, dst_stride,
                        count, levels, proc, now);
}
int PARMCI_NbAccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                  int* count, int levels, int proc, armci_hdl_t* handle) {
  return armci::strided("ARMCI_NbAccS", accumulate(type, scale), src, src_stride, dst, dst_stride,
                        count, levels, proc, under(handle));
}

int PARMCI_PutV(armci_giov_t* lists, int n, int proc) {
  return listed("ARMCI_PutV", put, lists, n, proc, now);
}
int PARMCI_NbPutV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle) {
  return listed("ARMCI_NbPutV", put, lists, n, proc, under(handle));
}
int PARMCI_GetV(armci_giov_t* lists, int n, int proc) {
  return listed("ARMCI_GetV", get, lists, n, proc, now);
}
int PARMCI_NbGetV(armci_giov_t* lists, int n, int proc, armci_hdl_t* handle) {
  return listed("ARMCI_NbGetV", get, lists, n, proc, under(handle));
}
int PARMCI_AccV(int type, void* scale, armci_giov_t* lists, int n, int proc) {
  return listed("ARMCI_AccV", accumulate(type, scale), lists, n, proc, now);
}
int PARMCI_NbAccV(int type, void* scale, armci_giov_t* lists, int n, int proc,
                  armci_hdl_t* handle) {
  return listed("ARMCI_NbAccV", accumulate(type, scale), lists, n, proc, under(handle));
}

int PARMCI_PutV_classic(ClassicList* lists, int n, int proc) {
  return listed("ARMCI_PutV", put, lists, n, proc, now);
}
int PARMCI_NbPutV_classic(ClassicList* lists, int n, int proc, armci_hdl_t* handle) {
  return listed("ARMCI_NbPutV", put, lists, n, proc, under(handle));
}
int PARMCI_GetV_classic(ClassicList* lists, int n, int proc) {
  return listed("ARMCI_GetV", get, lists, n, proc, now);
}
int PARMCI_NbGetV_classic(ClassicList* lists, int n, int proc, armci_hdl_t* handle) {
  return listed("ARMCI_NbGetV", get, lists, n, proc, under(handle));
}
int PARMCI_AccV_classic(int type, void* scale, ClassicList* lists, int n, int proc) {
  return listed("ARMCI_AccV", accumulate(type, scale), lists, n, proc, now);
}
int PARMCI_NbAccV_classic(int type, void* scale, ClassicList* lists, int n, int proc,
                          armci_hdl_t* handle) {
  return listed("ARMCI_NbAccV", accumulate(type, scale), lists, n, proc, under(handle));
}

int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  return with_flag("ARMCI_Put_flag", flag, value, proc,
                   [&] { return PARMCI_Put(src, dst, bytes, proc); });
}
int PARMCI_PutS_flag(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels,
                     int* flag, int value, int proc) {
  return with_flag("ARMCI_PutS_flag", flag, value, proc, [&] {
    return PARMCI_PutS(src, src_stride, dst, dst_stride, count, levels, proc);
  });
}
int PARMCI_PutS_flag_dir(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int levels, int* flag, int value, int proc) {
  return PARMCI_PutS_flag(src, src_stride, dst, dst_stride, count, levels, flag, value, proc);
}

}  // extern "C"

#define ARMCI_PUBLIC_CLASSIC(name)                                    \
  extern "C" decltype(PARMCI_##name##_classic) ARMCI_##name##_classic \
      __attribute__((weak, alias("PARMCI_" #name "_classic")))
ARMCI_PUBLIC(Put);
ARMCI_PUBLIC(NbPut);
ARMCI_PUBLIC(Get);
ARMCI_PUBLIC(NbGet);
ARMCI_PUBLIC(Acc);
ARMCI_PUBLIC(NbAcc);
ARMCI_PUBLIC(PutS);
ARMCI_PUBLIC(NbPutS);
ARMCI_PUBLIC(GetS);
ARMCI_PUBLIC(NbGetS);
ARMCI_PUBLIC(AccS);
ARMCI_PUBLIC(NbAccS);
ARMCI_PUBLIC(PutV);
ARMCI_PUBLIC(NbPutV);
ARMCI_PUBLIC(GetV);
ARMCI_PUBLIC(NbGetV);
ARMCI_PUBLIC(AccV);
ARMCI_PUBLIC(NbAccV);
ARMCI_PUBLIC_CLASSIC(PutV);
ARMCI_PUBLIC_CLASSIC(NbPutV);
ARMCI_PUBLIC_CLASSIC(GetV);
ARMCI_PUBLIC_CLASSIC(NbGetV);
ARMCI_PUBLIC_CLASSIC(AccV);
ARMCI_PUBLIC_CLASSIC(NbAccV);
ARMCI_PUBLIC(Put_flag);
ARMCI_PUBLIC(PutS_flag);
ARMCI_PUBLIC(PutS_flag_dir);
