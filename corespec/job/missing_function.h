// Where the call of a function ends that no library has.
#pragma once

/// Ends the caller's job with one line that names the function. The launcher gives it to programs
/// in the place of functions that they refer to and that do not exist
/// (launch/loader/missing_library.h).
extern "C" [[noreturn]] void castor_missing_function(const char* name);
