// Where the ranks of a job in virtual time, and its launcher, write while the ranks run.
#pragma once

#include <cstddef>
#include <string_view>

#include "corespec/time/time.h"

namespace launch {

/// Text leaves it in the order of virtual time, as soon as it is told that nothing earlier comes.
class JobOutput {
 public:
  /// Tells it how far the ranks have come.
  class Pace {
   public:
    /// A rank has written something; so many bytes wait now.
    virtual void added(std::size_t bytes) = 0;
    /// The same of a rank in whose place others may run now.
    virtual void added_and_may_wait(std::size_t bytes) = 0;

   protected:
    ~Pace() = default;
  };

  /// From now on ranks run, and their order is kept. Null: they do not any more; all is out.
  virtual void set_pace(Pace* pace) = 0;
  /// The ranks end at this moment: what they write ahead, at it or later, is not written.
  virtual void set_end(corespec::Time end) = 0;
  /// What was written earlier than `time` goes out; true if something is left.
  virtual bool write_out_before(corespec::Time time) = 0;
  /// All that was written goes out, but unfinished lines.
  virtual void write_out_all() = 0;
  /// Before the process ends for a fault of the rank: all that was written goes out, unfinished
  /// lines too, and what comes next begins a line. But of the rank's last line on standard error,
  /// if it is unfinished, what there is is returned. A signal handler may call it.
  virtual std::string_view end_all_but_error_of(int rank) = 0;

  /// The calling rank's line, `line` with its end, on standard error, behind what it has printed.
  virtual void report(int rank, std::string_view line) = 0;
  /// The launcher's own line, about why the calling rank ends the job. Only the first is said, in
  /// the order of virtual time.
  virtual void say_end(int rank, std::string_view line) = 0;

 protected:
  ~JobOutput() = default;
};

}  // namespace launch
