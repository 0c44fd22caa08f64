// Interposed libc: functions on standard output and error that do not pass through the streams
// RankOutput shows to programs, and those that would change these streams for all ranks.
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "launch/libc/rank_output.h"
#include "launch/libc/real.h"

using launch::rank_stream_or_null;
using launch::RankOutput;
using launch::real_function;
using launch::running_program_or_null;

namespace {

/// The stream of a descriptor, if a rank calls.
RankOutput::Stream* called_stream_or_null(int descriptor) {
  if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO) return nullptr;
  return running_program_or_null() == nullptr ? nullptr : rank_stream_or_null(descriptor);
}

/// What write() promises: the launcher has the text, and lets it out, whole lines, in its turn.
ssize_t write_out(RankOutput::Stream& stream, const char* text, size_t bytes) {
  stream.write({text, bytes});
  stream.flush();
  stream.let_others_run();
  return static_cast<ssize_t>(bytes);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* text, size_t bytes) {
  if (RankOutput::Stream* stream = called_stream_or_null(descriptor)) {
    return write_out(*stream, static_cast<const char*>(text), bytes);
  }
  static const auto real = real_function<ssize_t(int, const void*, size_t)>("write");
  return real(descriptor, text, bytes);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  static const auto real = real_function<ssize_t(int, const struct iovec*, int)>("writev");
  RankOutput::Stream* stream = called_stream_or_null(descriptor);
  if (stream == nullptr) return real(descriptor, parts, count);
  std::string text;
  for (int i = 0; i < count; ++i) {
    text.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  }
  return write_out(*stream, text.data(), text.size());
}

int vdprintf(int descriptor, const char* __restrict format, va_list values) {
  char* text = nullptr;
  const int length = vasprintf(&text, format, values);
  if (length < 0) return -1;
  // In parts, as write() may.
  int done = 0;
  while (done < length) {
    const ssize_t written = write(descriptor, text + done, static_cast<size_t>(length - done));
    if (written < 0) break;
    done += static_cast<int>(written);
  }
  std::free(text);
  return done == length ? length : -1;
}

int dprintf(int descriptor, const char* __restrict format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vdprintf(descriptor, format, values);
  va_end(values);
  return length;
}

// The forms that programs compiled with _FORTIFY_SOURCE call.
int __vdprintf_chk(int descriptor, int, const char* format, va_list values) {
  return vdprintf(descriptor, format, values);
}

int __dprintf_chk(int descriptor, int, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vdprintf(descriptor, format, values);
  va_end(values);
  return length;
}

int fflush(FILE* file) {
  static const auto real = real_function<int(FILE*)>("fflush");
  if (RankOutput::Stream* stream = rank_stream_or_null(file)) {
    stream->flush();
    return 0;
  }
  if (file == nullptr) {  // all that are open
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      if (RankOutput::Stream* stream = rank_stream_or_null(descriptor)) {
        stream->flush();
        stream->flush_now();  // else libc writes it out, and the launcher does not hear of an error
      }
    }
  }
  return real(file);
}

int fflush_unlocked(FILE* file) { return fflush(file); }

/// The other ranks write on.
int fclose(FILE* file) {
  if (rank_stream_or_null(file) != nullptr) return fflush(file);
  static const auto real = real_function<int(FILE*)>("fclose");
  return real(file);
}

int fileno(FILE* file) noexcept {
  if (RankOutput::Stream* stream = rank_stream_or_null(file)) return stream->descriptor();
  static const auto real = real_function<int(FILE*)>("fileno");
  return real(file);
}

int fileno_unlocked(FILE* file) noexcept { return fileno(file); }

// Buffers would be the ranks' in common.

int setvbuf(FILE* __restrict file, char* __restrict buffer, int mode, size_t size) noexcept {
  if (rank_stream_or_null(file) != nullptr) return 0;
  static const auto real = real_function<int(FILE*, char*, int, size_t)>("setvbuf");
  return real(file, buffer, mode, size);
}

void setbuffer(FILE* __restrict file, char* __restrict buffer, size_t size) noexcept {
  setvbuf(file, buffer, buffer == nullptr ? _IONBF : _IOFBF, size);
}

void setbuf(FILE* __restrict file, char* __restrict buffer) noexcept {
  setbuffer(file, buffer, BUFSIZ);
}

void setlinebuf(FILE* file) noexcept { setvbuf(file, nullptr, _IOLBF, 0); }

}  // extern "C"
