/* Process topologies and neighbourhood collectives (part of mpi.h). */
#ifndef CASTOR_MPI_TOPOLOGY_H
#define CASTOR_MPI_TOPOLOGY_H

#include "mpi_constants.h"
#include "mpi_declaration.h"
#include "mpi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names and errors as in mpi_functions.h. In addition: MPI_ERR_TOPOLOGY (the communicator has no
 * topology, or not of this kind), MPI_ERR_DIMS (a dimension that is not positive, or more places
 * than ranks), MPI_ERR_COMM (an intercommunicator). A topology belongs to its communicator and goes
 * to its duplicates. With reorder, which all ranks give alike, ranks get new numbers where fewer
 * neighbours are on other nodes then, or fewer hops away; else they keep theirs.
 */
/* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED. */
CASTOR_MPI(int, Topo_test, (MPI_Comm comm, int* status))

/* Grids: the last coordinate runs fastest with the rank ---------------------------------------- */

/* Fills the zeros of dims so that the product is nnodes: with the least difference between the
   largest and the smallest, in descending order (MPI_ERR_DIMS: the others do not divide nnodes). */
CASTOR_MPI(int, Dims_create, (int nnodes, int ndims, int dims[]))
/* Collective. Ranks beyond the product of dims get MPI_COMM_NULL. */
CASTOR_MPI(int, Cart_create,
           (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
            MPI_Comm* comm_cart))
/* The caller's rank in such a grid with reorder, or MPI_UNDEFINED. */
CASTOR_MPI(int, Cart_map,
           (MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank))
/* Collective. The part of the grid that the caller is in if only the dimensions vary for which
   remain_dims is not 0. */
CASTOR_MPI(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm))
CASTOR_MPI(int, Cartdim_get, (MPI_Comm comm, int* ndims))
/* maxdims: room in the arrays, at least the number of dimensions (MPI_ERR_ARG). */
CASTOR_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]))
/* Coordinates of a periodic dimension are taken modulo its size; others must be in the grid
   (MPI_ERR_ARG). */
CASTOR_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int* rank))
CASTOR_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]))
/* The ranks disp before and beyond the caller (MPI_PROC_NULL outside of the grid). */
CASTOR_MPI(int, Cart_shift,
           (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest))

/* Graphs --------------------------------------------------------------------------------------- */

/* Collective; all ranks give the same. Rank i's neighbours are edges[index[i-1]] to
   edges[index[i]-1]. Ranks beyond nnodes get MPI_COMM_NULL. */
CASTOR_MPI(int, Graph_create,
           (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
            MPI_Comm* comm_graph))
CASTOR_MPI(int, Graph_map,
           (MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank))
CASTOR_MPI(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges))
/* As much as there is room for. */
CASTOR_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]))
CASTOR_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* nneighbors))
CASTOR_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]))
/* Collective. Each rank gives the edges that arrive at it and leave it. Weights: not negative
   (MPI_ERR_ARG); MPI_UNWEIGHTED at all ranks if there are none. */
CASTOR_MPI(int, Dist_graph_create_adjacent,
           (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
            int outdegree, const int destinations[], const int destweights[], MPI_Info info,
            int reorder, MPI_Comm* comm_dist_graph))
/* Collective. Each rank gives some edges of the graph: from sources[i] the next degrees[i] of
   destinations. A rank's neighbours are in the order of the ranks that gave the edges. */
CASTOR_MPI(int, Dist_graph_create,
           (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
            const int destinations[], const int weights[], MPI_Info info, int reorder,
            MPI_Comm* comm_dist_graph))
CASTOR_MPI(int, Dist_graph_neighbors_count,
           (MPI_Comm comm, int* indegree, int* outdegree, int* weighted))
/* As much as there is room for; weights are left alone if the graph has none. */
CASTOR_MPI(int, Dist_graph_neighbors,
           (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
            int destinations[], int destweights[]))

/* Neighbourhood collectives: parts go to and come from the neighbours in the order in which
   MPI_Dist_graph_neighbors or MPI_Graph_neighbors give them; on a grid for each dimension first the
   one below, then the one above, and parts for MPI_PROC_NULL are left alone. Where a rank is a
   neighbour more than once its messages keep their order; along a periodic dimension of one or two
   ranks what goes down comes from above. The w forms: displacements are bytes. Non-blocking forms
   as the other collectives'. ----------------------------------------------------------------- */

CASTOR_MPI(int, Neighbor_allgather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Ineighbor_allgather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Neighbor_allgatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Ineighbor_allgatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Neighbor_alltoall,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Ineighbor_alltoall,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Neighbor_alltoallv,
           (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm))
CASTOR_MPI(int, Ineighbor_alltoallv,
           (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Neighbor_alltoallw,
           (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm))
CASTOR_MPI(int, Ineighbor_alltoallw,
           (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
            MPI_Request* request))

#ifdef __cplusplus
}
#endif

#endif
