// grid_order's command line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "launch/grid_order/cell_order.h"

namespace launch {

/// One line: the option, its value, what is allowed.
class GridUsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GridOption {
  std::string_view name, values, help;
};
constexpr GridOption grid_options[] = {
    {"-R", "",
     "ranks are numbered by rows: the grid's last coordinate runs fastest, as in C and in "
     "MPI_Cart_create"},
    {"-C", "", "by columns: the first coordinate runs fastest, as in Fortran"},
    {"-g", "N1,N2,...", "sizes of the grid of ranks"},
    {"-c", "n1,n2,...",
     "sizes of a cell, a block of the grid: its ranks stand together in the order. Best is a cell "
     "with as many ranks as a node has (aprun -N), whose sizes divide the grid's"},
    {"-Z", "", "each row of cells is listed in the same direction (the default)"},
    {"-P", "",
     "every second row of cells is listed backwards: cells that follow each other are neighbours"},
    {"-m", "RANKS",
     "ranks of the job, if they are not as many as the grid has: higher ranks are left out, or "
     "follow at the end"},
    {"-n", "COUNT", "so many ranks to a line, in place of a cell's"},
    {"--help", "", "print this"},
    {"--version", "", "print the version"},
};

/// With --help or --version `action` says so, and the other members have no meaning.
struct GridCommand {
  enum class Action { write, help, version };
  Action action = Action::write;
  GridRequest request;
};
/// Throws GridUsageError.
GridCommand parse_grid_command(const std::vector<std::string>& arguments);

std::string grid_order_help();

}  // namespace launch
