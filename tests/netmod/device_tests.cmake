# Tests of the MPI library's device and of MPI on several ranks, in virtual time.
set(netmod_job_libraries live_test_job mpi_objects mpi_device castor_launch castor_ugni corespec fmt::fmt-header-only)
add_library(netmod_job_support OBJECT job_support.cc)
target_link_libraries(netmod_job_support PUBLIC ${netmod_job_libraries} GTest::gtest)

# Left out of the faulty/ runs: what counts posts (those that come again are counted too) or looks at
# times. A name in memory is looked up for a post, not when it comes again; a wait for a lock is told
# when it ends; and the seed draws what fails.
set(faulty_device "-Latency.*:Overlap.EveryRendezvousSizeHides:PhaseOne.AWriteInChunks*:PhaseTwo.HalfOf*:Active.PostsNothing*:Progress.EagerTraffic*:Progress.StatisticsAre*:Protocol.ByDefault*:Protocol.TheEagerLimitExcludes*:Protocol.TheReadLimitIs*:Protocol.ChunksUnderWay*:Protocol.TheRdmaThreshold*")
set(faulty_jobs "-NamedMemory.OfAMessageBetweenNodes*:Observer.HearsOfEachTransaction*:Observer.HearsOfLibraryCalls*:Repeat.WithoutNoise*")

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
