/* ALPS: where the processes of a job are, as alps_get_placement_info tells it. */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

#include "alps.h"

/* A job as one of its nodes sees it. PE: a rank of the job; nid: a node's number. */
typedef struct alps_app_layout {
  uint64_t apid;
  int controlNid; /* node that controls this one: its own, for no tree of nodes starts jobs here */
  int firstPe;    /* lowest PE of this node */
  int numPesHere; /* PEs of this node */
  int peDepth;    /* CPUs of a PE (aprun -d) */
  int numPes;     /* PEs of the job */
  int numTargets; /* nodes that this one controls: 0 */
  int numCmds;    /* programs of the job: 1 */
  int cmdNumber;  /* which of them runs here: 0 */
} alpsAppLayout_t;
