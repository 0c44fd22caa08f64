// "external32": numbers turned round, and those with other sizes there converted.
#include "netmod/mpi/datatypes/external32.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "netmod/mpi/calls/errors.h"

namespace netmod {
namespace {

static_assert(std::endian::native == std::endian::little);

/// How a basic type is written: `parts` numbers of `native` bytes here, `external` there.
struct Form {
  int parts = 1;
  int native = 1;
  int external = 1;
  bool is_signed = false;
  bool extended = false;  ///< the host's 80 bits, 128 there
};

Form form_of(const BasicType& type) {
  Form form;
  form.parts = type.kind == BasicKind::complex ? 2 : 1;
  form.native = form.external = type.size / form.parts;
  form.is_signed = type.kind == BasicKind::signed_integer;
  const bool floating = type.kind == BasicKind::floating || type.kind == BasicKind::complex;
  form.extended = floating && form.native == 16 && !of_quads(type);
  switch (type.handle) {
    case MPI_LONG:
    case MPI_UNSIGNED_LONG:
      form.external = 4;
      break;
    case MPI_WCHAR:
      form.external = 2;
      break;
    default:
      break;
  }
  return form;
}

void reverse(std::byte* to, const std::byte* from, int bytes) {
  std::reverse_copy(from, from + bytes, to);
}

/// Writes a little-endian integer with fewer or more bytes.
void resize(std::byte* to, int to_bytes, const std::byte* from, int from_bytes, bool is_signed) {
  const bool negative = is_signed && (from[from_bytes - 1] & std::byte{0x80}) != std::byte{0};
  const std::byte filling{negative ? std::uint8_t{0xff} : std::uint8_t{0}};
  for (int i = 0; i < to_bytes; ++i) to[i] = i < from_bytes ? from[i] : filling;
  bool fits = to_bytes >= from_bytes || !is_signed ||
              ((to[to_bytes - 1] & std::byte{0x80}) != std::byte{0}) == negative;
  for (int i = to_bytes; i < from_bytes; ++i) fits = fits && from[i] == filling;
  if (!fits) {
    fail(MPI_ERR_CONVERSION,
         fmt::format("a number does not fit into the {} bytes it has in the other representation",
                     to_bytes));
  }
}

void number_to_external(const Form& form, const std::byte* native, std::byte* external) {
  std::byte little[16];
  if (form.extended) {
    long double value = 0;
    std::memcpy(&value, native, sizeof value);
    const Quad quad = value;
    std::memcpy(little, &quad, sizeof quad);
    reverse(external, little, 16);
  } else if (form.native == form.external) {
    reverse(external, native, form.native);
  } else {
    resize(little, form.external, native, form.native, form.is_signed);
    reverse(external, little, form.external);
  }
}

void number_from_external(const Form& form, const std::byte* external, std::byte* native) {
  std::byte little[16];
  reverse(little, external, form.external);
  if (form.extended) {
    Quad quad = 0;
    std::memcpy(&quad, little, sizeof quad);
    const auto value = static_cast<long double>(quad);
    std::memset(native, 0, sizeof value);
    std::memcpy(native, &value, 10);
  } else {
    resize(native, form.native, little, form.external, form.is_signed);
  }
}

/// Runs `number(form, native, external)` on every number; both pointers move on.
template <class Native, class External, class Number>
void for_numbers(const Signature& signature, std::int64_t count, Native*& native,
                 External*& external, const Number& number) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Signature::Item& item : signature.items()) {
      if (item.basic == nullptr) {
        for_numbers(*item.child, item.count, native, external, number);
        continue;
      }
      const Form form = form_of(*item.basic);
      for (std::int64_t left = item.count * form.parts; left > 0; --left) {
        number(form, native, external);
        native += form.native;
        external += form.external;
      }
    }
  }
}

}  // namespace

std::int64_t external_bytes(const Signature& signature) {
  std::int64_t bytes = 0;
  for (const Signature::Item& item : signature.items()) {
    std::int64_t each = 0;
    if (item.basic == nullptr) {
      each = external_bytes(*item.child);
    } else {
      const Form form = form_of(*item.basic);
      each = std::int64_t{form.parts} * form.external;
    }
    bytes += item.count * each;
  }
  return bytes;
}

void to_external(const Signature& signature, std::int64_t count, const std::byte* native,
                 std::byte* external) {
  for_numbers(signature, count, native, external,
              [](const Form& form, const std::byte* from, std::byte* to) {
                number_to_external(form, from, to);
              });
}

void from_external(const Signature& signature, std::int64_t count, const std::byte* external,
                   std::byte* native) {
  for_numbers(signature, count, native, external,
              [](const Form& form, std::byte* to, const std::byte* from) {
                number_from_external(form, from, to);
              });
}

}  // namespace netmod
