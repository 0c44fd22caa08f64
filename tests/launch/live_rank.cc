// One process of a live job, for the launcher's tests: its first argument says what it does.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "launch/start_up/start_up.h"

namespace {

std::vector<std::byte> pattern(int rank, int round) {
  // Rank 1 gives nothing at all in every third round.
  const std::size_t size =
      round % 3 == 0 && rank == 1 ? 0 : static_cast<std::size_t>(rank * 1000 + round);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(static_cast<unsigned>(rank) * 31 + i * 7 +
                                      static_cast<unsigned>(round));
  }
  return bytes;
}

/// Wrong answers of allgather().
int check_allgather(launch::StartUp& job) {
  int wrong = 0;
  for (int round = 0; round < 5; ++round) {
    const auto all = job.allgather(pattern(job.rank(), round));
    wrong += static_cast<int>(all.size()) != job.size();
    for (int rank = 0; rank < job.size(); ++rank) {
      wrong += all[static_cast<std::size_t>(rank)] != pattern(rank, round);
    }
  }
  return wrong;
}

/// Wrong answers of put(), commit(), barrier() and get().
int check_pairs(launch::StartUp& job) {
  int wrong = 0;
  const auto key = [](int rank, int round) {
    return "key " + std::to_string(rank) + " " + std::to_string(round);
  };
  std::string value;
  for (int round = 0; round < 3; ++round) {
    // In the second round only rank 0 has something to say.
    const bool speaks = round != 1 || job.rank() == 0;
    if (speaks) {
      job.put(key(job.rank(), round), "value " + key(job.rank(), round));
      job.put("last", std::to_string(round));
    }
    wrong += job.get(key(job.rank(), round), value);  // not yet
    job.commit();
    job.barrier();
    for (int rank = 0; rank < job.size(); ++rank) {
      const bool there = job.get(key(rank, round), value);
      wrong += there != (round != 1 || rank == 0);
      if (there) wrong += value != "value " + key(rank, round);
    }
    wrong += !job.get("last", value) || value != std::to_string(round);
    job.barrier();
  }
  wrong += job.get("never put", value);
  return wrong;
}

void print_places(const launch::StartUp& job) {
  std::string line =
      "rank " + std::to_string(job.rank()) + " of " + std::to_string(job.size()) + " local";
  for (int rank : job.local_ranks()) line += " " + std::to_string(rank);
  line += " hosts";
  for (int host : job.host_of()) line += " " + std::to_string(host);
  std::printf("%s\n", line.c_str());
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

void print_environment(int argc, char** argv) {
  std::string line;
  for (int i = 2; i < argc; ++i) {
    const char* value = std::getenv(argv[i]);
    line += std::string(i > 2 ? " " : "") + argv[i] + "=" + (value == nullptr ? "(unset)" : value);
  }
  std::printf("%s\n", line.c_str());
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int who = argc > 2 ? std::atoi(argv[2]) : 0;
  const int code = argc > 3 ? std::atoi(argv[3]) : 0;
  // Before the others can know that this one has joined, and abort.
  if (what == "stubborn") signal(SIGTERM, SIG_IGN);
  launch::StartUp job;
  int status = 0;
  if (what == "exchange") {
    const int wrong = check_allgather(job) + check_pairs(job);
    std::printf("rank %d of %d: %d wrong\n", job.rank(), job.size(), wrong);
    status = wrong != 0;
  } else if (what == "places") {
    print_places(job);
  } else if (what == "name") {
    std::printf("%s\n", job.job_name().c_str());
  } else if (what == "environment") {
    print_environment(argc, argv);
  } else if (what == "input") {
    char line[64] = "nothing\n";
    if (std::fgets(line, sizeof line, stdin) == nullptr) std::strcpy(line, "nothing\n");
    std::printf("rank %d reads %s", job.rank(), line);
  } else if (what == "exit") {  // with a code, after finalize()
    if (job.rank() == who) status = code;
  } else if (what == "abort") {
    if (job.rank() == who) job.abort(code, "rank gives up");
    job.barrier();
  } else if (what == "leave") {  // without finalize()
    if (job.rank() == who) _exit(code);
    job.barrier();
  } else if (what == "signal") {
    if (job.rank() == who) {
      const rlimit no_core{};
      setrlimit(RLIMIT_CORE, &no_core);
      raise(code);
    }
    job.barrier();
  } else if (what == "stubborn") {  // SIGTERM is not enough
    if (job.rank() == who) job.abort(code, "rank gives up");
    wait_for_ever();
  } else if (what == "rest") {  // for ever, once all are there; says who it is
    job.barrier();
    std::printf("%d\n", getpid());
    std::fflush(stdout);
    wait_for_ever();
  } else if (what == "work") {  // exchanges without end; says when it has begun, and who it is
    job.barrier();
    std::printf("%d %s\n", getpid(), job.job_name().c_str());
    std::fflush(stdout);
    for (;;) job.allgather(pattern(job.rank(), 1));
  }
  std::fflush(stdout);
  job.finalize();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "live_rank: %s\n", error.what());
    return 99;
  }
}
