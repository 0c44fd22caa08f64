// Writes a timeline with Debian's OTF2 library.
#include "launch/timeline/otf2_archive.h"

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "corespec/host/printable.h"
#include "launch/timeline/track_names.h"

namespace launch {
namespace {

using corespec::Time;

constexpr std::string_view ending = ".otf2";
constexpr std::uint64_t ticks_per_second = 1'000'000'000'000;
constexpr std::uint64_t events_chunk = 1 << 20;
constexpr std::uint64_t definitions_chunk = 4 << 20;

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

constexpr std::uint64_t ticks(Time time) { return static_cast<std::uint64_t>(time.ps()); }

/// What happens on one row, in order.
struct Event {
  enum class Kind : std::uint8_t { leave, enter, sent, received };  // in this order at one time
  Time at;
  Kind kind;
  Time end;                  ///< of enter
  std::uint32_t region = 0;  ///< of enter and leave
  std::uint32_t peer = 0;
  std::uint64_t bytes = 0;
};

/// Numbers for definitions, from 0 on, in order of their first use.
template <typename Key>
class Numbers {
 public:
  std::uint32_t of(const Key& key) {
    const auto [found, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (fresh) keys_.push_back(key);
    return found->second;
  }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Key> keys_;
};

/// A process of the archive: a rank, or a node with what is its own.
struct Group {
  bool rank = false;
  std::int64_t number = 0;
  auto operator<=>(const Group&) const = default;
};

Group group_of(const TimelineTrack& track) {
  return of_rank(track) ? Group{true, track.rank} : Group{false, track.nid};
}

std::string folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

/// Where the archive goes that is to be `file`, run.otf2. Beside it OTF2 puts run.def and a folder
/// run. Where one of these names is taken, as by a program `run`, run.otf2 becomes a folder, and
/// the archive is run.otf2/run.otf2.
std::filesystem::path place_of(const std::filesystem::path& file) {
  std::filesystem::path definitions = file, events = file;
  definitions.replace_extension(".def");
  events.replace_extension("");
  if (!std::filesystem::exists(definitions) && !std::filesystem::exists(events)) return file;
  return file / file.filename();
}

class Archive {
 public:
  Archive(const std::string& option, const std::filesystem::path& file)
      : option_(option), file_(file.string()) {
    archive_ = OTF2_Archive_Open(folder_of(file).c_str(), file.stem().c_str(), OTF2_FILEMODE_WRITE,
                                 events_chunk, definitions_chunk, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) refuse();
    static const OTF2_FlushCallbacks callbacks = {&flush, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  }
  ~Archive() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  void write(const TimelineTable& timeline, const std::string& run) {
    collect(timeline);
    check(OTF2_Archive_OpenEvtFiles(archive_));
    for (std::uint64_t row = 0; row < rows_.size(); ++row) write_events(row);
    check(OTF2_Archive_CloseEvtFiles(archive_));
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (std::uint64_t row = 0; row < rows_.size(); ++row) {
      OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive_, row);
      check(OTF2_Archive_CloseDefWriter(archive_, local));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
    write_definitions(run);
    check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
  }

 private:
  struct Row {
    TimelineTrack track;
    std::vector<Event> events;
    std::uint64_t written = 0;
  };

  [[noreturn]] void refuse() const {
    throw std::runtime_error(
        fmt::format("{} {}: OTF2 cannot write it", option_, corespec::printable(file_)));
  }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) {
      throw std::runtime_error(fmt::format("{} {}: OTF2: {}", option_, corespec::printable(file_),
                                           OTF2_Error_GetDescription(code)));
    }
  }

  Row& row_of(const TimelineTrack& track) {
    const std::uint32_t number = tracks_.of(track);
    if (number == rows_.size()) {
      rows_.push_back({track, {}});
      groups_.of(group_of(track));
      const bool own = of_rank(track) && is_program(track);
      if (own) main_of_rank_.try_emplace(track.rank, number);
    }
    return rows_[number];
  }
  static bool is_program(const TimelineTrack& track) { return track.role == 0; }

  void collect(const TimelineTable& timeline) {
    std::vector<TimelineTrack> all;
    for (const TimelineSpan& span : timeline.spans()) all.push_back(span.track);
    for (const TimelineArrow& arrow : timeline.arrows()) {
      all.push_back(arrow.from);
      all.push_back(arrow.to);
    }
    std::sort(all.begin(), all.end());
    for (const TimelineTrack& track : all) row_of(track);
    for (const TimelineSpan& span : timeline.spans()) {
      const std::uint32_t region = regions_.of(span_name(span));
      std::vector<Event>& events = row_of(span.track).events;
      events.push_back({span.begin, Event::Kind::enter, span.end, region});
      events.push_back({span.end, Event::Kind::leave, span.end, region});
    }
    for (const TimelineArrow& arrow : timeline.arrows()) {
      const auto from = main_of_rank_.find(arrow.from.rank);
      const auto to = main_of_rank_.find(arrow.to.rank);
      if (from == main_of_rank_.end() || to == main_of_rank_.end()) continue;
      rows_[from->second].events.push_back(
          {arrow.sent, Event::Kind::sent, {}, 0, rank_number(arrow.to.rank), arrow.bytes});
      rows_[to->second].events.push_back({arrow.received,
                                          Event::Kind::received,
                                          {},
                                          0,
                                          rank_number(arrow.from.rank),
                                          arrow.bytes});
    }
  }
  /// A rank's place in the communicator of those that the archive has.
  std::uint32_t rank_number(int rank) const {
    return static_cast<std::uint32_t>(
        std::distance(main_of_rank_.begin(), main_of_rank_.find(rank)));
  }

  /// Regions end in the opposite order of their begin; a span that does not fit is cut.
  void write_events(std::uint64_t number) {
    Row& row = rows_[number];
    std::stable_sort(row.events.begin(), row.events.end(), [](const Event& a, const Event& b) {
      if (a.at != b.at) return a.at < b.at;
      if (a.kind != b.kind) return a.kind < b.kind;
      return a.kind == Event::Kind::enter && a.end > b.end;
    });
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, number);
    if (writer == nullptr) refuse();
    struct Open {
      std::uint32_t region;
      Time end;
    };
    std::vector<Open> open;
    const auto leave_until = [&](Time at) {
      while (!open.empty() && open.back().end <= at) {
        check(OTF2_EvtWriter_Leave(writer, nullptr, ticks(open.back().end), open.back().region));
        open.pop_back();
        ++row.written;
      }
    };
    for (const Event& event : row.events) {
      if (event.kind == Event::Kind::leave) continue;  // ends with its enter's end
      leave_until(event.at);
      ++row.written;
      switch (event.kind) {
        case Event::Kind::enter:
          check(OTF2_EvtWriter_Enter(writer, nullptr, ticks(event.at), event.region));
          open.push_back(
              {event.region, open.empty() ? event.end : std::min(event.end, open.back().end)});
          break;
        case Event::Kind::sent:
          check(OTF2_EvtWriter_MpiSend(writer, nullptr, ticks(event.at), event.peer, 0, 0,
                                       event.bytes));
          break;
        case Event::Kind::received:
          check(OTF2_EvtWriter_MpiRecv(writer, nullptr, ticks(event.at), event.peer, 0, 0,
                                       event.bytes));
          break;
        case Event::Kind::leave:
          break;
      }
      last_ = std::max(last_, event.at);
    }
    if (!open.empty()) last_ = std::max(last_, open.front().end);
    leave_until(Time::max());
    check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  }

  std::uint32_t text(const std::string& words) { return texts_.of(words); }

  void write_definitions(const std::string& run) {
    OTF2_GlobalDefWriter* const to = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (to == nullptr) refuse();
    check(OTF2_GlobalDefWriter_WriteClockProperties(to, ticks_per_second, 0, ticks(last_) + 1, 0));
    // A text must stand before what names it: first all texts.
    const std::uint32_t none = text("");
    for (const std::string& region : regions_.keys()) text(region);
    for (const Row& row : rows_) {
      text(group_name(row.track));
      text(row_name(row.track, is_main(row)));
    }
    const std::uint32_t machine = text("Cray XE6 (Castor)");
    const std::uint32_t machine_class = text("machine");
    const std::uint32_t node_class = text("node");
    const std::uint32_t world = text("MPI_COMM_WORLD");
    check(OTF2_Archive_SetCreator(archive_, "Castor"));
    check(OTF2_Archive_SetDescription(archive_, run.c_str()));
    for (const Row& row : rows_) text(fmt::format("node {}", row.track.nid));
    for (std::uint32_t i = 0; i < texts_.keys().size(); ++i) {
      check(OTF2_GlobalDefWriter_WriteString(to, i, texts_.keys()[i].c_str()));
    }
    for (std::uint32_t i = 0; i < regions_.keys().size(); ++i) {
      const std::uint32_t name = text(regions_.keys()[i]);
      check(OTF2_GlobalDefWriter_WriteRegion(to, i, name, name, none, OTF2_REGION_ROLE_FUNCTION,
                                             paradigm_of(regions_.keys()[i]), OTF2_REGION_FLAG_NONE,
                                             none, 0, 0));
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, machine, machine_class,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    Numbers<std::uint32_t> nodes;
    for (const Row& row : rows_) nodes.of(row.track.nid);
    for (std::uint32_t i = 0; i < nodes.keys().size(); ++i) {
      check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
          to, i + 1, text(fmt::format("node {}", nodes.keys()[i])), node_class, 0));
    }
    std::vector<bool> known(groups_.keys().size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      const std::uint32_t group = groups_.of(group_of(row.track));
      if (!known[group]) {
        known[group] = true;
        check(OTF2_GlobalDefWriter_WriteLocationGroup(
            to, group, text(group_name(row.track)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
            nodes.of(row.track.nid) + 1, OTF2_UNDEFINED_LOCATION_GROUP));
      }
      check(OTF2_GlobalDefWriter_WriteLocation(to, i, text(row_name(row.track, is_main(row))),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, row.written, group));
    }
    std::vector<std::uint64_t> members;
    for (const auto& [rank, row] : main_of_rank_) members.push_back(row);
    const auto count = static_cast<std::uint32_t>(members.size());
    check(OTF2_GlobalDefWriter_WriteGroup(to, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          members.data()));
    std::vector<std::uint64_t> ranks;
    for (std::uint64_t i = 0; i < count; ++i) ranks.push_back(i);
    check(OTF2_GlobalDefWriter_WriteGroup(to, 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count,
                                          ranks.data()));
    check(
        OTF2_GlobalDefWriter_WriteComm(to, 0, world, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
  bool is_main(const Row& row) const {
    const auto found = main_of_rank_.find(row.track.rank);
    return of_rank(row.track) && found != main_of_rank_.end() &&
           rows_[found->second].track == row.track;
  }
  static OTF2_Paradigm paradigm_of(const std::string& region) {
    if (region.rfind("MPI_", 0) == 0) return OTF2_PARADIGM_MPI;
    return OTF2_PARADIGM_USER;
  }

  std::string option_, file_;
  OTF2_Archive* archive_ = nullptr;
  Numbers<TimelineTrack> tracks_;
  std::vector<Row> rows_;  ///< by number of its track
  Numbers<Group> groups_;
  Numbers<std::string> regions_, texts_;
  std::map<int, std::uint32_t> main_of_rank_;  ///< row
  Time last_;
};

}  // namespace

bool names_otf2(const std::string& file) {
  return file.size() > ending.size() && std::string_view(file).ends_with(ending);
}

void check_otf2(const std::string& option, const std::string& file) {
  const auto refuse = [&](std::string_view why) {
    throw std::runtime_error(fmt::format("{} {}: {}", option, corespec::printable(file), why));
  };
  if (access(folder_of(file).c_str(), W_OK | X_OK) != 0) refuse(std::strerror(errno));
  if (std::filesystem::exists(file)) {
    refuse(fmt::format("there is {} already; OTF2 writes over nothing", corespec::printable(file)));
  }
}

void write_otf2(const std::string& option, const std::string& file, const TimelineTable& timeline,
                const std::string& run) {
  const std::filesystem::path place = place_of(file);
  if (place != file) {
    fmt::print(stderr, "castor: {}: {} is taken, so the archive is {}\n", option,
               corespec::printable(std::filesystem::path(file).replace_extension("").string()),
               corespec::printable(place.string()));
    std::error_code error;
    std::filesystem::create_directory(file, error);
    if (error) {
      throw std::runtime_error(
          fmt::format("{} {}: {}", option, corespec::printable(file), error.message()));
    }
  }
  Archive(option, place).write(timeline, run);
}

}  // namespace launch
