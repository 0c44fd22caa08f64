// Loading a copy in a process of its own first: what the dynamic loader dies of, it dies of there.
#pragma once

#include <string>

namespace launch {

class ProgramImage;

/// Loads a copy of the program in a child process. Throws LoadError if that crashes, ends or takes
/// for ever: a damaged file can lead the dynamic loader astray in ways that no check foresees. An
/// error that it reports is left to the caller's own loading.
void try_loading(const ProgramImage& image);

/// What is said of a file that the dynamic loader dies of: by a signal, or (0) by no end.
std::string loader_crash(int signal);

}  // namespace launch
