// A timeline as an OTF2 archive, for Vampir and its like.
#pragma once

#include <string>

#include "launch/timeline/timeline_table.h"

namespace launch {

/// True of names that ask for an archive: they end in .otf2.
bool names_otf2(const std::string& file);

/// Throws as write_otf2() does if it will not be able to write `file`.
void check_otf2(const std::string& option, const std::string& file);

/// Writes FOLDER/NAME.otf2, FOLDER/NAME.def and the folder FOLDER/NAME for `file`,
/// "FOLDER/NAME.otf2"; where one of the last two is there already, `file` becomes a folder with
/// these three in it, and a line says so. A process to each rank, with its threads, and one to each
/// node; a message's two ends stand in its ranks' main threads. Throws std::runtime_error with one
/// line: option, file, why.
void write_otf2(const std::string& option, const std::string& file, const TimelineTable& timeline,
                const std::string& run);

}  // namespace launch
