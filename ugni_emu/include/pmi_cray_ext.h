/* Another name under which programs ask for Cray's extensions of PMI. */
#pragma once

#include "pmi_cray.h"
