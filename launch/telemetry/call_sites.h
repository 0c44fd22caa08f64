// Calling contexts of all ranks as call sites.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/threads/context_table.h"
#include "launch/symbols/code_place.h"
#include "launch/symbols/symbols.h"

namespace launch {

/// A place in the program from which a library was called: its frames, the innermost first, like
/// "ring.c:41 (main)".
struct CallSite {
  std::vector<std::string> frames;
  std::string text() const { return frames.empty() ? "not known" : frames.front(); }
};

/// The file that code of a rank's copy of the program comes from; empty: it is no copy's.
using RankFile = std::function<std::string(int rank, const void* address)>;

/// Numbers call sites in order of first use; 0 is the one that is not known. Ranks of one program
/// share them: a context counts by its places in the program's files.
class CallSites {
 public:
  using Places = std::function<std::vector<CodePlace>(int rank, corespec::ContextNumber context)>;
  explicit CallSites(Places places) : places_(std::move(places)) {}

  std::uint32_t of(int rank, corespec::ContextNumber context);
  std::vector<CallSite> take() { return std::move(sites_); }

 private:
  Places places_;
  Symbols symbols_;
  std::map<std::pair<int, corespec::ContextNumber>, std::uint32_t> known_;
  std::map<std::vector<std::pair<std::string, std::uint64_t>>, std::uint32_t> numbers_;
  std::vector<CallSite> sites_{1};
};

/// Tells, while ranks run, whether a context is one of the call site that CASTOR_TELEMETRY names
/// (site:TEXT): one of its frames has the text in it.
class SiteFinder {
 public:
  SiteFinder(const corespec::Parameters& parameters, RankFile original);
  bool fits(int rank, std::span<void* const> context);

 private:
  std::string site_;
  RankFile original_;
  PlaceFinder finder_;
  Symbols symbols_;
};

/// The frames of a context in the program, as text.
std::vector<std::string> frames_of(const std::vector<CodePlace>& places, Symbols& symbols);

}  // namespace launch
