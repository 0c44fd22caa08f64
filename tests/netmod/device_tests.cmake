# Tests of the MPI library's device and of MPI on several ranks, in virtual time.
set(netmod_job_libraries live_test_job mpi_objects mpi_device castor_launch castor_ugni corespec fmt::fmt-header-only)
add_library(netmod_job_support OBJECT job_support.cc)
target_link_libraries(netmod_job_support PUBLIC ${netmod_job_libraries} GTest::gtest)

# Left out of the faulty/ runs: what counts posts (those that come again are counted too) or looks at
# times. A name in memory is looked up for a post, not when it comes again; a wait for a lock is told
# when it ends; and the seed draws what fails.
set(faulty_device "-Latency.*:Overlap.EveryRendezvousSizeHides:PhaseOne.AWriteInChunks*:PhaseTwo.HalfOf*:Active.PostsNothing*:Progress.EagerTraffic*:Progress.StatisticsAre*:Protocol.ByDefault*:Protocol.TheEagerLimitExcludes*:Protocol.TheReadLimitIs*:Protocol.ChunksUnderWay*:Protocol.TheRdmaThreshold*")
set(faulty_jobs "-NamedMemory.OfAMessageBetweenNodes*:Observer.HearsOfEachTransaction*:Observer.HearsOfLibraryCalls*:Repeat.WithoutNoise*")
# With other sizes, too, what says by which protocol a message goes, and how long that takes; what sends
# eagerly what is never received, or is to overrun a queue; an eager send that has left by the end of its
# call; and equal runs that register memory which is not at the same place in both.
set(small_device "${faulty_device}:Overlap.*:PhaseOne.*:Progress.*:Protocol.*:Doors.ArePublicCallsToTheF*:Doors.ArePublicCallsToAllThatHappensW*:Resources.MorePeers*:Resources.AnEventLost*:Resources.AnOverrun*")
set(small_jobs "${faulty_jobs}:Observer.*:NamedMemory.*:TwoLevel.OneRankPerNode*:Data.NothingIsInThe*:Data.WhatIsNeverReceived*:Collective.ANonBlockingOneThatIsNot*:Matching.ATagPicks*:Cancel.AnEagerSendThatAReceive*:Repeat.TheSameJob*")
set(small_sizes
  "CASTOR_SMSG_CREDITS=1|MPICH_GNI_RECV_CQ_SIZE=16|MPICH_GNI_MAX_EAGER_MSG_SIZE=0|MPICH_GNI_NUM_BUFS=1|MPICH_GNI_RDMA_THRESHOLD=0|MPICH_GNI_NDREG_ENTRIES=0"
  "CASTOR_SMSG_CREDITS=4|MPICH_GNI_LOCAL_CQ_SIZE=64|MPICH_GNI_MAX_EAGER_MSG_SIZE=65536|MPICH_GNI_NUM_BUFS=4|MPICH_GNI_RDMA_THRESHOLD=4096|MPICH_GNI_NDREG_ENTRIES=1"
  "CASTOR_SMSG_CREDITS=2|MPICH_GNI_RECV_CQ_SIZE=64|MPICH_GNI_MAX_EAGER_MSG_SIZE=1024|MPICH_GNI_RDMA_THRESHOLD=0|MPICH_GNI_NDREG_ENTRIES=8")

# small_runs(name filter): further times, as faulty/name/1 and so on, under the plan of the faulty/ runs
# and with each of these sizes of the library (credits, queues, landing buffers, limits, registrations).
function(small_runs name filter)
  if(CASTOR_SANITIZE)
    return()
  endif()
  set(number 0)
  foreach(sizes IN LISTS small_sizes)
    math(EXPR number "${number} + 1")
    add_test(NAME faulty/${name}/${number} COMMAND ${name} --gtest_brief=1 --gtest_filter=${filter})
    set_tests_properties(faulty/${name}/${number} PROPERTIES TIMEOUT 300 ENVIRONMENT
      "TEST_SETTINGS=CASTOR_FAULTS=${PROJECT_SOURCE_DIR}/tests/support/faults.plan|CASTOR_SEED=${number}|${sizes}")
  endforeach()
endfunction()

castor_test(mpi_device_test FAULTY "${faulty_device}" REORDERED "-Latency.*" LOSSY "-Latency.*:Overlap.*:Progress.*"
  SOURCES
    device_doors_test.cc
    device_forged_test.cc
    device_latency_test.cc
    device_overlap_test.cc
    device_progress_test.cc
    device_protocol_test.cc
    device_resources_test.cc
    device_sequence_test.cc
  LIBRARIES netmod_job_support ${netmod_job_libraries}
  PACKETS "-Latency.*:Doors.*Fingerprint:Doors.*SendsTheSame")

small_runs(mpi_device_test "${small_device}")

# Repeat is about times and fingerprints, which no two live runs have in common; what repeats live
# is Traffic's. Algorithms are the same on any clock, and so are kernels: those of one type stand
# for all. Of cancelled sends those run that depend on who is faster. With a sanitizer one test of each kind stands for all: each of its jobs starts
# processes.
set(live_jobs "-MappingAtScale.*:Observer.*:Repeat.*:Cancel.SendsOfAllKinds*:Cancel.Twice*:*Algorithms*:Collective.ReductionsOfInts:Collective.ReductionsOfLongs")
if(CASTOR_SANITIZE)
  set(live_jobs "Cancel.AReceiver*:Matching.A*:Collective.EveryDesign*:Data.TheSender*:Truncation.IsFatal*")
endif()
castor_test(mpi_job_test DRAGONFLY FAULTY "${faulty_jobs}" REORDERED "-Observer.HearsOfEach*:NamedMemory.*:Data.NothingIsInThe*"
  LOSSY "-NamedMemory.*:Data.NothingIsInThe*:Mapping.*:Repeat.WithoutNoise*"
  SOURCES
    job_algorithm_test.cc
    job_cancel_test.cc
    job_collective_test.cc
    job_data_test.cc
    job_mapping_test.cc
    job_matching_test.cc
    job_memory_test.cc
    job_prefetch_test.cc
    job_neighbour_test.cc
    job_reduction_test.cc
    job_observer_test.cc
    job_repeat_test.cc
    job_truncation_test.cc
    job_two_level_test.cc
    job_without_data_test.cc
  LIBRARIES netmod_job_support ${netmod_job_libraries}
  LIVE LIVE_FILTER "${live_jobs}"
  PACKETS "-NamedMemory.*:Collective.ReductionsOf*")
small_runs(mpi_job_test "${small_jobs}")

set(live_windows "*")
if(CASTOR_SANITIZE)
  set(live_windows "WindowTransfer.SharedW*:WindowEpoch.ExclusiveL*:WindowAccumulate.BulkAnd*")
endif()
castor_test(mpi_window_test DRAGONFLY REORDERED "-WindowEpoch.PassiveTargets*" LOSSY "*"
  FAULTY "-WindowEpoch.SharedLocksAreHeld*"
  SOURCES
    mpi_window_accumulate_test.cc
    mpi_window_epoch_test.cc
    mpi_window_object_test.cc
    mpi_window_transfer_test.cc
  LIBRARIES netmod_job_support ${netmod_job_libraries}
  LIVE LIVE_FILTER "${live_windows}" PACKETS "*")
