// What a rank's process notes for its launcher's profile and timeline.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "corespec/config/parameters.h"
#include "corespec/events/observer.h"
#include "corespec/live/hand_over_lock.h"
#include "corespec/live/live_node.h"
#include "launch/profile/profile_recorder.h"
#include "launch/timeline/occurrence_log.h"

namespace launch {

/// What the launcher wants to have noted, and where: a folder on this host.
struct NotesWanted {
  std::string folder;
  bool profile = false;
  bool timeline = false;
  bool faults = false;    ///< what goes wrong by a plan
  TimelineWindow window;  ///< of the timeline; its nodes mean nothing
};
/// The variable that tells a rank's process, and what stands in it.
constexpr const char* notes_variable = "ALPS_APP_NOTES";
std::string text_of(const NotesWanted& wanted);
/// Nothing if `settings` do not have it, or if it is not what text_of() makes.
std::optional<NotesWanted> notes_wanted(const std::vector<corespec::Setting>& settings);
/// A rank's notes in the folder: files.
std::string profile_note(const NotesWanted& wanted, int rank);
std::string timeline_note(const NotesWanted& wanted, int rank);
std::string fault_note(const NotesWanted& wanted, int rank);

/// Listens to a process from its first call to its end.
class RankNotes final : public corespec::Observer {
 public:
  RankNotes(NotesWanted wanted, corespec::LiveNode& node, int rank);
  ~RankNotes();
  RankNotes(const RankNotes&) = delete;
  RankNotes& operator=(const RankNotes&) = delete;

  void observe(const corespec::Occurrence& occurrence) override;
  /// Ends listening, and writes the notes. On the rank's main thread.
  void write();

 private:
  NotesWanted wanted_;
  corespec::LiveNode& node_;
  int rank_;
  corespec::HandOverLock lock_;  ///< several threads call observe()
  ProfileRecorder profile_;
  OccurrenceLog log_;
};

}  // namespace launch
