// Output of many ranks as one stream of whole lines.
#include "launch/reports/rank_lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace launch {
namespace {

/// What is longer may be no lines at all: a program's data.
constexpr std::size_t longest_waiting = 65536;

}  // namespace

RankLines::RankLines(Form form, Sink sink)
    : form_(form), sink_(std::move(sink)), label_width_(std::to_string(form.ranks - 1).size()) {}

bool RankLines::add(int rank, std::string_view text) {
  if (text.empty()) return true;
  if (form_.ranks == 1) return emit(rank, text);
  bool written = true;
  const auto waiting = unfinished_.find(rank);
  const std::size_t whole = text.rfind('\n') + 1;  // 0 if there is none
  if (whole > 0) {
    if (waiting == unfinished_.end()) {
      written = emit(rank, text.substr(0, whole));
    } else {
      waiting->second.append(text.substr(0, whole));
      written = emit(rank, waiting->second);
      unfinished_.erase(waiting);
    }
  }
  if (whole < text.size()) {
    const auto rest = unfinished_.try_emplace(rank).first;
    rest->second.append(text.substr(whole));
    if (rest->second.size() > longest_waiting) {
      written = emit(rank, rest->second) && written;
      unfinished_.erase(rest);
    }
  }
  return written;
}

void RankLines::end(int rank) {
  if (const auto waiting = unfinished_.find(rank); waiting != unfinished_.end()) {
    emit(rank, waiting->second);
    unfinished_.erase(waiting);
  }
  if (form_.labels && open_ == rank) {
    sink_("\n");
    open_ = no_rank;
  }
}

void RankLines::end_all(int but) {
  for (auto waiting = unfinished_.begin(); waiting != unfinished_.end();) {
    const int rank = waiting->first;
    ++waiting;  // end() takes it away
    if (rank != but) end(rank);
  }
  if (open_ != no_rank && open_ != but) end(open_);
}

void RankLines::end_open() {
  if (std::exchange(open_, no_rank) != no_rank) sink_("\n");
}

std::string_view RankLines::unfinished(int rank) const {
  const auto waiting = unfinished_.find(rank);
  return waiting == unfinished_.end() ? std::string_view() : waiting->second;
}

bool RankLines::emit(int rank, std::string_view text) {
  bool written = true;
  if (open_ != no_rank && open_ != rank) {
    written = sink_("\n");
    open_ = no_rank;
  }
  written = (form_.labels ? emit_labelled(rank, text) : sink_(text)) && written;
  open_ = text.back() == '\n' ? no_rank : rank;
  return written;
}

bool RankLines::emit_labelled(int rank, std::string_view text) {
  const std::string number = std::to_string(rank);
  const std::string label = std::string(label_width_ - number.size(), ' ') + number + ": ";
  std::string labelled;
  bool begins = open_ == no_rank;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    if (begins) labelled += label;
    labelled += text.substr(0, length);
    text.remove_prefix(length);
    begins = true;
  }
  return sink_(labelled);
}

std::string lost_output_line(std::string_view stream, int reason) {
  return std::string("aprun: standard ") + std::string(stream) + ": " + std::strerror(reason) +
         "; what ranks write to it is lost\n";
}

}  // namespace launch
