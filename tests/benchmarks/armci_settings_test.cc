// What the ARMCI benchmarks print of the environment is what the library makes of it.
#include "benchmarks/common/armci_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"

namespace {

void expect_the_librarys(const std::vector<corespec::Setting>& settings) {
  for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> errors;
  const corespec::Parameters library = corespec::read_parameters(settings, errors);
  EXPECT_TRUE(errors.empty());
  const armci_settings printed = read_armci_settings();
  EXPECT_EQ(library.armci_direct, printed.direct != 0);
  EXPECT_EQ(library.armci_eager_get, printed.eager_get != 0);
  EXPECT_EQ(library.armci_eager_limit, printed.eager_limit);
  EXPECT_EQ(library.armci_cht_buffers, printed.buffers);
  EXPECT_EQ(library.armci_cht_buffer_size, printed.buffer_size);
  for (const auto& [name, value] : settings) unsetenv(name.c_str());
}

TEST(ArmciSettings, AreTheLibrarys) {
  expect_the_librarys({});
  expect_the_librarys({{"CASTOR_ARMCI_DIRECT", "1"}, {"CASTOR_ARMCI_EAGER_GET", "0"}});
  expect_the_librarys({{"CASTOR_ARMCI_DIRECT", "enabled"},
                       {"CASTOR_ARMCI_EAGER_GET", "yes"},
                       {"CASTOR_ARMCI_EAGER_LIMIT", "10K"},
                       {"CASTOR_ARMCI_CHT_BUFFERS", "8"},
                       {"CASTOR_ARMCI_CHT_BUFFER_SIZE", "64K"}});
}

}  // namespace
