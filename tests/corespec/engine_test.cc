// Tests of corespec.
#include <gtest/gtest.h>
