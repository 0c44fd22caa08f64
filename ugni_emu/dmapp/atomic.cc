// DMAPP functions: atomics, done by the target's NIC.
#include "ugni_emu/dmapp/dmapp_call.h"

namespace {

using dmapp::Ending;
using dmapp::Remote;
using dmapp::State;

constexpr std::uint64_t word_bytes = 8;

/// `result` (null: not a fetching one) is given the old value of the word at `word`.
dmapp_return_t atomic(const Ending& ending, gni_fma_cmd_type_t command, bool fetches, void* result,
                      void* word, dmapp_seg_desc_t* segment, dmapp_pe_t pe, std::int64_t first,
                      std::int64_t second) {
  Remote remote;
  return dmapp::transfer(
      ending,
      [&](State& state) {
        if (segment == nullptr || word == nullptr || (fetches && result == nullptr) ||
            !state.is_pe(pe)) {
          return DMAPP_RC_INVALID_PARAM;
        }
        const auto odd = [](const void* address) {
          return reinterpret_cast<std::uint64_t>(address) % word_bytes != 0;
        };
        if (odd(word) || odd(result)) return DMAPP_RC_ALIGNMENT_ERROR;
        return state.find(*segment, pe, word, word_bytes, remote) ? DMAPP_RC_SUCCESS
                                                                  : DMAPP_RC_INVALID_PARAM;
      },
      [&](State& state, rma::Completion& completion) {
        state.port().insist([&] {
          return state.port().atomic(completion, pe, command, remote.address, remote.memory,
                                     static_cast<std::uint64_t>(first),
                                     static_cast<std::uint64_t>(second), result);
        });
      });
}

}  // namespace

#define DMAPP_ATOMIC_FORMS(name, command, fetches, parameters, result, word, first, second)        \
  dmapp_return_t dmapp_##name(DMAPP_UNWRAP parameters) {                                           \
    return atomic(dmapp::blocking("dmapp_" #name), command, fetches, result, word, segment, pe,    \
                  first, second);                                                                  \
  }                                                                                                \
  dmapp_return_t dmapp_##name##_nbi(DMAPP_UNWRAP parameters) {                                     \
    return atomic(dmapp::implicit("dmapp_" #name "_nbi"), command, fetches, result, word, segment, \
                  pe, first, second);                                                              \
  }                                                                                                \
  dmapp_return_t dmapp_##name##_nb(DMAPP_UNWRAP parameters, dmapp_syncid_handle_t* syncid) {       \
    return atomic(dmapp::by_id("dmapp_" #name "_nb", syncid), command, fetches, result, word,      \
                  segment, pe, first, second);                                                     \
  }
#define DMAPP_UNWRAP(...) __VA_ARGS__
#define DMAPP_PLAIN(name, command)                                                              \
  DMAPP_ATOMIC_FORMS(name, command, false,                                                      \
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe, int64_t operand), \
                     nullptr, target, operand, 0)
#define DMAPP_FETCHING(name, command)                                                          \
  DMAPP_ATOMIC_FORMS(                                                                          \
      name, command, true,                                                                     \
      (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe, int64_t operand), \
      target, source, operand, 0)
#define DMAPP_TWO_OPERANDS(name, command)                                                   \
  DMAPP_ATOMIC_FORMS(name, command, true,                                                   \
                     (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe, \
                      int64_t first, int64_t second),                                       \
                     target, source, first, second)

namespace {

/// The NIC's command of a record; an error where there is none.
struct Command {
  dmapp_return_t error = DMAPP_RC_SUCCESS;
  gni_fma_cmd_type_t command{};
};

Command command_of(const dmapp_amo_t* amo, bool fetches) {
  if (amo == nullptr || dmapp::bytes_of(amo->type) == 0) return {DMAPP_RC_INVALID_PARAM, {}};
  if (amo->type != DMAPP_QW) return {DMAPP_RC_NOT_SUPPORTED, {}};
  const auto one_of = [fetches](gni_fma_cmd_type_t plain, gni_fma_cmd_type_t fetching) {
    return Command{DMAPP_RC_SUCCESS, fetches ? fetching : plain};
  };
  switch (amo->op) {
    case DMAPP_AMO_ADD:
      return one_of(GNI_FMA_ATOMIC_ADD, GNI_FMA_ATOMIC_FADD);
    case DMAPP_AMO_AND:
      return one_of(GNI_FMA_ATOMIC_AND, GNI_FMA_ATOMIC_FAND);
    case DMAPP_AMO_OR:
      return one_of(GNI_FMA_ATOMIC_OR, GNI_FMA_ATOMIC_FOR);
    case DMAPP_AMO_XOR:
      return one_of(GNI_FMA_ATOMIC_XOR, GNI_FMA_ATOMIC_FXOR);
    case DMAPP_AMO_AX:
      return one_of(GNI_FMA_ATOMIC_AX, GNI_FMA_ATOMIC_FAX);
    case DMAPP_AMO_CSWAP:
      if (!fetches) return {DMAPP_RC_NOT_SUPPORTED, {}};
      return {DMAPP_RC_SUCCESS, GNI_FMA_ATOMIC_CSWAP};
  }
  return {DMAPP_RC_INVALID_PARAM, {}};
}

dmapp_return_t by_record(const Ending& ending, const dmapp_amo_t* amo, bool fetches, void* result,
                         void* word, dmapp_seg_desc_t* segment, dmapp_pe_t pe) {
  const Command command = command_of(amo, fetches);
  if (command.error != DMAPP_RC_SUCCESS) return command.error;
  return atomic(ending, command.command, fetches, result, word, segment, pe, amo->operand1,
                amo->operand2);
}

}  // namespace

extern "C" {

dmapp_return_t dmapp_amo_put(void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                             dmapp_amo_t* amo) {
  return by_record(dmapp::blocking("dmapp_amo_put"), amo, false, nullptr, target, segment, pe);
}

dmapp_return_t dmapp_amo_put_nb(void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                                dmapp_amo_t* amo, dmapp_syncid_handle_t* syncid) {
  return by_record(dmapp::by_id("dmapp_amo_put_nb", syncid), amo, false, nullptr, target, segment,
                   pe);
}

dmapp_return_t dmapp_amo_put_nbi(void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                                 dmapp_amo_t* amo) {
  return by_record(dmapp::implicit("dmapp_amo_put_nbi"), amo, false, nullptr, target, segment, pe);
}

dmapp_return_t dmapp_amo_get(void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                             dmapp_amo_t* amo) {
  return by_record(dmapp::blocking("dmapp_amo_get"), amo, true, target, source, segment, pe);
}

dmapp_return_t dmapp_amo_get_nb(void* target, void* source, dmapp_seg_desc_t* segment,
                                dmapp_pe_t pe, dmapp_amo_t* amo, dmapp_syncid_handle_t* syncid) {
  return by_record(dmapp::by_id("dmapp_amo_get_nb", syncid), amo, true, target, source, segment,
                   pe);
}

dmapp_return_t dmapp_amo_get_nbi(void* target, void* source, dmapp_seg_desc_t* segment,
                                 dmapp_pe_t pe, dmapp_amo_t* amo) {
  return by_record(dmapp::implicit("dmapp_amo_get_nbi"), amo, true, target, source, segment, pe);
}

dmapp_return_t dmapp_amo_flush(dmapp_pe_t pe, uint64_t flags) {
  return dmapp::call([&](State& state) {
    return flags == 0 && state.is_pe(pe) ? DMAPP_RC_SUCCESS : DMAPP_RC_INVALID_PARAM;
  });
}

DMAPP_PLAIN(aadd_qw, GNI_FMA_ATOMIC_ADD)
DMAPP_PLAIN(aand_qw, GNI_FMA_ATOMIC_AND)
DMAPP_PLAIN(aor_qw, GNI_FMA_ATOMIC_OR)
DMAPP_PLAIN(axor_qw, GNI_FMA_ATOMIC_XOR)
DMAPP_FETCHING(afadd_qw, GNI_FMA_ATOMIC_FADD)
DMAPP_FETCHING(afand_qw, GNI_FMA_ATOMIC_FAND)
DMAPP_FETCHING(afor_qw, GNI_FMA_ATOMIC_FOR)
DMAPP_FETCHING(afxor_qw, GNI_FMA_ATOMIC_FXOR)
DMAPP_TWO_OPERANDS(afax_qw, GNI_FMA_ATOMIC_FAX)
DMAPP_TWO_OPERANDS(acswap_qw, GNI_FMA_ATOMIC_CSWAP)

}  // extern "C"
