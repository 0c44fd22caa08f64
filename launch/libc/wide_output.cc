// Interposed libc: wide characters to standard output and error, as bytes of the locale: the
// streams that RankOutput shows to programs take no others.
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>

#include "launch/libc/rank_output.h"
#include "launch/libc/real.h"

using launch::rank_stream_or_null;
using launch::real_function;

namespace {

bool takes_bytes(FILE* file) { return rank_stream_or_null(file) != nullptr; }

/// False if a character has no form in the locale, or writing fails.
bool write_as_bytes(const wchar_t* text, std::size_t length, FILE* file) {
  std::string bytes;
  std::mbstate_t state{};
  char character[MB_LEN_MAX];
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t size = std::wcrtomb(character, text[i], &state);
    if (size == static_cast<std::size_t>(-1)) return false;
    bytes.append(character, size);
  }
  return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

}  // namespace

extern "C" {

wint_t fputwc(wchar_t character, FILE* file) {
  if (takes_bytes(file)) {
    return write_as_bytes(&character, 1, file) ? static_cast<wint_t>(character) : WEOF;
  }
  static const auto real = real_function<wint_t(wchar_t, FILE*)>("fputwc");
  return real(character, file);
}

wint_t putwc(wchar_t character, FILE* file) { return fputwc(character, file); }
wint_t putwchar(wchar_t character) { return fputwc(character, stdout); }

int fputws(const wchar_t* __restrict text, FILE* __restrict file) {
  if (takes_bytes(file)) return write_as_bytes(text, std::wcslen(text), file) ? 1 : -1;
  static const auto real = real_function<int(const wchar_t*, FILE*)>("fputws");
  return real(text, file);
}

int vfwprintf(FILE* __restrict file, const wchar_t* __restrict format, va_list values) {
  static const auto real = real_function<int(FILE*, const wchar_t*, va_list)>("vfwprintf");
  if (!takes_bytes(file)) return real(file, format, values);
  wchar_t* text = nullptr;
  std::size_t length = 0;
  FILE* memory = open_wmemstream(&text, &length);
  if (memory == nullptr) return -1;
  const int printed = real(memory, format, values);
  std::fclose(memory);
  const bool written = printed >= 0 && write_as_bytes(text, length, file);
  std::free(text);
  return written ? printed : -1;
}

int vwprintf(const wchar_t* __restrict format, va_list values) {
  return vfwprintf(stdout, format, values);
}

int fwprintf(FILE* __restrict file, const wchar_t* __restrict format, ...) {
  va_list values;
  va_start(values, format);
  const int printed = vfwprintf(file, format, values);
  va_end(values);
  return printed;
}

int wprintf(const wchar_t* __restrict format, ...) {
  va_list values;
  va_start(values, format);
  const int printed = vfwprintf(stdout, format, values);
  va_end(values);
  return printed;
}

// The forms that programs compiled with _FORTIFY_SOURCE call.
int __vfwprintf_chk(FILE* file, int, const wchar_t* format, va_list values) {
  return vfwprintf(file, format, values);
}

int __vwprintf_chk(int, const wchar_t* format, va_list values) {
  return vfwprintf(stdout, format, values);
}

int __fwprintf_chk(FILE* file, int, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int printed = vfwprintf(file, format, values);
  va_end(values);
  return printed;
}

int __wprintf_chk(int, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int printed = vfwprintf(stdout, format, values);
  va_end(values);
  return printed;
}

}  // extern "C"
