// An exception as a user is told of it.
#pragma once

#include <exception>
#include <string>

namespace corespec {

/// What `error` says; of std::bad_alloc, which says nothing, what limits memory and the ways out.
std::string what_happened(const std::exception& error);

}  // namespace corespec
