// Random traffic between many ranks: every byte of every message is checked.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/netmod/job_support.h"
#include "tests/support/live_job.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

struct Message {
  int source, target, tag;
  std::size_t bytes, send_offset, receive_offset;
  bool synchronous, any_source, any_tag;
  std::uint64_t seed;
};

/// All ranks draw the same traffic. Tags are unique per pair, so that a wildcard on one of source
/// and tag still names one message.
std::vector<Message> draw(unsigned seed, int ranks, int count) {
  const std::vector<std::size_t> limits{1,    8,     64,    1024,   1025,   8191,
                                        8192, 20000, 65536, 524287, 524288, 1100000};
  std::mt19937 random(seed);
  std::vector<Message> traffic;
  for (int i = 0; i < count; ++i) {
    Message message{};
    message.source = static_cast<int>(random() % static_cast<unsigned>(ranks));
    message.target = static_cast<int>(random() % static_cast<unsigned>(ranks));
    message.tag = i;
    const std::size_t limit = limits[std::min<std::size_t>(random() % 16, limits.size() - 1)];
    message.bytes = i % 5 == 0 ? limit : random() % (limit + 1);
    message.send_offset = random() % 3 == 0 ? random() % 8 : 0;
    message.receive_offset = random() % 3 == 0 ? random() % 8 : 0;
    message.synchronous = random() % 8 == 0;
    message.any_source = random() % 3 == 0;
    message.seed = seed * 1000ULL + static_cast<unsigned>(i);
    traffic.push_back(message);
  }
  return traffic;
}

/// Posts a rank's part of the traffic in an order and at moments of its own, then waits.
void take_part(int rank, unsigned seed, const std::vector<Message>& traffic) {
  std::mt19937 random(seed * 100 + static_cast<unsigned>(rank));
  std::vector<Buffer> buffers;
  std::vector<MPI_Request> requests;
  std::vector<const Message*> received;
  std::vector<std::size_t> received_at;
  std::vector<std::pair<const Message*, bool>> own;  // and whether it is sent
  for (const Message& message : traffic) {
    if (message.source == rank) own.emplace_back(&message, true);
    if (message.target == rank) own.emplace_back(&message, false);
  }
  std::shuffle(own.begin(), own.end(), random);
  buffers.reserve(own.size());
  for (const auto& [message, sent] : own) {
    compute(corespec::Time::nanoseconds(random() % 20000));
    const int count = static_cast<int>(message->bytes);
    MPI_Request request;
    if (sent) {
      buffers.emplace_back(message->bytes, message->send_offset);
      buffers.back().fill(message->seed);
      (message->synchronous ? MPI_Issend : MPI_Isend)(buffers.back().data(), count, MPI_BYTE,
                                                      message->target, message->tag, MPI_COMM_WORLD,
                                                      &request);
    } else {
      received.push_back(message);
      received_at.push_back(requests.size());
      buffers.emplace_back(message->bytes, message->receive_offset);
      MPI_Irecv(buffers.back().data(), count, MPI_BYTE,
                message->any_source ? MPI_ANY_SOURCE : message->source, message->tag,
                MPI_COMM_WORLD, &request);
    }
    requests.push_back(request);
    if (random() % 4 == 0) {
      int flag = 0;
      MPI_Test(&requests[random() % requests.size()], &flag, MPI_STATUS_IGNORE);
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < received.size(); ++i) {
    const Buffer& buffer = buffers[received_at[i]];
    EXPECT_TRUE(buffer.holds(received[i]->seed))
        << "message " << received[i]->tag << " of " << received[i]->bytes << " bytes";
    EXPECT_TRUE(buffer.guards_intact()) << "message " << received[i]->tag;
  }
}

void traffic(const launch::JobRequest& request, unsigned seed, int count) {
  const std::vector<Message> drawn = draw(seed, request.ranks, count);
  run_mpi(request, [&](int rank) { take_part(rank, seed, drawn); });
}

/// In virtual time each seed is another course of events; live, the host sees to that at each run.
std::vector<unsigned> seeds(std::vector<unsigned> in_virtual_time) {
  if (live_clock()) in_virtual_time.resize(1);
  return in_virtual_time;
}

TEST(Data, RandomTrafficInEveryDesignAndLayout) {
  for (Design design : all_designs) {
    for (int per_node : {1, 2, 3, 6}) {
      for (unsigned seed : seeds({1, 2})) {
        SCOPED_TRACE(testing::Message()
                     << name_of(design) << " -N " << per_node << " seed " << seed);
        traffic(with_design(small_job(6, per_node), design), seed, 120);
      }
    }
  }
}

TEST(Data, RandomTrafficWithReservedCpusAndNoise) {
  for (Design design : all_designs) {
    launch::JobRequest request = with(with_design(small_job(6, 2), design), "CASTOR_NOISE", "1");
    request.placement.service_cpus = 2;
    traffic(request, 3, 120);
  }
}

TEST(Data, RandomTrafficInTightQuarters) {
  launch::JobRequest request = small_job(5, 2);
  for (const auto& [name, value] : std::vector<corespec::Setting>{
           {"CASTOR_SMSG_CREDITS", "2"},
           {"MPICH_GNI_NUM_BUFS", "4"},
           {"MPICH_GNI_RECV_CQ_SIZE", "16"},
           {"MPICH_GNI_LOCAL_CQ_SIZE", "16"},
           {"MPICH_GNI_NDREG_ENTRIES", "1"},
           {"MPICH_GNI_NDREG_MAXSIZE", "16384"},
           {"CASTOR_READ_AT_ONCE", "0"},  // live: cooperative writes, too
           {"MPICH_GNI_RDMA_THRESHOLD", "4096"},
           {"CASTOR_BTE_CHANNELS", "2"}}) {
    request = with(request, name, value);
  }
  for (Design design : all_designs) {
    for (unsigned seed : seeds({4, 5, 6})) {
      SCOPED_TRACE(testing::Message() << name_of(design) << " seed " << seed);
      traffic(with_design(request, design), seed, 120);
    }
  }
}

TEST(Data, RandomTrafficInSmallSegments) {
  launch::JobRequest request = with(small_job(4), "CASTOR_SEGMENT_BYTES", "1024");
  request = with(request, "MPICH_GNI_RDMA_THRESHOLD", "4096");
  for (Design design : all_designs) traffic(with_design(request, design), 7, 60);
}

TEST(Data, TheSenderMayReuseItsBufferAtOnce) {
  // Whatever was captured or copied must have been by the time the send is complete.
  for (int per_node : {1, 2}) {
    for (std::size_t bytes : {std::size_t{8}, std::size_t{1024}, std::size_t{1500},
                              std::size_t{8191}, std::size_t{8192}, std::size_t{600000}}) {
      run_mpi(small_job(2, per_node), [&](int rank) {
        for (std::uint64_t round = 0; round < 6; ++round) {
          Buffer buffer(bytes);
          if (rank == 0) {
            buffer.fill(round);
            MPI_Send(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            buffer.fill(round + 1000);
            compute_us(3);
          } else {
            compute_us(static_cast<double>(7 * round));
            MPI_Recv(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            EXPECT_TRUE(buffer.holds(round)) << bytes << " bytes, round " << round;
          }
        }
      });
    }
  }
}

TEST(PersistentRequests, OutliveTheirCommunicator) {
  run_mpi(small_job(2), [](int rank) {
    const int peer = 1 - rank;
    int own = -1;
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, peer, &reversed);
    MPI_Comm_rank(reversed, &own);
    ASSERT_EQ(own, peer);
    std::vector<char> room(2 * (sizeof(int) + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    int sent[2] = {}, received[2] = {};
    MPI_Request requests[4];
    MPI_Send_init(&sent[0], 1, MPI_INT, 1 - own, 3, reversed, &requests[0]);
    MPI_Bsend_init(&sent[1], 1, MPI_INT, 1 - own, 4, reversed, &requests[1]);
    MPI_Recv_init(&received[0], 1, MPI_INT, 1 - own, 3, reversed, &requests[2]);
    MPI_Recv_init(&received[1], 1, MPI_INT, MPI_ANY_SOURCE, 4, reversed, &requests[3]);
    MPI_Comm_free(&reversed);
    for (int round = 0; round < 3; ++round) {
      sent[0] = 10 * round + rank;
      sent[1] = 100 * round + rank;
      MPI_Status statuses[4];
      ASSERT_EQ(MPI_Startall(4, requests), MPI_SUCCESS);
      ASSERT_EQ(MPI_Waitall(4, requests, statuses), MPI_SUCCESS);
      EXPECT_EQ(received[0], 10 * round + peer);
      EXPECT_EQ(received[1], 100 * round + peer);
      EXPECT_EQ(statuses[3].MPI_SOURCE, 1 - own);
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    void* gone = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&gone, &bytes);
  });
}

/// How a program learns that a send which it does not wait for at once is complete.
enum class Learnt { wait, test, wait_any, get_status, persistent, free, packed };

/// Starts to send `buffer` to rank 1, and returns when it may be changed.
void send_and_learn(Learnt how, Buffer& buffer, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type = MPI_BYTE;
  int flag = 0;
  if (how == Learnt::persistent) {
    MPI_Send_init(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return;
  }
  if (how == Learnt::packed) {  // two bytes apart, one after the other: has to be gathered
    const int lengths[2] = {bytes - 1, 1};
    const int places[2] = {0, bytes - 1};
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    MPI_Type_indexed(2, lengths, places, MPI_BYTE, &whole);
    MPI_Type_create_resized(whole, 0, bytes + 8, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&whole);
    bytes = 1;
  }
  MPI_Isend(buffer.data(), bytes, type, 1, 0, MPI_COMM_WORLD, &request);
  switch (how) {
    case Learnt::test:
      while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      break;
    case Learnt::get_status:
      while (flag == 0) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      buffer.fill(5000);  // and the request still is to be ended
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case Learnt::wait_any: {
      int index = 0;
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
      break;
    }
    case Learnt::free:
      MPI_Request_free(&request);
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // it is there
      break;
    default:
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (type != MPI_BYTE) MPI_Type_free(&type);
}

// The host may leave a message's bytes at the sender until then.
TEST(Data, TheSenderMayReuseItsBufferWhenItLearnsThatItMay) {
  for (const Learnt how : {Learnt::wait, Learnt::test, Learnt::wait_any, Learnt::get_status,
                           Learnt::persistent, Learnt::free, Learnt::packed}) {
    for (const int per_node : {1, 2}) {
      for (const int bytes : {300, 1024, 1500, 8191}) {
        if (live_clock() && bytes != 1500) continue;  // it lends nothing
        // 300 bytes go through the mailbox, the others through DMA buffers.
        const launch::JobRequest request =
            with(with(small_job(2, per_node), "MPICH_GNI_RDMA_THRESHOLD", "4096"),
                 "MPICH_GNI_MAX_VSHORT_MSG_SIZE", "512");
        run_mpi(request, [&](int rank) {
          for (std::uint64_t round = 0; round < 6; ++round) {
            Buffer buffer(static_cast<std::size_t>(bytes));
            if (rank == 0) {
              buffer.fill(round);
              send_and_learn(how, buffer, bytes);
              buffer.fill(round + 1000);
              compute_us(3);
            } else {
              compute_us(static_cast<double>(7 * round));
              if (round % 2 == 0) {  // it lies there unexpected
                int flag = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                compute_us(20);
              }
              MPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
              EXPECT_TRUE(buffer.holds(round))
                  << static_cast<int>(how) << ", " << bytes << " bytes, round " << round;
              if (how == Learnt::free) MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            }
          }
        });
      }
    }
  }
}

TEST(Data, WhatIsNeverReceivedNorWaitedForIsThrownAway) {
  for (const int per_node : {1, 2}) {
    for (const char* in_mailboxes : {"128", "1024"}) {
      std::vector<Buffer> buffers;  // until MPI has ended
      for (int rank = 0; rank < 2; ++rank) buffers.emplace_back(1000);
      const launch::JobRequest request =
          with(small_job(2, per_node), "MPICH_GNI_MAX_VSHORT_MSG_SIZE", in_mailboxes);
      run_mpi(request, [&](int rank) {
        std::byte* const data = buffers[static_cast<std::size_t>(rank)].data();
        MPI_Request unused = MPI_REQUEST_NULL;
        for (int i = 0; i < 3 && rank == 0; ++i) {
          MPI_Isend(data, 1000, MPI_BYTE, 1, i, MPI_COMM_WORLD, &unused);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, 1000, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
    }
  }
}

// Registered as what they are; and once they may be written, messages may come into them.
TEST(Data, ConstantsAreSentByRendezvous) {
  for (int per_node : {1, 2}) {
    run_mpi(small_job(2, per_node), [](int rank) {
      constexpr std::size_t bytes = 1 << 20;
      void* const mapped =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(mapped, MAP_FAILED);
      std::memset(mapped, 'a' + rank, bytes);
      mprotect(mapped, bytes, PROT_READ);
      std::vector<char> received(bytes);
      MPI_Sendrecv(mapped, bytes, MPI_CHAR, 1 - rank, 0, received.data(), bytes, MPI_CHAR, 1 - rank,
                   0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(received, std::vector<char>(bytes, static_cast<char>('a' + 1 - rank)));
      mprotect(mapped, bytes, PROT_READ | PROT_WRITE);
      received.assign(bytes, 'x');
      MPI_Sendrecv(received.data(), bytes, MPI_CHAR, 1 - rank, 1, mapped, bytes, MPI_CHAR, 1 - rank,
                   1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(std::memcmp(mapped, received.data(), bytes), 0);
      munmap(mapped, bytes);
    });
  }
}

TEST(Data, NothingIsInTheReceiversBufferBeforeItsTime) {
  if (live_clock()) GTEST_SKIP() << "live, bytes may land early";
  // The receiver looks at the end of its buffer while a megabyte is under way.
  launch::JobRequest request = with_design(small_job(2), Design::phase_one);
  request.placement.service_cpus = 1;
  run_mpi(request, [](int rank) {
    constexpr int bytes = 4 << 20;
    Buffer buffer(bytes), empty(bytes);
    for (std::uint64_t round = 0; round < 2; ++round) {  // the first one registers the buffer
      if (rank == 0) buffer.fill(round);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Request transfer;
      if (rank == 0) {
        MPI_Isend(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &transfer);
      } else {
        std::memcpy(buffer.data(), empty.data(), bytes);
        MPI_Irecv(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &transfer);
      }
      compute_us(300);  // at 6.93 GB/s the whole takes 605 us
      clock_now();
      if (rank == 1 && round == 1) {
        EXPECT_TRUE(buffer.untouched_from(6930 * 300));
        EXPECT_TRUE(buffer.holds(round, 1000000));
      }
      compute_us(1000);
      MPI_Wait(&transfer, MPI_STATUS_IGNORE);
      EXPECT_TRUE(buffer.holds(round));
    }
  });
}

}  // namespace
}  // namespace castor_test
