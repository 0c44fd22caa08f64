// Reading the text that dumpi2ascii prints of one rank's trace.
#pragma once

#include <string>

#include "apps/traces/dumpi/trace_file.h"

namespace dumpi {

/// Reads and checks a text: the calls' blocks with the counters, and of the rest, where it was
/// printed, the header and the data types' sizes. Arguments are taken in the order of print,
/// whatever they are called there, with the C type of arrays, statuses and most handles compared.
/// What only a root has is printed elsewhere, too, and left out. Whatever is wrong is a
/// std::runtime_error of one line with the file and the line.
RankTrace read_text(const std::string& path);
/// Reads and checks a rank's file, as text if its name ends in ".txt".
RankTrace read_rank(const std::string& path);
/// Reads and checks what a text file contains; errors call it `name`.
RankTrace parse_text(const std::string& name, const std::string& text);

}  // namespace dumpi
