// What ranks write to standard output and error, taken from them in their own calls: streams in the
// place of libc's that buffer nothing, so that the calling rank is known when the text arrives.
#include "launch/libc/rank_output.h"

#include <unistd.h>

#include <cerrno>
#include <cwchar>
#include <ext/stdio_sync_filebuf.h>
#include <iostream>
#include <stdexcept>

#include "corespec/threads/process.h"
#include "corespec/threads/rank_memory.h"
#include "corespec/threads/thread.h"
#include "launch/libc/real.h"

namespace launch {
namespace {

/// The launcher's one; the interposed functions have no other way to it.
std::array<RankOutput::Stream*, 2> installed{};

ssize_t take_text(void* stream, const char* text, size_t bytes) {
  static_cast<RankOutput::Stream*>(stream)->write({text, bytes});
  return static_cast<ssize_t>(bytes);
}

/// Wide characters as bytes of the locale; a stream made by fopencookie() takes no others.
class WideBuffer final : public std::wstreambuf {
 public:
  explicit WideBuffer(std::FILE* file) : file_(file) {}

 protected:
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    const auto written = std::fputwc(traits_type::to_char_type(character), file_);
    return written == WEOF ? traits_type::eof() : character;
  }
  int sync() override { return std::fflush(file_); }

 private:
  std::FILE* file_;
};

/// A standard C++ stream with another buffer for a while.
template <typename Stream>
class WithBuffer {
 public:
  WithBuffer(Stream& stream, decltype(stream.rdbuf()) buffer)
      : stream_(stream), before_(stream.rdbuf(buffer)) {}
  ~WithBuffer() { stream_.rdbuf(before_); }
  WithBuffer(const WithBuffer&) = delete;
  WithBuffer& operator=(const WithBuffer&) = delete;

 private:
  Stream& stream_;
  decltype(stream_.rdbuf()) before_;
};

}  // namespace

RankOutput::Stream::Stream(RankOutput& owner, std::FILE*& variable, int descriptor,
                           RankLines::Form form)
    : owner_(owner),
      variable_(&variable),
      own_(variable),
      descriptor_(descriptor),
      lines_(form, [this](std::string_view text) { return put(text); }),
      shown_(fopencookie(this, "w", {nullptr, take_text, nullptr, nullptr})) {
  if (shown_ == nullptr) throw std::runtime_error("no memory for standard output and error");
  real_function<int(std::FILE*, char*, int, size_t)>("setvbuf")(shown_, nullptr, _IONBF, 0);
  variable = shown_;
}

RankOutput::Stream::~Stream() { *variable_ = own_; }

void RankOutput::Stream::write(std::string_view text) {
  if (running_program_or_null() != nullptr) {
    owner_.take(corespec::this_process_or_null()->rank(),
                descriptor_ == STDOUT_FILENO ? Kind::output : Kind::errors, text);
  } else {
    put(text);
  }
}

void RankOutput::Stream::flush() {
  if (running_program_or_null() != nullptr) {
    owner_.take(corespec::this_process_or_null()->rank(), Kind::flush);
  } else {
    flush_now();
  }
}

void RankOutput::Stream::let_others_run() {
  if (owner_.pace_ != nullptr) owner_.pace_->added_and_may_wait(owner_.pending_.bytes());
}

void RankOutput::Stream::flush_now() {
  static const auto real = real_function<int(std::FILE*)>("fflush");
  check(real(own_) == 0);
}

bool RankOutput::Stream::put(std::string_view text) {
  if (before_writing_) before_writing_();
  return check(failure_ == 0 && std::fwrite(text.data(), 1, text.size(), own_) == text.size());
}

/// Says once what has become of the stream.
bool RankOutput::Stream::check(bool done) {
  if (done && failure_ == 0) return true;
  if (failure_ == 0) {
    failure_ = errno;
    if (installed[1] != nullptr) {
      const char* const name = descriptor_ == STDOUT_FILENO ? "output" : "error";
      std::fputs(lost_output_line(name, failure_).c_str(), installed[1]->own());
    }
  }
  return false;
}

/// libstdc++ has initialised these with the launcher, on libc's streams as they were then. Programs
/// copy them, with their buffers' addresses.
class RankOutput::CxxStreams {
 public:
  CxxStreams(std::FILE* output, std::FILE* errors)
      : output_(output), errors_(errors), wide_output_(output), wide_errors_(errors) {}

 private:
  __gnu_cxx::stdio_sync_filebuf<char> output_, errors_;
  WideBuffer wide_output_, wide_errors_;
  WithBuffer<std::ostream> cout_{std::cout, &output_}, cerr_{std::cerr, &errors_},
      clog_{std::clog, &errors_};
  WithBuffer<std::wostream> wcout_{std::wcout, &wide_output_}, wcerr_{std::wcerr, &wide_errors_},
      wclog_{std::wclog, &wide_errors_};
};

RankOutput::RankOutput(RankLines::Form form)
    : one_rank_(form.ranks == 1),
      pending_([this](int rank, Kind kind, std::string_view text) { give(rank, kind, text); }),
      streams_{std::make_unique<Stream>(*this, stdout, STDOUT_FILENO, form),
               std::make_unique<Stream>(*this, stderr, STDERR_FILENO, form)},
      cxx_streams_(std::make_unique<CxxStreams>(streams_[0]->shown(), streams_[1]->shown())) {
  installed = {streams_[0].get(), streams_[1].get()};
}

RankOutput::~RankOutput() { installed = {}; }

void RankOutput::set_pace(Pace* pace) {
  pace_ = one_rank_ ? nullptr : pace;
  if (pace_ == nullptr) write_out_all();
}

/// From the calling rank.
void RankOutput::take(int rank, Kind kind, std::string_view text) {
  const corespec::HostMemory shared;
  const corespec::Thread* const thread = corespec::this_thread_or_null();
  if (elsewhere_ != nullptr && thread != nullptr) {
    elsewhere_->hand_on(thread->own_time(), rank, kind, text);
  } else if (pace_ == nullptr || thread == nullptr) {
    give(rank, kind, text);
  } else {
    take_over(thread->own_time(), rank, kind, text);
  }
}

void RankOutput::take_over(corespec::Time at, int rank, Kind kind, std::string_view text) {
  pending_.add(at, rank, kind, text);
  if (pace_ != nullptr) pace_->added(pending_.bytes());
}

/// What is written to one stream before something is to the other leaves the process before it.
void RankOutput::give(int rank, Kind kind, std::string_view text) {
  Stream& output = *streams_[0];
  Stream& errors = *streams_[1];
  if (kind != Kind::output && kind != Kind::end) output.flush_now();
  switch (kind) {
    case Kind::output:
      output.lines().add(rank, text);
      break;
    case Kind::errors:
      errors.lines().add(rank, text);
      break;
    case Kind::flush:
      errors.flush_now();
      break;
    case Kind::end:
      for (const auto& stream : streams_) stream->lines().end(rank);
      break;
    case Kind::reason:
      if (std::exchange(end_said_, true)) break;
      errors.lines().end_open();
      errors.put(text);
      break;
  }
}

bool RankOutput::write_out_before(corespec::Time time) {
  const corespec::HostMemory shared;
  return pending_.give_before(time);
}

void RankOutput::write_out_all() {
  const corespec::HostMemory shared;
  pending_.give_all();
  flush();
}

void RankOutput::flush() {
  for (const auto& stream : streams_) stream->flush_now();
}

void RankOutput::report(int rank, std::string_view line) { take(rank, Kind::errors, line); }

void RankOutput::say_end(int rank, std::string_view line) { take(rank, Kind::reason, line); }

void RankOutput::end(int rank) { take(rank, Kind::end); }

void RankOutput::end_all() {
  pending_.give_all();
  for (const auto& stream : streams_) stream->lines().end_all();
  flush();
}

std::string_view RankOutput::end_all_but_error_of(int rank) {
  if (elsewhere_ != nullptr) return elsewhere_->end_all_but_error_of(rank);
  pending_.give_all();
  streams_[0]->lines().end_all();
  streams_[0]->flush_now();
  RankLines& errors = streams_[1]->lines();
  errors.end_all(rank);
  errors.end_open();
  return errors.unfinished(rank);
}

bool RankOutput::has_failed() const {
  return streams_[0]->has_failed() || streams_[1]->has_failed();
}

void RankOutput::set_before_writing(std::function<void()> action) {
  for (const auto& stream : streams_) stream->set_before_writing(action);
}

std::FILE* RankOutput::launchers_errors() const { return streams_[1]->own(); }

RankOutput::Stream* rank_stream_or_null(const std::FILE* file) {
  for (RankOutput::Stream* stream : installed) {
    if (stream != nullptr && stream->shown() == file) return stream;
  }
  return nullptr;
}

RankOutput::Stream* rank_stream_or_null(int descriptor) {
  for (RankOutput::Stream* stream : installed) {
    if (stream != nullptr && stream->descriptor() == descriptor) return stream;
  }
  return nullptr;
}

}  // namespace launch
