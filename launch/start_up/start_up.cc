// How the processes of a live job meet: a PMIx client.
#include "launch/start_up/start_up.h"

#include <fmt/format.h>
#include <pmix.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "corespec/config/parameters.h"
#include "corespec/host/os_thread.h"
#include "corespec/host/printable.h"
#include "corespec/live/live_clock.h"
#include "launch/start_up/job_name.h"
#include "launch/start_up/rank_mark.h"
#include "launch/start_up/shared_exchange.h"

namespace launch {
namespace {

using Bytes = std::vector<std::byte>;

struct FreeValue {
  void operator()(pmix_value_t* value) const {
    PMIx_Value_destruct(value);
    std::free(value);
  }
};
using Value = std::unique_ptr<pmix_value_t, FreeValue>;

constexpr std::chrono::seconds launcher_acts_within{5};

/// What a launcher's answer of another kind means: some rank has ended, or the launcher's server.
/// Then it ends this process too, and what it says about that is enough.
void require(pmix_status_t status, const char* what) {
  if (status == PMIX_SUCCESS) return;
  std::this_thread::sleep_for(launcher_acts_within);
  throw std::runtime_error(
      fmt::format("start-up: {}: the launcher answers {}", what, PMIx_Error_string(status)));
}

std::string variable(const std::vector<corespec::Setting>& environment, std::string_view name) {
  const auto found = std::find_if(environment.begin(), environment.end(),
                                  [&](const corespec::Setting& one) { return one.first == name; });
  return found == environment.end() ? "" : found->second;
}

/// The number of a namespace that the calling process is in; on one host equal numbers are equal
/// namespaces.
std::uint64_t namespace_number(const char* kind) {
  struct stat found {};
  return stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &found) == 0 ? found.st_ino : 0;
}

/// Equal texts: processes that reach each other's memory. Two network or process namespaces of one
/// machine are two hosts, as containers are.
std::string host_identity() {
  utsname system{};
  uname(&system);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return fmt::format("{} {} {} {}", static_cast<const char*>(system.nodename), boot,
                     namespace_number("net"), namespace_number("pid"));
}

Bytes bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using Pairs = std::map<std::string, std::string, std::less<>>;

void append(Bytes& bytes, const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof length + text.size());
  std::memcpy(bytes.data() + at, &length, sizeof length);
  std::memcpy(bytes.data() + at + sizeof length, text.data(), text.size());
}

std::string take(const Bytes& bytes, std::size_t& at) {
  std::uint32_t length = 0;
  if (bytes.size() - at < sizeof length) throw std::runtime_error("start-up: garbled data");
  std::memcpy(&length, bytes.data() + at, sizeof length);
  at += sizeof length;
  if (bytes.size() - at < length) throw std::runtime_error("start-up: garbled data");
  const auto* text = reinterpret_cast<const char*>(bytes.data() + at);
  at += length;
  return {text, length};
}

Bytes packed(const Pairs& pairs) {
  Bytes bytes;
  for (const auto& [key, value] : pairs) {
    append(bytes, key);
    append(bytes, value);
  }
  return bytes;
}

void unpack(const Bytes& bytes, Pairs& into) {
  for (std::size_t at = 0; at < bytes.size();) {
    std::string key = take(bytes, at);
    into[std::move(key)] = take(bytes, at);
  }
}

/// Open MPI's mpirun ends a job whose rank exits with a code other than 0, and returns the code.
/// Asked by PMIx_Abort instead it crashes or hangs every now and then, on a busy host in a third of
/// all cases (PMIx 4.2.2's server locks what it has freed).
bool bad_exits_end_the_job() { return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr; }

/// Information for PMIx under one of its keys.
pmix_info_t information(const char* key) {
  pmix_info_t one{};
  std::strncpy(static_cast<char*>(one.key), key, PMIX_MAX_KEYLEN);
  return one;
}

/// Called on a thread of PMIx's when a connection is lost; `found` has the rank's own name, as
/// end_with_launcher() gave it. Perhaps no process is left to read what it says.
void lost_connection(std::size_t, pmix_status_t, const pmix_proc_t* source, pmix_info_t found[],
                     std::size_t count, pmix_info_t[], std::size_t,
                     pmix_event_notification_cbfunc_fn_t done, void* data) {
  const auto* const own_end = found + count;
  const auto* const own =
      std::find_if(static_cast<const pmix_info_t*>(found), own_end, [](const pmix_info_t& one) {
        return std::strncmp(static_cast<const char*>(one.key), PMIX_EVENT_RETURN_OBJECT,
                            PMIX_MAX_KEYLEN) == 0;
      });
  if (own != own_end && source != nullptr) {
    const auto& self = *static_cast<const pmix_proc_t*>(own->value.data.ptr);
    // Of another rank's connection its launcher makes what it likes.
    if (std::strncmp(static_cast<const char*>(source->nspace),
                     static_cast<const char*>(self.nspace), PMIX_MAX_NSLEN) != 0) {
      signal(SIGPIPE, SIG_IGN);
      fmt::print(stderr, "castor: rank {}: the launcher has ended\n", self.rank);
      _exit(EXIT_FAILURE);
    }
  }
  if (done != nullptr) done(PMIX_EVENT_NO_ACTION_TAKEN, nullptr, 0, nullptr, nullptr, data);
}

/// Ends the process if its launcher is killed. PMIx's thread may look at `self` until
/// PMIx_Finalize.
void end_with_launcher(pmix_proc_t& self) {
  pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
  pmix_info_t own = information(PMIX_EVENT_RETURN_OBJECT);
  own.value.type = PMIX_POINTER;
  own.value.data.ptr = &self;
  PMIx_Register_event_handler(&code, 1, &own, 1, lost_connection, nullptr, nullptr);
}

/// The end of a fence, which a thread of PMIx's announces.
struct FenceEnd {
  static void reached(pmix_status_t how, void* end) {
    auto& own = *static_cast<FenceEnd*>(end);
    const std::lock_guard hold(own.mutex);
    own.status = how;
    own.over = true;
    own.changed.notify_one();  // under the lock: the waiting thread ends this object
  }
  /// Waits for `patience` at most. True: it is reached.
  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock hold(mutex);
    return changed.wait_for(hold, patience, [this] { return over; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  pmix_status_t status = PMIX_SUCCESS;
};

/// A question to the launcher's PMIx server, to which any answer will do.
struct Question {
  explicit Question(std::function<void()> when_answered) : answered(std::move(when_answered)) {
    query.keys = keys.data();
  }
  static void end(pmix_status_t, pmix_info_t*, std::size_t, void* question,
                  pmix_release_cbfunc_t release, void* released) {
    const std::unique_ptr<Question> own(static_cast<Question*>(question));
    own->answered();
    if (release != nullptr) release(released);
  }

  std::string key = "castor.alive";
  std::array<char*, 2> keys{key.data(), nullptr};
  pmix_query_t query{};
  std::function<void()> answered;
};

void ask_server(std::function<void()> answered) {
  auto question = std::make_unique<Question>(std::move(answered));
  Question& asked = *question;
  if (PMIx_Query_info_nb(&asked.query, 1, Question::end, &asked) == PMIX_SUCCESS) {
    [[maybe_unused]] const Question* until_the_answer = question.release();
  } else {
    asked.answered();  // there is no such question, so no answer that could fail to come
  }
}

}  // namespace

struct StartUp::Implementation {
  void join();
  void watch_for_ranks() const;
  void find_hosts(StartUp& start_up);
  pmix_proc_t peer(pmix_rank_t number) const {
    pmix_proc_t named = self;
    named.rank = number;
    return named;
  }
  void publish(const std::string& key, std::span<const std::byte> data) const;
  /// False if the rank has published nothing under `key`.
  bool fetch(int from, const std::string& key, Bytes& data) const;
  static constexpr std::chrono::milliseconds service_patience{1};
  /// Calls `meanwhile`, if there is one, every `patience`.
  void fence(const std::function<void()>& meanwhile = nullptr,
             std::chrono::milliseconds patience = service_patience) const;
  /// What ranks exchange in memory: in front of it stands what for.
  enum class Purpose : std::uint8_t { barrier, allgather };
  std::vector<Bytes> exchange(Purpose purpose, std::span<const std::byte> in,
                              const std::function<void()>& meanwhile = nullptr) {
    Bytes marked{static_cast<std::byte>(purpose)};
    marked.insert(marked.end(), in.begin(), in.end());
    constexpr std::chrono::milliseconds between_looks{100};
    const auto look_around = [&] {
      if (const int gone = shared->missing(); gone >= 0) end_waiting_for(gone);
      if (meanwhile) meanwhile();
    };
    return shared->exchange(
        marked, [&] { fence(look_around, meanwhile ? service_patience : between_looks); });
  }
  [[noreturn]] void end_job(int code, const std::string& why) const;
  [[noreturn]] void end_waiting_for(int missing) const {
    end_job(1, fmt::format("waits for rank {}, which has left the job", missing));
  }
  static bool is_for(Purpose purpose, const Bytes& given) {
    return !given.empty() && given.front() == static_cast<std::byte>(purpose);
  }
  std::vector<Bytes> gather_in_memory(std::span<const std::byte> in);
  void read_pairs();

  bool launched = false;
  bool joined = false;
  pmix_proc_t self{};
  std::unique_ptr<pmix_proc_t> name_for_events;  ///< end_with_launcher()'s
  int rank = 0;
  int size = 1;
  std::string job_name;
  std::vector<int> local_ranks{0};
  std::vector<int> host_of{0};

  std::unique_ptr<StartWatch> watch;  ///< until start-up is over
  std::unique_ptr<SharedExchange> shared;
  std::uint64_t allgathers = 0;
  Pairs put;                 ///< since the last commit()
  Pairs committed;           ///< since the last barrier()
  Pairs known;               ///< of all ranks, up to the first `read` barriers
  std::uint64_t fences = 0;  ///< barriers so far
  std::uint64_t read = 0;
};

/// The other ranks' programs may take their time before MPI_Init; the server may not.
void StartUp::Implementation::watch_for_ranks() const {
  watch->waits_for("the launcher's PMIx server, which does not answer", ask_server);
}

void StartUp::Implementation::join() {
  watch->waits_for("the launcher's PMIx server to answer PMIx_Init");
  const pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  require(status, "PMIx_Init");
  joined = true;
  pmix_value_t* found = nullptr;
  const pmix_proc_t all_ranks = peer(PMIX_RANK_WILDCARD);
  require(PMIx_Get(&all_ranks, PMIX_JOB_SIZE, nullptr, 0, &found), "size of the job");
  const Value value(found);
  rank = static_cast<int>(self.rank);
  size = static_cast<int>(value->data.uint32);
  job_name = job_name_of(static_cast<const char*>(self.nspace));
  // As aprun's own children, also those of a script that stands between them and aprun: if it is
  // killed, they are.
  if (is_apruns(job_name)) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  } else {
    name_for_events = std::make_unique<pmix_proc_t>(self);
    end_with_launcher(*name_for_events);
  }
}

void StartUp::Implementation::find_hosts(StartUp& start_up) {
  const std::vector<Bytes> identities = start_up.allgather(bytes_of(host_identity()));
  std::map<std::string, int> first;
  host_of.clear();
  local_ranks.clear();
  for (int each = 0; each < size; ++each) {
    const std::string identity = text_of(identities[static_cast<std::size_t>(each)]);
    host_of.push_back(first.try_emplace(identity, each).first->second);
  }
  for (int each = 0; each < size; ++each) {
    const int host = host_of[static_cast<std::size_t>(each)];
    if (host == host_of[static_cast<std::size_t>(rank)]) local_ranks.push_back(each);
  }
}

void StartUp::Implementation::publish(const std::string& key,
                                      std::span<const std::byte> data) const {
  // A byte in front: not every server keeps a value without any.
  Bytes marked(1);
  marked.insert(marked.end(), data.begin(), data.end());
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = reinterpret_cast<char*>(marked.data());
  value.data.bo.size = marked.size();
  require(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
  require(PMIx_Commit(), "PMIx_Commit");
}

bool StartUp::Implementation::fetch(int from, const std::string& key, Bytes& data) const {
  const pmix_proc_t peer_name = peer(static_cast<pmix_rank_t>(from));
  // What is not there after a fence never comes: the server need not wait for it.
  pmix_info_t at_once = information(PMIX_IMMEDIATE);
  at_once.value.type = PMIX_BOOL;
  at_once.value.data.flag = true;
  pmix_value_t* found = nullptr;
  const pmix_status_t status = PMIx_Get(&peer_name, key.c_str(), &at_once, 1, &found);
  if (status == PMIX_ERR_NOT_FOUND) return false;
  require(status, "PMIx_Get");
  const Value value(found);
  if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size == 0) {
    throw std::runtime_error("start-up: garbled data");
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
  data.assign(bytes + 1, bytes + value->data.bo.size);
  return true;
}

void StartUp::Implementation::fence(const std::function<void()>& meanwhile,
                                    std::chrono::milliseconds patience) const {
  pmix_info_t collect = information(PMIX_COLLECT_DATA);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  const pmix_proc_t all_ranks = peer(PMIX_RANK_WILDCARD);
  if (!meanwhile) return require(PMIx_Fence(&all_ranks, 1, &collect, 1), "PMIx_Fence");
  FenceEnd end;
  const pmix_status_t begun = PMIx_Fence_nb(&all_ranks, 1, &collect, 1, FenceEnd::reached, &end);
  if (begun == PMIX_OPERATION_SUCCEEDED) return;
  require(begun, "PMIx_Fence_nb");
  while (!end.wait(patience)) meanwhile();
  if (end.status != PMIX_SUCCESS) meanwhile();  // which may know why
  require(end.status, "PMIx_Fence_nb");
}

bool StartUp::launched(const std::vector<std::pair<std::string, std::string>>& environment) {
  return !variable(environment, "PMIX_NAMESPACE").empty() &&
         !variable(environment, "PMIX_RANK").empty() && !started_by_rank(environment);
}

StartUp::StartUp(Waits waits) : implementation_(std::make_unique<Implementation>()) {
  Implementation& own = *implementation_;
  own.launched = launched(corespec::environment());
  if (own.launched) {
    if (!waits.tell) {
      waits.tell = [rank = variable(corespec::environment(), "PMIX_RANK")](const std::string& why) {
        fmt::print(stderr, "castor: rank {}: {}\n", rank, why);
      };
    }
    own.watch = std::make_unique<StartWatch>(waits.patience_s, std::move(waits.tell));
    own.join();
    own.watch_for_ranks();
    own.find_hosts(*this);
  } else {
    own.job_name = job_name_of(fmt::format("single-{}", getpid()));
  }
}

// A process that leaves without finalize() has failed, and its launcher is to see it so.
StartUp::~StartUp() {
  if (!implementation_->joined) return;
  [[maybe_unused]] const pmix_proc_t* for_pmix = implementation_->name_for_events.release();
}

void StartUp::waits_for(const std::string& what) {
  if (implementation_->watch) implementation_->watch->waits_for(what);
}

void StartUp::has_started() { implementation_->watch.reset(); }

int StartUp::rank() const { return implementation_->rank; }
int StartUp::size() const { return implementation_->size; }
const std::string& StartUp::job_name() const { return implementation_->job_name; }
const std::vector<int>& StartUp::local_ranks() const { return implementation_->local_ranks; }
const std::vector<int>& StartUp::host_of() const { return implementation_->host_of; }

void StartUp::exchange_in(std::byte* memory) {
  Implementation& own = *implementation_;
  own.read_pairs();
  own.shared = std::make_unique<SharedExchange>(memory, own.rank, own.size);
}

void StartUp::barrier(const std::function<void()>& meanwhile) {
  Implementation& own = *implementation_;
  if (own.shared) {
    constexpr auto purpose = Implementation::Purpose::barrier;
    for (const Bytes& pairs : own.exchange(purpose, packed(own.committed), meanwhile)) {
      // A rank that is in an exchange instead hears of it there.
      if (own.is_for(purpose, pairs)) unpack({pairs.begin() + 1, pairs.end()}, own.known);
    }
    own.committed.clear();
    return;
  }
  if (own.launched) {
    if (!own.committed.empty()) {
      own.publish(fmt::format("castor.pairs.{}", own.fences), packed(own.committed));
    }
    own.fence(meanwhile);
    own.committed.clear();
    ++own.fences;
    return;
  }
  for (auto& [key, value] : own.committed) own.known[key] = std::move(value);
  own.committed.clear();
}

/// Ranks that are elsewhere give nothing; the first of the others speaks of the first of them.
std::vector<Bytes> StartUp::Implementation::gather_in_memory(std::span<const std::byte> in) {
  std::vector<Bytes> all = exchange(Purpose::allgather, in);
  const auto gives = [](const Bytes& given) { return is_for(Purpose::allgather, given); };
  const auto elsewhere = std::find_if_not(all.begin(), all.end(), gives);
  if (elsewhere != all.end()) {
    const auto speaker = std::find_if(all.begin(), all.end(), gives) - all.begin();
    throw std::runtime_error(
        speaker != rank
            ? std::string()
            : fmt::format("rank {} has called another function instead", elsewhere - all.begin()));
  }
  for (Bytes& given : all) given.erase(given.begin());
  return all;
}

std::vector<std::vector<std::byte>> StartUp::allgather(std::span<const std::byte> in) {
  Implementation& own = *implementation_;
  if (!own.launched) return {Bytes(in.begin(), in.end())};
  if (own.shared) return own.gather_in_memory(in);
  const std::string key = fmt::format("castor.all.{}", own.allgathers++);
  own.publish(key, in);
  own.fence();
  std::vector<Bytes> all(static_cast<std::size_t>(own.size));
  for (int from = 0; from < own.size; ++from) {
    Bytes& data = all[static_cast<std::size_t>(from)];
    if (from == own.rank) {
      data.assign(in.begin(), in.end());
    } else if (!own.fetch(from, key, data)) {
      require(PMIX_ERR_NOT_FOUND, "another rank's data");
    }
  }
  return all;
}

void StartUp::put(std::string_view key, std::string_view value) {
  implementation_->put[std::string(key)] = value;
}

void StartUp::commit() {
  Implementation& own = *implementation_;
  for (auto& [key, value] : own.put) own.committed[key] = std::move(value);
  own.put.clear();
}

bool StartUp::get(std::string_view key, std::string& value) {
  Implementation& own = *implementation_;
  own.read_pairs();
  const auto found = own.known.find(key);
  if (found == own.known.end()) return false;
  value = found->second;
  return true;
}

/// Barriers are many and reads of pairs few: what the ranks have committed is looked at here.
void StartUp::Implementation::read_pairs() {
  for (; read < fences; ++read) {
    const std::string key = fmt::format("castor.pairs.{}", read);
    for (int from = 0; from < size; ++from) {
      Bytes data;
      if (fetch(from, key, data)) unpack(data, known);
    }
  }
}

void StartUp::let_launcher_act() {
  constexpr std::chrono::milliseconds enough{200};
  std::this_thread::sleep_for(enough);
}

void StartUp::Implementation::end_job(int code, const std::string& why) const {
  std::fflush(stdout);
  // aprun says it with the node's and the job's number; others say nothing, or what they like.
  if (!why.empty() && (!joined || !is_apruns(job_name))) {
    fmt::print(stderr, "castor: rank {}: {}\n", rank, corespec::printable(why));
  }
  if (joined && !bad_exits_end_the_job()) PMIx_Abort(code, why.c_str(), nullptr, 0);
  constexpr int low_byte = 0xff;
  _exit((code & low_byte) == 0 ? 1 : code & low_byte);
}

void StartUp::abort(int code, std::string_view why) {
  implementation_->end_job(code, std::string(why));
}

void StartUp::finalize() {
  Implementation& own = *implementation_;
  if (!own.joined) return;
  own.joined = false;
  if (own.shared) own.shared->leave();
  const std::int64_t before = corespec::LiveClock::host_nanoseconds();
  const pmix_status_t status = PMIx_Finalize(nullptr, 0);
  // The process is ending: only the user is left to be told.
  if (status != PMIX_SUCCESS) {
    std::this_thread::sleep_for(launcher_acts_within);
    abort(1, fmt::format("leaving the job: PMIx_Finalize: {}", PMIx_Error_string(status)));
  }
  // It waits for the server's answer for two seconds at most. A rank that ends before the server
  // has got a CPU to hear of it has ended without MPI_Finalize.
  constexpr std::int64_t unanswered = 1'900'000'000;
  constexpr std::int64_t patience = 5'000'000'000;
  if (corespec::LiveClock::host_nanoseconds() - before >= unanswered) {
    corespec::OsThread::rest(patience);
  }
}

}  // namespace launch
