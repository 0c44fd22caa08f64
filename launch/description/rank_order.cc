// Which rank is at which place of a job.
#include "launch/description/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace launch {
namespace {

constexpr std::size_t round_robin = 0, smp_style = 1, folded = 2, custom = 3;

/// Reads an order file's ranks one after another.
class OrderReader {
 public:
  OrderReader(std::string_view name, std::string_view text, int ranks)
      : name_(name), text_(text), ranks_(ranks), named_in_(static_cast<std::size_t>(ranks), 0) {}

  std::vector<int> read() {
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      read_line(line.substr(0, std::min(line.find('#'), end)));
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    check_all_named();
    return std::move(order_);
  }

 private:
  /// Commas are for the eye: a blank or the end of a line separates as well.
  void read_line(std::string_view line) {
    constexpr std::string_view separators = ", \t\r\v\f";
    while (true) {
      const std::size_t first = line.find_first_not_of(separators);
      if (first == std::string_view::npos) return;
      line.remove_prefix(first);
      const std::size_t end = std::min(line.find_first_of(separators), line.size());
      read_item(line.substr(0, end));
      line.remove_prefix(end);
    }
  }

  /// A rank, or a range in either direction.
  void read_item(std::string_view item) {
    const std::size_t dash = item.find('-');
    const int first = number(item.substr(0, std::min(dash, item.size())), item);
    const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1), item);
    const int step = first <= last ? 1 : -1;
    for (int rank = first; rank != last + step; rank += step) add(rank);
  }

  int number(std::string_view text, std::string_view item) const {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || text.front() == '-' || end != text.data() + text.size() ||
        error == std::errc::invalid_argument) {
      fail(
          fmt::format("\"{}\" is no rank; allowed are ranks and ranges, as 0,4-7,3-1, and # before "
                      "a comment",
                      item));
    }
    if (error != std::errc() || value >= ranks_) {
      fail(fmt::format("rank {} is not in the job; allowed is 0 to {}", text, ranks_ - 1));
    }
    return static_cast<int>(value);
  }

  void add(int rank) {
    int& line = named_in_[static_cast<std::size_t>(rank)];
    if (line != 0) {
      fail(fmt::format("rank {} has been named in line {}; each rank, 0 to {}, is named once", rank,
                       line, ranks_ - 1));
    }
    line = line_;
    order_.push_back(rank);
  }

  void check_all_named() {
    const auto missing = std::find(named_in_.begin(), named_in_.end(), 0);
    if (missing == named_in_.end()) return;
    const auto more = std::count(missing, named_in_.end(), 0) - 1;
    fail(fmt::format("the file ends without rank {}{}; each rank, 0 to {}, is named once",
                     missing - named_in_.begin(), more > 0 ? fmt::format(" and {} more", more) : "",
                     ranks_ - 1));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("{}:{}: {}", name_, std::max(line_, 1), what));
  }

  std::string_view name_;
  std::string_view text_;
  int ranks_;
  int line_ = 0;
  std::vector<int> named_in_;  ///< by rank: its line, 0: none yet
  std::vector<int> order_;
};

std::string contents(const std::string& name) {
  const auto fail = [&](const char* why) {
    throw std::invalid_argument(fmt::format(
        "{}: {} (MPICH_RANK_REORDER_METHOD=3 reads the order of ranks there)", name, why));
  };
  if (std::filesystem::is_directory(name)) fail("a folder");
  std::ifstream file(name, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) fail("cannot be read");
  return text;
}

/// Deals ranks out, one to a node, over all nodes and again; `there_and_back`: every second time
/// from the last node to the first. Full nodes are left out.
RankOrder dealt_out(int ranks, int per_node, bool there_and_back) {
  const int nodes = (ranks + per_node - 1) / per_node;
  std::vector<int> rank_at(static_cast<std::size_t>(ranks));
  int rank = 0;
  for (int sweep = 0; sweep < per_node; ++sweep) {
    for (int step = 0; step < nodes; ++step) {
      const int node = there_and_back && sweep % 2 != 0 ? nodes - 1 - step : step;
      const int place = node * per_node + sweep;
      if (place < ranks) rank_at[static_cast<std::size_t>(place)] = rank++;
    }
  }
  return RankOrder(std::move(rank_at));
}

}  // namespace

RankOrder::RankOrder(std::vector<int> rank_at) : rank_at_(std::move(rank_at)) {
  bool same = true;
  place_of_.resize(rank_at_.size());
  for (std::size_t place = 0; place < rank_at_.size(); ++place) {
    place_of_[static_cast<std::size_t>(rank_at_[place])] = static_cast<int>(place);
    same = same && rank_at_[place] == static_cast<int>(place);
  }
  if (same) *this = RankOrder();
}

RankOrder parse_rank_order(std::string_view name, std::string_view text, int ranks) {
  return RankOrder(OrderReader(name, text, ranks).read());
}

RankOrder rank_order(const corespec::Parameters& parameters, int ranks, int per_node) {
  switch (parameters.rank_reorder_method) {
    case round_robin:
      return dealt_out(ranks, per_node, false);
    case folded:
      return dealt_out(ranks, per_node, true);
    case custom:
      return parse_rank_order(parameters.rank_reorder_file, contents(parameters.rank_reorder_file),
                              ranks);
    default:
      return {};
  }
}

std::string rank_order_text(const corespec::Parameters& parameters, const RankOrder& order,
                            int ranks, int per_node, const std::vector<int>& nids) {
  const auto nid_at = [&](int place) { return nids[static_cast<std::size_t>(place / per_node)]; };
  const std::string how[] = {
      "Using round-robin rank ordering", "Using default aprun rank ordering",
      "Using folded rank ordering",
      fmt::format("Using a custom rank order from file: {}", parameters.rank_reorder_file)};
  std::string text =
      fmt::format("[PE_0]: MPI rank order: {}.\n", how[parameters.rank_reorder_method]);
  for (int rank = 0; rank < ranks; ++rank) {
    text += fmt::format("[PE_0]: rank {} is on nid{:05}", rank, nid_at(order.place_of(rank)));
    if (parameters.rank_reorder_method != smp_style) {
      text += fmt::format("; originally was on nid{:05}", nid_at(rank));
    }
    text += '\n';
  }
  return text;
}

}  // namespace launch
