/* RCA: how a node is named. */
#pragma once

#include <stdint.h>

/* A node's number and place: four nodes to a blade (slot), eight blades to a cage, or on a
   dragonfly sixteen. Where in the network that is: docs/network.md, as `rtr --interconnect` names
   it. */
typedef union rs_node {
  uint64_t rs_node_flat;
  struct {
    uint64_t _node_id : 18;     /* nid, which is the PE address of its NIC, too */
    uint64_t _node_type : 4;    /* RS_NODE_TYPE_COMPUTE */
    uint64_t _node_state : 4;   /* RS_CS_READY */
    uint64_t _node_x : 8;       /* cabinet in its row */
    uint64_t _node_row : 8;     /* row of cabinets */
    uint64_t _node_cage : 4;    /* from the lowest */
    uint64_t _node_slot : 4;    /* blade in the cage */
    uint64_t _node_modcomp : 3; /* node on the blade */
    uint64_t _node_link : 2;    /* Gemini of the blade; 0 on a dragonfly */
  } rs_node_s;
} rs_node_t;

#define RS_NODE_TYPE_COMPUTE 1
#define RS_CS_READY 7

typedef struct rs_node_array {
  int na_len;
  rs_node_t* na_ids;
} rs_node_array_t;
