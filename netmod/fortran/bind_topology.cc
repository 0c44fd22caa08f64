// Fortran's names: process topologies and neighbourhood collectives.
#include "netmod/fortran/binding.h"

CASTOR_FORTRAN(2, topo_test, Topo_test);
CASTOR_FORTRAN(3, dims_create, Dims_create);
CASTOR_FORTRAN(6, cart_create, Cart_create);
CASTOR_FORTRAN(5, cart_map, Cart_map);
CASTOR_FORTRAN(3, cart_sub, Cart_sub);
CASTOR_FORTRAN(2, cartdim_get, Cartdim_get);
CASTOR_FORTRAN(5, cart_get, Cart_get);
CASTOR_FORTRAN(3, cart_rank, Cart_rank);
CASTOR_FORTRAN(4, cart_coords, Cart_coords);
CASTOR_FORTRAN(5, cart_shift, Cart_shift);
CASTOR_FORTRAN(6, graph_create, Graph_create);
CASTOR_FORTRAN(5, graph_map, Graph_map);
CASTOR_FORTRAN(3, graphdims_get, Graphdims_get);
CASTOR_FORTRAN(5, graph_get, Graph_get);
CASTOR_FORTRAN(3, graph_neighbors_count, Graph_neighbors_count);
CASTOR_FORTRAN(4, graph_neighbors, Graph_neighbors);
CASTOR_FORTRAN(10, dist_graph_create_adjacent, Dist_graph_create_adjacent);
CASTOR_FORTRAN(9, dist_graph_create, Dist_graph_create);
CASTOR_FORTRAN(4, dist_graph_neighbors_count, Dist_graph_neighbors_count);
CASTOR_FORTRAN(7, dist_graph_neighbors, Dist_graph_neighbors);
CASTOR_FORTRAN(7, neighbor_allgather, Neighbor_allgather);
CASTOR_FORTRAN(8, ineighbor_allgather, Ineighbor_allgather);
CASTOR_FORTRAN(8, neighbor_allgatherv, Neighbor_allgatherv);
CASTOR_FORTRAN(9, ineighbor_allgatherv, Ineighbor_allgatherv);
CASTOR_FORTRAN(7, neighbor_alltoall, Neighbor_alltoall);
CASTOR_FORTRAN(8, ineighbor_alltoall, Ineighbor_alltoall);
CASTOR_FORTRAN(9, neighbor_alltoallv, Neighbor_alltoallv);
CASTOR_FORTRAN(10, ineighbor_alltoallv, Ineighbor_alltoallv);
CASTOR_FORTRAN(9, neighbor_alltoallw, Neighbor_alltoallw);
CASTOR_FORTRAN(10, ineighbor_alltoallw, Ineighbor_alltoallw);
