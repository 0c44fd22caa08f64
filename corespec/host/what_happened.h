// An exception as a user is told of it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace corespec {

/// What `error` says; of std::bad_alloc, which says nothing, what limits memory and the ways out.
/// Behind "too many open files" comes how many `ulimit -n` allows.
std::string what_happened(const std::exception& error);

/// "; ulimit -v allows ... KB" where that is less than all; else empty. Behind an error of another
/// library, which does not say that it has no memory.
std::string address_limit();

/// What an error says if errno is that of a call that should have given a descriptor for `purpose`.
std::string no_descriptor(std::string_view purpose);

}  // namespace corespec
