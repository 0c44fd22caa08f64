// What the Geminis of a run have counted, as text and as JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

class VirtualRun;

/// What has arrived over one of a Gemini's links, or from its hosts.
struct CountedLink {
  std::string direction;  ///< "X+"; "HH": from its hosts
  gemini::RouterId source = 0;
  double bytes_per_second = 0;
  gemini::LinkCounters counters;
};

struct CountedGemini {
  gemini::RouterId number = 0;
  std::vector<CountedLink> links;
};

/// Of one interval of time.
struct CounterReportSample {
  corespec::Time from, to;
  std::vector<CountedGemini> geminis;
};

/// Everything that `run`, which has ended, has counted: of the Geminis of the job's nodes, and of
/// those by which something has come. One sample, or one for each interval that the run wanted and
/// in which something has come, and one without Geminis for the time between two of these.
std::vector<CounterReportSample> counter_report(VirtualRun& run, corespec::Time end);

/// As S0's figure 4: columns apart by tabs. Where there are intervals, a comment before each sample
/// says its seconds.
std::string counter_text(VirtualRun& run, const std::vector<CounterReportSample>& samples);
/// See docs/counters.md.
nlohmann::ordered_json counter_json(VirtualRun& run,
                                    const std::vector<CounterReportSample>& samples);

/// One line of the whole: bytes injected and bytes over links (bytes x hops), and the busiest link.
/// Empty where nothing was counted.
std::string counter_summary(VirtualRun& run, const std::vector<CounterReportSample>& samples);

/// The files of --counters, opened before the run: a file that cannot be written ends it early.
class CounterFiles {
 public:
  /// Throws std::runtime_error with one line: the option, the file, why.
  CounterFiles(const std::vector<std::string>& names, double patience_s);
  ~CounterFiles();
  CounterFiles(const CounterFiles&) = delete;
  CounterFiles& operator=(const CounterFiles&) = delete;

  bool empty() const { return files_.empty(); }
  /// Throws as the constructor does.
  void write(VirtualRun& run, const std::vector<CounterReportSample>& samples);

 private:
  struct File {
    std::string name;
    std::FILE* stream;
  };
  [[noreturn]] static void refuse(const std::string& name);
  std::vector<File> files_;
};

}  // namespace launch
