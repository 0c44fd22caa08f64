/* The name under which some programs ask for all of Cray's PMI: versions 1 and 2. */
#pragma once

#include "pmi2.h"
