/* ALPS, the application launcher of Cray's machines: what its headers share. */
/*
 * A program asks ALPS for its job: libalpslli.h answers requests (which launch, which tag and
 * cookie on the network), libalpsutil.h says where the processes are.
 */
#pragma once

#include <stdint.h>
