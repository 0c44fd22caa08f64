// What ranks have written in virtual time and what may still have something before it.
#include "launch/reports/pending_output.h"

#include <algorithm>

namespace launch {

void PendingOutput::add(corespec::Time at, int rank, Kind kind, std::string_view text) {
  const Key key(at, rank);
  if (last_ == moments_.end() || last_->first != key) last_ = moments_.try_emplace(key).first;
  Moment& moment = last_->second;
  std::vector<Piece>& pieces = moment.pieces;
  // Texts in one piece, whatever calls they come from: what is done with them does not depend on
  // how many there were before something else was written, and a million lines are no million
  // pieces.
  const bool goes_on =
      moment.given < pieces.size() && pieces.back().kind == kind && kind != Kind::reason;
  if (goes_on) {
    pieces.back().text.append(text);
  } else {
    pieces.push_back({kind, std::string(text)});
  }
  bytes_ += text.size();
}

void PendingOutput::give(int rank, Moment& moment) {
  while (moment.given < moment.pieces.size()) {
    const Piece& piece = moment.pieces[moment.given++];
    give_(rank, piece.kind, piece.text);
    bytes_ -= piece.text.size();
  }
}

bool PendingOutput::give_before(corespec::Time time) {
  if (gives_) return true;  // by what was interrupted to ask for it
  gives_ = true;
  while (!moments_.empty() && moments_.begin()->first.first < std::min(time, end_)) {
    const auto first = moments_.begin();
    give(first->first.second, first->second);
    if (last_ == first) last_ = moments_.end();
    moments_.erase(first);
  }
  gives_ = false;
  return !moments_.empty();
}

void PendingOutput::give_all() {
  for (auto& [key, moment] : moments_) {
    if (key.first >= end_) break;
    give(key.second, moment);
  }
}

}  // namespace launch
