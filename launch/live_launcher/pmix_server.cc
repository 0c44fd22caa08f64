// The PMIx server of a live job whose processes are all on this host.
#include "launch/live_launcher/pmix_server.h"

#include <event2/event.h>
#include <fmt/format.h>
#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "launch/live_launcher/pmix_door.h"

namespace launch {
namespace {

void require(pmix_status_t status, const char* what) {
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return;
  throw std::runtime_error(fmt::format("PMIx: {}: {}", what, PMIx_Error_string(status)));
}

/// A list of PMIx's attributes, which it copies.
class Attributes {
 public:
  Attributes() = default;
  ~Attributes() {
    for (pmix_info_t& one : list_) PMIx_Value_destruct(&one.value);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  Attributes& add(const char* key, const std::string& text) {
    return add(key, text.c_str(), PMIX_STRING);
  }
  Attributes& add(const char* key, bool yes) { return add(key, &yes, PMIX_BOOL); }
  Attributes& add(const char* key, std::uint32_t number) { return add(key, &number, PMIX_UINT32); }
  Attributes& add(const char* key, const void* data, pmix_data_type_t type) {
    list_.emplace_back();
    require(PMIx_Info_load(&list_.back(), key, data, type), key);
    return *this;
  }
  pmix_info_t* data() { return list_.data(); }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<pmix_info_t> list_;
};

/// A list as PMIx packs it, of nodes or of the ranks on each.
class Packed {
 public:
  using Make = pmix_status_t(const char*, char**);
  Packed(Make* make, const std::string& list) {
    require(make(list.c_str(), &text_), "the job's map");
  }
  ~Packed() { std::free(text_); }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  const char* text() const { return text_; }

 private:
  char* text_ = nullptr;
};

void answer(pmix_op_cbfunc_t done, void* data) {
  if (done != nullptr) done(PMIX_SUCCESS, data);
}

/// PMIx's event library grumbles about connections to processes that have been killed.
void be_silent(int, const char*) {}

}  // namespace

struct PmixServer::Implementation {
  /// What PMIx hands back with everything that a rank's process asks for.
  struct Client {
    Implementation* server = nullptr;
    int rank = 0;
  };
  static void report(void* client, PmixReport::Kind kind, int code = 0, std::string text = {});

  // The functions of PMIx's server module.
  static pmix_status_t joined(const pmix_proc_t* process, void* client, pmix_info_t* info,
                              std::size_t count, pmix_op_cbfunc_t done, void* data);
  static pmix_status_t left(const pmix_proc_t* process, void* client, pmix_op_cbfunc_t done,
                            void* data);
  static pmix_status_t aborted(const pmix_proc_t* process, void* client, int status,
                               const char* message, pmix_proc_t* victims, std::size_t count,
                               pmix_op_cbfunc_t done, void* data);
  static pmix_status_t fence(const pmix_proc_t* processes, std::size_t count,
                             const pmix_info_t* info, std::size_t infos, char* contributed,
                             std::size_t bytes, pmix_modex_cbfunc_t done, void* data);
  static pmix_status_t fetch(const pmix_proc_t* process, const pmix_info_t* info, std::size_t count,
                             pmix_modex_cbfunc_t done, void* data);

  pmix_proc_t name_of(pmix_rank_t rank) const;
  void register_job();

  PmixJob job;
  Tell tell;
  std::vector<Client> clients;
  std::unique_ptr<PmixDoor> door;
};

void PmixServer::Implementation::report(void* client, PmixReport::Kind kind, int code,
                                        std::string text) {
  if (client == nullptr) return;  // no rank of ours
  const Client& from = *static_cast<const Client*>(client);
  from.server->tell({kind, from.rank, code, std::move(text)});
}

pmix_status_t PmixServer::Implementation::joined(const pmix_proc_t*, void* client, pmix_info_t*,
                                                 std::size_t, pmix_op_cbfunc_t done, void* data) {
  if (client != nullptr) {
    const Client& from = *static_cast<const Client*>(client);
    if (!from.server->door->has_let_in(from.rank))
      std::abort();  // libpmix no longer calls accept()
  }
  report(client, PmixReport::Kind::joined);
  answer(done, data);
  return PMIX_SUCCESS;
}

pmix_status_t PmixServer::Implementation::left(const pmix_proc_t*, void* client,
                                               pmix_op_cbfunc_t done, void* data) {
  if (client != nullptr) {
    const Client& from = *static_cast<const Client*>(client);
    from.server->door->left(from.rank);
  }
  report(client, PmixReport::Kind::left);
  answer(done, data);
  return PMIX_SUCCESS;
}

pmix_status_t PmixServer::Implementation::aborted(const pmix_proc_t*, void* client, int status,
                                                  const char* message, pmix_proc_t*, std::size_t,
                                                  pmix_op_cbfunc_t done, void* data) {
  report(client, PmixReport::Kind::aborted, status, message == nullptr ? "" : message);
  answer(done, data);
  return PMIX_SUCCESS;
}

/// All participants are here, so what they have contributed is everything. It is ours to free.
pmix_status_t PmixServer::Implementation::fence(const pmix_proc_t*, std::size_t, const pmix_info_t*,
                                                std::size_t, char* contributed, std::size_t bytes,
                                                pmix_modex_cbfunc_t done, void* data) {
  if (done == nullptr) {
    std::free(contributed);
  } else {
    done(PMIX_SUCCESS, contributed, bytes, data, std::free, contributed);
  }
  return PMIX_SUCCESS;
}

/// Asked for only where the server does not know a process: there are none elsewhere.
pmix_status_t PmixServer::Implementation::fetch(const pmix_proc_t*, const pmix_info_t*, std::size_t,
                                                pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;
}

pmix_proc_t PmixServer::Implementation::name_of(pmix_rank_t rank) const {
  pmix_proc_t name{};
  std::strncpy(static_cast<char*>(name.nspace), job.name.c_str(), PMIX_MAX_NSLEN);
  name.rank = rank;
  return name;
}

void PmixServer::Implementation::register_job() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  std::string ranks = "0";
  for (int rank = 1; rank < job.ranks; ++rank) ranks += fmt::format(",{}", rank);
  const Packed nodes(&PMIx_generate_regex, host.data());
  const Packed places(&PMIx_generate_ppn, ranks);
  const auto size = static_cast<std::uint32_t>(job.ranks);
  Attributes about;
  about.add(PMIX_JOBID, job.name)
      .add(PMIX_JOB_SIZE, size)
      .add(PMIX_UNIV_SIZE, size)
      .add(PMIX_MAX_PROCS, size)
      .add(PMIX_LOCAL_SIZE, size)
      .add(PMIX_LOCAL_PEERS, ranks)
      .add(PMIX_NSDIR, job.folder)
      .add(PMIX_TMPDIR, job.folder)
      .add(PMIX_NODE_MAP, nodes.text(), PMIX_REGEX)
      .add(PMIX_PROC_MAP, places.text(), PMIX_REGEX);
  require(PMIx_server_register_nspace(job.name.c_str(), job.ranks, about.data(), about.size(),
                                      nullptr, nullptr),
          "PMIx_server_register_nspace");
  clients.resize(static_cast<std::size_t>(job.ranks));
  for (int rank = 0; rank < job.ranks; ++rank) {
    Client& client = clients[static_cast<std::size_t>(rank)];
    client = {this, rank};
    const pmix_proc_t name = name_of(static_cast<pmix_rank_t>(rank));
    require(PMIx_server_register_client(&name, geteuid(), getegid(), &client, nullptr, nullptr),
            "PMIx_server_register_client");
  }
}

PmixServer::PmixServer(PmixJob job, Tell tell)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& own = *implementation_;
  own.job = std::move(job);
  own.tell = std::move(tell);
  event_set_log_callback(&be_silent);
  pmix_server_module_t module{};
  module.client_connected2 = &Implementation::joined;
  module.client_finalized = &Implementation::left;
  module.abort = &Implementation::aborted;
  module.fence_nb = &Implementation::fence;
  module.direct_modex = &Implementation::fetch;
  own.door = std::make_unique<PmixDoor>(own.job.name, own.job.ranks, [&own](int rank) {
    own.tell({PmixReport::Kind::refused, rank, 0, ""});
  });
  Attributes about;
  about.add(PMIX_SERVER_TMPDIR, own.job.folder)
      .add(PMIX_SYSTEM_TMPDIR, own.job.folder)
      .add(PMIX_SERVER_REMOTE_CONNECTIONS, false)
      .add(PMIX_SERVER_TOOL_SUPPORT, false)
      .add(PMIX_SERVER_SESSION_SUPPORT, false)
      .add(PMIX_SERVER_SYSTEM_SUPPORT, false)
      .add(PMIX_TCP_DISABLE_IPV6, true);
  require(PMIx_server_init(&module, about.data(), about.size()), "PMIx_server_init");
  own.register_job();
}

// PMIx_server_finalize() of PMIx 4.2 may crash, or never return, when clients have been killed: its
// thread still takes down their connections. The server ends with the process, and so does what
// that thread refers to; its files are in the job's folder.
PmixServer::~PmixServer() {
  [[maybe_unused]] Implementation* for_the_process = implementation_.release();
}

std::vector<std::string> PmixServer::variables(int rank) const {
  const pmix_proc_t name = implementation_->name_of(static_cast<pmix_rank_t>(rank));
  char** list = nullptr;
  require(PMIx_server_setup_fork(&name, &list), "PMIx_server_setup_fork");
  std::vector<std::string> entries;
  for (char** entry = list; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
    std::free(*entry);
  }
  std::free(list);
  return entries;
}

}  // namespace launch
