// The manual pages, made from the tables of options and parameters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace launch {

/// aprun(1), which is mpiexec(1) and mpirun(1), too.
std::string aprun_page(std::string_view version);

std::string rtr_page(std::string_view version);
/// grid_order(1).
std::string grid_order_page(std::string_view version);
/// link_map(1).
std::string link_map_page(std::string_view version);

/// castor-variables(7): every parameter.
std::string variables_page(std::string_view version);

/// mpicc(1), which is mpicxx(1) and mpifort(1), too. `options`: names and what they do.
std::string mpicc_page(std::string_view version,
                       const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace launch
