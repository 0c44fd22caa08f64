// What ranks write to standard output and error, taken from them in their own calls.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "launch/reports/job_output.h"
#include "launch/reports/pending_output.h"
#include "launch/reports/rank_lines.h"

namespace launch {

/// While it exists, libc's and libstdc++'s standard streams and write() put what ranks write
/// through a RankLines for each of the two, in the order of virtual time; what else the launcher
/// writes to these streams goes out as it is, at once. Make it before programs are loaded: they
/// copy the streams. One at a time.
class RankOutput final : public JobOutput {
 public:
  /// Throws std::runtime_error with one line if there is no memory for streams.
  explicit RankOutput(RankLines::Form form);
  ~RankOutput();
  RankOutput(const RankOutput&) = delete;
  RankOutput& operator=(const RankOutput&) = delete;

  /// Another process, through which what ranks write leaves.
  class Elsewhere {
   public:
    virtual void hand_on(corespec::Time at, int rank, PendingOutput::Kind kind,
                         std::string_view text) = 0;
    /// As JobOutput::end_all_but_error_of().
    virtual std::string_view end_all_but_error_of(int rank) = 0;

   protected:
    ~Elsewhere() = default;
  };
  /// Null: what ranks write leaves here.
  void set_elsewhere(Elsewhere* elsewhere) { elsewhere_ = elsewhere; }
  /// What a rank of another process has written.
  void take_over(corespec::Time at, int rank, PendingOutput::Kind kind, std::string_view text);

  // JobOutput. The only rank of a job comes before no other: what it writes goes out at once.
  void set_pace(Pace* pace) override;
  void set_end(corespec::Time end) override { pending_.set_end(end); }
  bool write_out_before(corespec::Time time) override;
  void write_out_all() override;
  std::string_view end_all_but_error_of(int rank) override;
  void report(int rank, std::string_view line) override;
  void say_end(int rank, std::string_view line) override;

  /// The calling rank's program has ended.
  void end(int rank);
  /// No rank will write any more. What they have written is out, or has_failed() is true.
  void end_all();
  /// What has been written out leaves the process.
  void flush();
  /// What is done before either stream is written to, as long as ranks write.
  void set_before_writing(std::function<void()> action);
  /// Some of what was written could not be, and has been said to be lost.
  bool has_failed() const;
  /// The launcher's own standard error, for what it says while a rank calls.
  std::FILE* launchers_errors() const;

  class Stream;

 private:
  class CxxStreams;
  using Kind = PendingOutput::Kind;
  /// Here, and where what has waited is written out, memory is the process's.
  void take(int rank, Kind kind, std::string_view text = {});
  void give(int rank, Kind kind, std::string_view text);
  bool one_rank_ = false;
  Elsewhere* elsewhere_ = nullptr;
  Pace* pace_ = nullptr;  ///< null: no order is kept
  PendingOutput pending_;
  bool end_said_ = false;
  std::array<std::unique_ptr<Stream>, 2> streams_;
  std::unique_ptr<CxxStreams> cxx_streams_;
};

/// One of the two streams: what programs see in its place, and the launcher's own behind it.
class RankOutput::Stream {
 public:
  /// `variable` is stdout or stderr; it shows the new stream until the object goes.
  Stream(RankOutput& owner, std::FILE*& variable, int descriptor, RankLines::Form form);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::FILE* shown() const { return shown_; }
  std::FILE* own() const { return own_; }
  int descriptor() const { return descriptor_; }
  RankLines& lines() { return lines_; }
  void set_before_writing(std::function<void()> action) { before_writing_ = std::move(action); }
  /// From the calling rank, or, if no rank calls, from the launcher. The rank's part is done when
  /// the launcher has the text, as with ALPS and live. If writing fails or has failed before, the
  /// text is lost: the rest of a stream does not come behind a hole.
  void write(std::string_view text);
  /// What the calling rank has written leaves the process in its turn; if no rank calls, now.
  void flush();
  /// Others may run in the calling rank's place: it is in no other function of libc.
  void let_others_run();
  /// What all ranks have written to both streams leaves the process.
  void write_out_all() { owner_.write_out_all(); }
  /// Past the ranks' order.
  bool put(std::string_view text);
  void flush_now();
  bool has_failed() const { return failure_ != 0; }

 private:
  bool check(bool done);

  RankOutput& owner_;
  std::function<void()> before_writing_;
  std::FILE** variable_;
  std::FILE* own_;
  int descriptor_;
  RankLines lines_;
  int failure_ = 0;  ///< errno of the first write that failed
  std::FILE* shown_;
};

/// The stream that programs see as `file`, or that has the descriptor; null if it is another file.
RankOutput::Stream* rank_stream_or_null(const std::FILE* file);
RankOutput::Stream* rank_stream_or_null(int descriptor);

}  // namespace launch
