// Writes the manual pages and the completion of the shell, as part of building.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "launch/pages/completion.h"
#include "launch/pages/manual.h"

namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw std::runtime_error(path + " cannot be written");
}

/// Lines of a name, a tab and what it does.
std::vector<std::pair<std::string, std::string>> read_options(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::pair<std::string, std::string>> options;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path + ": no tab in: " + line);
    options.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  if (options.empty()) throw std::runtime_error(path + " cannot be read");
  return options;
}

/// Pages are links: a page of another name says where it is.
void write_pages(const std::string& share, const std::string& version,
                 const std::string& mpicc_options) {
  const std::string manual = share + "/man";
  write_file(manual + "/man1/aprun.1", launch::aprun_page(version));
  for (const char* name : {"mpiexec", "mpirun"}) {
    write_file(fmt::format("{}/man1/{}.1", manual, name), ".so man1/aprun.1\n");
  }
  write_file(manual + "/man1/mpicc.1", launch::mpicc_page(version, read_options(mpicc_options)));
  for (const char* name : {"mpicxx", "mpifort", "mpif77", "mpif90"}) {
    write_file(fmt::format("{}/man1/{}.1", manual, name), ".so man1/mpicc.1\n");
  }
  write_file(manual + "/man1/rtr.1", launch::rtr_page(version));
  write_file(manual + "/man1/grid_order.1", launch::grid_order_page(version));
  write_file(manual + "/man1/link_map.1", launch::link_map_page(version));
  write_file(manual + "/man7/castor-variables.7", launch::variables_page(version));
  write_file(share + "/bash-completion/completions/aprun", launch::completion_script());
  write_file(share + "/bash-completion/completions/rtr", launch::rtr_completion_script());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: make_pages SHARE_FOLDER VERSION MPICC_OPTIONS\n", stderr);
    return 2;
  }
  try {
    write_pages(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fputs(fmt::format("make_pages: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
