// Output of many ranks as one stream of whole lines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace launch {

/// Puts together what ranks write, in whatever pieces, so that lines of different ranks never mix.
/// An unfinished line waits for its end, the end of its rank or its 65,537th byte; the only rank of
/// a job waits for nothing. A rank that writes where another one's line has been left unfinished
/// begins a new line.
class RankLines {
 public:
  struct Form {
    int ranks = 1;
    bool labels = false;  ///< lines begin with their rank: "12: ", as wide as the highest one's
  };
  /// Where the stream goes; false if it cannot be written.
  using Sink = std::function<bool(std::string_view)>;
  static constexpr int no_rank = -1;

  RankLines(Form form, Sink sink);
  RankLines(const RankLines&) = delete;
  RankLines& operator=(const RankLines&) = delete;

  /// `rank` has written `text`. False if the sink has failed.
  bool add(int rank, std::string_view text);
  /// The rank writes no more: its unfinished line goes out, with labels to its end.
  void end(int rank);
  /// The same of all ranks, in order; but of the rank `but`.
  void end_all(int but = no_rank);
  /// Ends the line that the stream ends with, if it is unfinished: the launcher's comes next.
  void end_open();
  /// What waits of a rank's unfinished line.
  std::string_view unfinished(int rank) const;

 private:
  bool emit(int rank, std::string_view text);
  bool emit_labelled(int rank, std::string_view text);

  Form form_;
  Sink sink_;
  std::size_t label_width_;
  std::map<int, std::string> unfinished_;
  int open_ = no_rank;  ///< whose line the stream ends with, unfinished
};

/// What is said when a stream of ranks' output ("output" or "error") cannot be written; `reason` is
/// an errno.
std::string lost_output_line(std::string_view stream, int reason);

}  // namespace launch
