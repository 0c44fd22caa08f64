// Assertions that release builds keep: a mistake of Castor's own ends the run with one line.
#pragma once

namespace corespec {

/// Writes "castor: internal error: FILE:LINE: what" to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* what);

}  // namespace corespec

/// `what` says in words what does not hold. For what costs a compare where it stands: both ends of
/// the wire, credits, slots, loans, states. What users can get wrong is no matter for it.
#define CASTOR_CHECK(condition, what)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) != 0 \
       ? static_cast<void>(0)                             \
       : ::corespec::check_failed(__FILE__, __LINE__, what))

/// For the `default:` of a switch over an enumeration of ours, and other places that are not
/// reached.
#define CASTOR_NEVER(what) ::corespec::check_failed(__FILE__, __LINE__, what)
