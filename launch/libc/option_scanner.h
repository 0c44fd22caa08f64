// GNU getopt on a rank's own variables (optarg, optind, opterr, optopt).
#pragma once

#include <getopt.h>

#include "launch/libc/rank_program.h"

namespace launch {

/// One call of getopt. Behaves as the GNU C library's, with permutation, "+" and "-" orders,
/// optional arguments, abbreviated long options and its messages; "W;" is not special.
class OptionScanner {
 public:
  OptionScanner(RankProgram& program, int argc, char** argv, const char* short_options);

  /// What getopt returns. `long_options` and `index` may be null; `single_dash` accepts long
  /// options after one dash.
  int next(const option* long_options, int* index, bool single_dash);

 private:
  enum class Order { permute, require, in_order };

  void restart_if_asked();
  bool at_option(int index) const { return argv_[index][0] == '-' && argv_[index][1] != '\0'; }
  void skip_operands();
  void move_operands_back();
  int next_short();
  int next_long(const option* options, int* index, const char* dashes, bool single_dash);
  const option* find_long(const option* options, std::size_t length, const char* dashes,
                          bool& ambiguous) const;
  int take_long_argument(const option& found, const char* after_name, const char* dashes);
  int missing_argument() const { return colon_ ? ':' : '?'; }
  void complain_ambiguous(const option* options, std::size_t length, const char* dashes) const;
  void complain(const char* format, ...) const __attribute__((format(printf, 2, 3)));

  RankProgram::OptionScan& scan_;
  char*& argument_;
  int& index_;
  int& option_;
  int argc_;
  char** argv_;
  const char* short_options_;
  Order order_ = Order::permute;
  bool colon_ = false;  ///< the program tells a missing argument from an unknown option
  bool complains_ = true;
};

}  // namespace launch
