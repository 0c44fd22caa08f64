// bash's completion of the launchers' command lines, made from their tables of options.
#pragma once

#include <string>

namespace launch {

/// The text of the script, which bash-completion loads or a user sources.
std::string completion_script();

/// The same of rtr.
std::string rtr_completion_script();

}  // namespace launch
