// What is said of functions that no library has.
#include "corespec/job/missing_function.h"

#include <gtest/gtest.h>

namespace {

using corespec::missing_function_remedy;

TEST(MissingFunctionRemedy, IsNoLibraryWhereTheFunctionIsMpis) {
  for (const char* name : {"MPI_Nobody_has", "PMPI_Nobody_has", "mpi_nobody_has_"}) {
    EXPECT_STREQ(missing_function_remedy(name), "Castor's MPI does not have it") << name;
  }
  for (const char* name : {"MPI_File_nobody_has", "PMPI_File_nobody_has", "mpi_file_nobody_has_"}) {
    EXPECT_STREQ(missing_function_remedy(name), "Castor's MPI has no files (MPI-IO) yet") << name;
  }
  for (const char* name : {"nobody_has", "dmapp_put", "MPIR_Nobody_has", ""}) {
    EXPECT_STREQ(missing_function_remedy(name), "link the library that defines it") << name;
  }
}

}  // namespace
