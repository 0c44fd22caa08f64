// Runs a program on the ranks of a job in virtual time: what aprun does after its options.
#pragma once

#include "launch/description/options.h"
#include "launch/virtual_launcher/tls_room.h"

namespace launch {

/// Loads and runs the program; returns aprun's exit code. Throws UsageError, LoadError or
/// std::invalid_argument (one line each) before anything runs. May execute the launcher anew.
int run_program(const AprunOptions& options, const TlsRoom& tls_room);

}  // namespace launch
