/* The name under which some programs ask for Cray's extensions of PMI: they are in pmi.h. */
#pragma once

#include "pmi.h"
