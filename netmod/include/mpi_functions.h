/* Functions of the MPI interface (part of mpi.h). */
#ifndef CASTOR_MPI_FUNCTIONS_H
#define CASTOR_MPI_FUNCTIONS_H

#include "mpi_constants.h"
#include "mpi_declaration.h"
#include "mpi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every function exists as PMPI_x and, weakly, as MPI_x, so that tools can put themselves between.
 *
 * All but the clocks return MPI_SUCCESS or an error class. Before they return an error they call
 * the error handler of the communicator they were given, else (and where that has none of its own)
 * that of MPI_COMM_WORLD; the default, MPI_ERRORS_ARE_FATAL, ends the job with one line that names
 * the function and the argument.
 * Errors that any function can return: MPI_ERR_COMM (not a communicator), MPI_ERR_OTHER (before
 * MPI_Init or after MPI_Finalize). Counts are numbers of elements of the datatype named beside them
 * and must not be negative, nor may the elements' bytes or places need more than 64 bits
 * (MPI_ERR_COUNT); a datatype must be committed (MPI_ERR_TYPE); a buffer
 * may be null only if its count is 0 or its datatype holds addresses (MPI_ERR_BUFFER). Ranks are
 * those of the communicator (MPI_ERR_RANK; of a root: MPI_ERR_ROOT), MPI_PROC_NULL where messages
 * go or come from; tags are 0 and above (MPI_ERR_TAG). Pointers to results must not be null
 * (MPI_ERR_ARG), but MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are allowed for statuses.
 */

/* Start and end ----------------------------------------------------------------------------- */

/* First call of a rank; argc and argv are left alone and may be null. Thread level: single, or
   what asynchronous progress needs. */
CASTOR_MPI(int, Init, (int* argc, char*** argv))
/* The same with a wanted thread level; *provided is what the run allows (MPICH_MAX_THREAD_SAFETY),
   which may be less. */
CASTOR_MPI(int, Init_thread, (int* argc, char*** argv, int required, int* provided))
/* Allowed at any time: *flag = has MPI_Init (MPI_Finalize) been called. */
CASTOR_MPI(int, Initialized, (int* flag))
CASTOR_MPI(int, Finalized, (int* flag))
/* Last call of a rank; collective over the job. */
CASTOR_MPI(int, Finalize, (void))
/* Thread level granted; whether the caller is the thread that called MPI_Init. */
CASTOR_MPI(int, Query_thread, (int* provided))
CASTOR_MPI(int, Is_thread_main, (int* flag))
/* Ends the whole job with exit code errorcode; does not return. */
CASTOR_MPI(int, Abort, (MPI_Comm comm, int errorcode))
/* Seconds since the start of the run, and the length of a clock step. No progress is made. */
CASTOR_MPI(double, Wtime, (void))
CASTOR_MPI(double, Wtick, (void))
/* Name of the node, as on a Cray: nid and five digits. */
CASTOR_MPI(int, Get_processor_name, (char* name, int* resultlen))
/* Allowed at any time. */
CASTOR_MPI(int, Get_version, (int* version, int* subversion))
CASTOR_MPI(int, Get_library_version, (char* version, int* resultlen))
/* A hint to profilers; nothing happens here. */
CASTOR_MPI(int, Pcontrol, (const int level, ...))

/* Point to point, blocking ------------------------------------------------------------------ */

/* Returns when buf may be reused. */
CASTOR_MPI(int, Send,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
/* Returns when the receive has been matched. */
CASTOR_MPI(int, Ssend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
/* The receive must have been posted; works like MPI_Send. */
CASTOR_MPI(int, Rsend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
/* Copies the message into the attached buffer and returns (MPI_ERR_BUFFER: it does not fit). */
CASTOR_MPI(int, Bsend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm))
/* size bytes at buffer hold the messages of MPI_Bsend, each with MPI_BSEND_OVERHEAD. */
CASTOR_MPI(int, Buffer_attach, (void* buffer, int size))
/* Waits until the messages are out; *(void **)buffer and *size say what was attached. */
CASTOR_MPI(int, Buffer_detach, (void* buffer, int* size))
/* At most count elements; a longer message is an error (MPI_ERR_TRUNCATE), what fits is there. */
CASTOR_MPI(int, Recv,
           (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Status* status))
/* Both at once; the buffers must not overlap. */
CASTOR_MPI(int, Sendrecv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
            MPI_Comm comm, MPI_Status* status))
/* Both in one buffer: what was there is sent, what comes replaces it. */
CASTOR_MPI(int, Sendrecv_replace,
           (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
            int recvtag, MPI_Comm comm, MPI_Status* status))
/* As MPI_Probe, and takes the message: nothing but MPI_Mrecv or MPI_Imrecv receives it then. A
   source of MPI_PROC_NULL gives MPI_MESSAGE_NO_PROC. */
CASTOR_MPI(int, Mprobe,
           (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status))
CASTOR_MPI(int, Improbe,
           (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
            MPI_Status* status))
/* Receives it; *message becomes MPI_MESSAGE_NULL. MPI_ERR_REQUEST: not a message. */
CASTOR_MPI(int, Mrecv,
           (void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status))
CASTOR_MPI(int, Imrecv,
           (void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
            MPI_Request* request))
/* As the macros of the other handles, but functions, as in MPICH. They take no part in errors. */
CASTOR_MPI(MPI_Fint, Message_c2f, (MPI_Message message))
CASTOR_MPI(MPI_Message, Message_f2c, (MPI_Fint message))
/* Waits for a matching message (Iprobe: looks once, making progress) and leaves it there. */
CASTOR_MPI(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status))
CASTOR_MPI(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status))
/* Whole elements received; MPI_UNDEFINED if the bytes are not a multiple of the datatype's size. */
CASTOR_MPI(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count))
/* Basic elements received; MPI_UNDEFINED if the last one is incomplete. */
CASTOR_MPI(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count))

CASTOR_MPI(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count))
/* Between a status and Fortran's, MPI_STATUS_SIZE (5) integers. MPI_ERR_ARG: null pointers, or what
   stands for statuses that are ignored. */
CASTOR_MPI(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status))
CASTOR_MPI(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status))
/* Makes a status say that count basic elements came, or whether its operation was cancelled. */
CASTOR_MPI(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count))
CASTOR_MPI(int, Status_set_elements_x,
           (MPI_Status * status, MPI_Datatype datatype, MPI_Count count))
CASTOR_MPI(int, Status_set_cancelled, (MPI_Status * status, int flag))

/* Point to point, non-blocking: the buffer belongs to the library until the request completes -- */

CASTOR_MPI(int, Isend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Issend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Irsend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Ibsend,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Irecv,
           (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Request* request))
/* Persistent: an inactive request that MPI_Start starts as often as wanted. */
CASTOR_MPI(int, Send_init,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Ssend_init,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Rsend_init,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Bsend_init,
           (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Recv_init,
           (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Request* request))
/* MPI_ERR_REQUEST: not a persistent request, or already started. */
CASTOR_MPI(int, Start, (MPI_Request * request))
CASTOR_MPI(int, Startall, (int count, MPI_Request requests[]))

/* Completion. A completed request becomes MPI_REQUEST_NULL (a persistent one inactive). Null and
   inactive requests count as complete with an empty status (any source, any tag, 0 bytes); where
   one of several is wanted they are passed over, and if there is no other the index is
   MPI_UNDEFINED. The forms over several requests return MPI_ERR_IN_STATUS if one of them failed;
   then each status's MPI_ERROR says how its request ended. ---------------------------------------
 */

CASTOR_MPI(int, Wait, (MPI_Request * request, MPI_Status* status))
CASTOR_MPI(int, Waitall, (int count, MPI_Request requests[], MPI_Status* statuses))
CASTOR_MPI(int, Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status))
CASTOR_MPI(int, Waitsome,
           (int incount, MPI_Request requests[], int* outcount, int indices[],
            MPI_Status* statuses))
/* Tests return at once and make progress. */
CASTOR_MPI(int, Test, (MPI_Request * request, int* flag, MPI_Status* status))
CASTOR_MPI(int, Testall, (int count, MPI_Request requests[], int* flag, MPI_Status* statuses))
CASTOR_MPI(int, Testany,
           (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status))
CASTOR_MPI(int, Testsome,
           (int incount, MPI_Request requests[], int* outcount, int indices[],
            MPI_Status* statuses))
/* Gives the handle up; the operation, if under way, completes by itself. */
CASTOR_MPI(int, Request_free, (MPI_Request * request))
/* Like MPI_Test, but leaves the request as it is. */
CASTOR_MPI(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status))
/* Asks that a receive nothing has matched (or a send that has not left) be taken back; the request
   must still be completed, and MPI_Test_cancelled on its status says whether it was. */
CASTOR_MPI(int, Cancel, (MPI_Request * request))
CASTOR_MPI(int, Test_cancelled, (const MPI_Status* status, int* flag))

/* A request for what the program does itself: it is complete when the program calls
   MPI_Grequest_complete. query fills the status of a completed request, free_fn ends the request
   after that (or after MPI_Request_free), cancel hears of MPI_Cancel and whether it is complete; an
   error code that one of them returns is that of the call. */
CASTOR_MPI(int, Grequest_start,
           (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free_fn,
            MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request))
CASTOR_MPI(int, Grequest_complete, (MPI_Request request))

/* Collectives: every rank of comm calls them in the same order. MPI_IN_PLACE as in the standard.
   MPI_ERR_OP: the operation is not defined on the datatype. MPI_ERR_BUFFER: what is sent and what
   is received are the same memory. MPI_ERR_TRUNCATE: ranks gave sizes that do not fit together;
   every rank whose result depends on them hears of it. Of a part without elements neither the
   displacement nor, where it has one of its own, the datatype is looked at.
   -------------------------------- */

CASTOR_MPI(int, Barrier, (MPI_Comm comm))
CASTOR_MPI(int, Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm))
CASTOR_MPI(int, Reduce,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            int root, MPI_Comm comm))
CASTOR_MPI(int, Allreduce,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm))
/* Each rank gets recvcount (Reduce_scatter: recvcounts[rank]) elements of the result. */
CASTOR_MPI(int, Reduce_scatter_block,
           (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm))
CASTOR_MPI(int, Reduce_scatter,
           (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm))
/* Reductions over the ranks up to and including (Exscan: before) the caller. */
CASTOR_MPI(int, Scan,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm))
CASTOR_MPI(int, Exscan,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm))
CASTOR_MPI(int, Gather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm))
CASTOR_MPI(int, Gatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm))
CASTOR_MPI(int, Scatter,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm))
CASTOR_MPI(int, Scatterv,
           (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
CASTOR_MPI(int, Allgather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Allgatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Alltoall,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm))
CASTOR_MPI(int, Alltoallv,
           (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm))

/* Each part has a datatype of its own; displacements are bytes. */
CASTOR_MPI(int, Alltoallw,
           (const void* sendbuf, const int sendcounts[], const int sdispls[],
            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
            const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm))

/* Non-blocking collectives: called in the same order by all ranks, too, among themselves and with
   the blocking ones; several may be under way. Buffers must not be touched, counts and
   displacements may be, until the request is complete; it can be neither freed nor cancelled
   (MPI_ERR_REQUEST). What ranks gave differently ends as MPI_ERR_TRUNCATE when the request does. --
 */

CASTOR_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Ibcast,
           (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Igather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Igatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iscatter,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iscatterv,
           (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
            void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Iallgather,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iallgatherv,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Ialltoall,
           (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Ialltoallv,
           (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Ialltoallw,
           (const void* sendbuf, const int sendcounts[], const int sdispls[],
            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
            const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
            MPI_Request* request))
CASTOR_MPI(int, Ireduce,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            int root, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iallreduce,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Ireduce_scatter_block,
           (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Ireduce_scatter,
           (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iscan,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request* request))
CASTOR_MPI(int, Iexscan,
           (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request* request))

/* Operations: commute = 0 keeps the order of ranks. MPI_ERR_OP: not one that can be freed. */
CASTOR_MPI(int, Op_create, (MPI_User_function * function, int commute, MPI_Op* op))
CASTOR_MPI(int, Op_free, (MPI_Op * op))
CASTOR_MPI(int, Op_commutative, (MPI_Op op, int* commute))
/* inoutbuf = inbuf op inoutbuf, on this rank alone. */
CASTOR_MPI(int, Reduce_local,
           (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op))

/* Communicators and groups ------------------------------------------------------------------ */

/* Functions that make communicators set the handle to MPI_COMM_NULL first. A rank may have 16,384
   at a time (MPI_ERR_OTHER at all ranks that take part, and nothing is made). */

CASTOR_MPI(int, Comm_rank, (MPI_Comm comm, int* rank))
CASTOR_MPI(int, Comm_size, (MPI_Comm comm, int* size))
CASTOR_MPI(int, Comm_test_inter, (MPI_Comm comm, int* flag))
/* Collective. A copy with its own message space and the copied attributes. */
CASTOR_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm))
/* The same with the hints of info (MPI_INFO_NULL: none) in the place of comm's. */
CASTOR_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm))
/* Non-blocking: newcomm may be used when the request is complete. */
CASTOR_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request))
/* Hints are kept, and given back as a new info object; none is acted on. */
CASTOR_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info))
CASTOR_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info_used))
/* Collective. Ranks of equal color (0 and above) together, by key, then by old rank; color
   MPI_UNDEFINED gets MPI_COMM_NULL (other negative colors: MPI_ERR_ARG). */
CASTOR_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm))
/* split_type MPI_COMM_TYPE_SHARED: the ranks of a node together; MPI_UNDEFINED: none. */
CASTOR_MPI(int, Comm_split_type,
           (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm))
/* Collective over comm; group is part of comm's (MPI_ERR_GROUP); others get MPI_COMM_NULL. */
CASTOR_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm))
/* Collective over the members of group only; tag tells calls apart that are under way together. */
CASTOR_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm))
CASTOR_MPI(int, Comm_free, (MPI_Comm * comm))
/* The same, collectively, when the caller's communication on *comm is done: its sends have left,
   its receives have been matched and are here. */
CASTOR_MPI(int, Comm_disconnect, (MPI_Comm * comm))
/* *parent = MPI_COMM_NULL: no rank has been started by another program. */
CASTOR_MPI(int, Comm_get_parent, (MPI_Comm * parent))
CASTOR_MPI(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result))
CASTOR_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group* group))
/* Names are cut at MPI_MAX_OBJECT_NAME - 1 characters. */
CASTOR_MPI(int, Comm_set_name, (MPI_Comm comm, const char* name))
CASTOR_MPI(int, Comm_get_name, (MPI_Comm comm, char* name, int* resultlen))
/* Intercommunicators: ranks in point-to-point calls are the other group's, and collectives' data
   go to it; roots: MPI_ROOT at the root, MPI_PROC_NULL at the rest of its group, the root's rank in
   the other. Scans, neighbourhoods, topologies: MPI_ERR_COMM. On others the first two and the last
   give MPI_ERR_COMM. */
CASTOR_MPI(int, Comm_remote_size, (MPI_Comm comm, int* size))
CASTOR_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group))
/* Collective over both groups, whose leaders know each other in peer_comm (only looked at there).
   The groups must not share members (MPI_ERR_COMM). */
CASTOR_MPI(int, Intercomm_create,
           (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
            MPI_Comm* newintercomm))
/* Collective. One communicator of both groups, the one with high = 0 first. */
CASTOR_MPI(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm))
CASTOR_MPI(int, Group_size, (MPI_Group group, int* size))
/* MPI_UNDEFINED if the caller is not in the group. */
CASTOR_MPI(int, Group_rank, (MPI_Group group, int* rank))
CASTOR_MPI(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup))
CASTOR_MPI(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup))
/* By triples: first, last, stride. MPI_ERR_ARG: a stride is 0. */
CASTOR_MPI(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup))
CASTOR_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup))
CASTOR_MPI(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))
CASTOR_MPI(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))
CASTOR_MPI(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup))
CASTOR_MPI(int, Group_translate_ranks,
           (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]))
CASTOR_MPI(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result))
CASTOR_MPI(int, Group_free, (MPI_Group * group))

/* Error handlers ---------------------------------------------------------------------------- */

CASTOR_MPI(int, Comm_create_errhandler,
           (MPI_Comm_errhandler_function * function, MPI_Errhandler* errhandler))
CASTOR_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler))
CASTOR_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler))
CASTOR_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode))
CASTOR_MPI(int, Errhandler_free, (MPI_Errhandler * errhandler))
/* Deprecated names of the first three. */
CASTOR_MPI(int, Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler* errhandler))
CASTOR_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler))
CASTOR_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler))
/* Allowed at any time. */
CASTOR_MPI(int, Error_string, (int errorcode, char* string, int* resultlen))
CASTOR_MPI(int, Error_class, (int errorcode, int* errorclass))
/* Classes and codes (of a class) of the program's own, above MPI_ERR_LASTCODE; the attribute
   MPI_LASTUSEDCODE is the last one. Their strings are empty until one is given (MPI_ERR_ARG: not
   added by the program). */
CASTOR_MPI(int, Add_error_class, (int* errorclass))
CASTOR_MPI(int, Add_error_code, (int errorclass, int* errorcode))
CASTOR_MPI(int, Add_error_string, (int errorcode, const char* string))

/* Attributes. *(void **)value is set; predefined ones (MPI_TAG_UB, ...) point to an int. Deleting
   one that is not set, of any kind of object, is no error. ------------------------------------- */

CASTOR_MPI(int, Comm_create_keyval,
           (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function* erase, int* keyval,
            void* extra_state))
CASTOR_MPI(int, Comm_free_keyval, (int* keyval))
CASTOR_MPI(int, Comm_get_attr, (MPI_Comm comm, int keyval, void* value, int* flag))
CASTOR_MPI(int, Comm_set_attr, (MPI_Comm comm, int keyval, void* value))
CASTOR_MPI(int, Comm_delete_attr, (MPI_Comm comm, int keyval))
/* Deprecated names of the same. */
CASTOR_MPI(int, Keyval_create,
           (MPI_Copy_function * copy, MPI_Delete_function* erase, int* keyval, void* extra_state))
CASTOR_MPI(int, Keyval_free, (int* keyval))
CASTOR_MPI(int, Attr_get, (MPI_Comm comm, int keyval, void* value, int* flag))
CASTOR_MPI(int, Attr_put, (MPI_Comm comm, int keyval, void* value))
CASTOR_MPI(int, Attr_delete, (MPI_Comm comm, int keyval))
/* What MPI_DUP_FN and MPI_COMM_DUP_FN name. */
int MPIR_Dup_fn(MPI_Comm comm, int keyval, void* extra_state, void* value, void* newvalue,
                int* flag);

/* Info objects (ordered key and value pairs) and memory --------------------------------------- */

CASTOR_MPI(int, Info_create, (MPI_Info * info))
/* Keys have 1 to MPI_MAX_INFO_KEY characters (MPI_ERR_INFO_KEY), values 1 to MPI_MAX_INFO_VAL
   (MPI_ERR_INFO_VALUE). */
CASTOR_MPI(int, Info_set, (MPI_Info info, const char* key, const char* value))
/* At most valuelen characters and a closing zero. */
CASTOR_MPI(int, Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag))
CASTOR_MPI(int, Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag))
CASTOR_MPI(int, Info_get_nkeys, (MPI_Info info, int* nkeys))
CASTOR_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char* key))
/* MPI_ERR_INFO_NOKEY if the key is not there. */
CASTOR_MPI(int, Info_delete, (MPI_Info info, const char* key))
CASTOR_MPI(int, Info_dup, (MPI_Info info, MPI_Info* newinfo))
CASTOR_MPI(int, Info_free, (MPI_Info * info))
/* *(void **)baseptr is the memory (MPI_ERR_NO_MEM). */
CASTOR_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr))
CASTOR_MPI(int, Free_mem, (void* base))

#ifdef __cplusplus
}
#endif

#endif
