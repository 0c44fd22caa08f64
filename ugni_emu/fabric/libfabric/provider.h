// Which of libfabric's providers there are to choose from.
#pragma once

#include <string>

namespace ugni::fabric {

/// Names of the providers that have reliable unconnected endpoints, as "a, b, c".
std::string known_providers();

/// Throws std::invalid_argument with one line unless libfabric has one of that name (as
/// CASTOR_PROVIDER gives it) here.
void check_provider(const std::string& name);

}  // namespace ugni::fabric
