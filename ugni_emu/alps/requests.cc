// ALPS functions: requests to the launcher, each answered at once.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "ugni_emu/alps/alps_caller.h"
#include "ugni_emu/include/alps/libalpslli.h"

namespace {

using Answer = std::vector<std::byte>;

/// What ALPS keeps for a rank: the lock between its threads, and the answer that is to be fetched.
class Requests final : public corespec::ProcessState {
 public:
  explicit Requests(corespec::Node& node) : lock(node.make_mutex()) {}
  std::unique_ptr<corespec::Mutex> lock;
  bool asked = false;
  Answer answer;
};

Requests& requests_of(corespec::Process& process) {
  using Slot = corespec::Process::Slot;
  const corespec::DomainHold hold(corespec::this_thread_or_null());
  if (process.state(Slot::alps) == nullptr) {
    process.set_state(Slot::alps, std::make_unique<Requests>(process.node()));
  }
  return *static_cast<Requests*>(process.state(Slot::alps));
}

int refuse(int why) {
  errno = why;
  return ALPS_APP_LLI_ALPS_STAT_ERROR;
}

template <typename Value>
void append(Answer& answer, const Value& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  answer.insert(answer.end(), bytes, bytes + sizeof value);
}

/// A node has one NIC, and the job one tag and cookie on it.
Answer rights_on_the_network(const corespec::Process& process) {
  alpsAppGni_t rights{};
  rights.device_id = 0;
  rights.local_addr = process.node().nid();
  rights.cookie = process.job().cookie();
  rights.ptag = process.job().ptag();
  alpsAppLLIGni_t list{};
  list.count = 1;
  std::memcpy(list.u.buf, &rights, sizeof rights);
  Answer answer;
  append(answer, list);
  return answer;
}

/// Calls `body(Requests&)` for the calling rank.
template <typename Body>
int with_requests(const char* function, const Body& body) {
  corespec::Process* const process = alps::caller();
  if (process == nullptr) return ALPS_APP_LLI_ALPS_STAT_ERROR;
  const corespec::LibraryCall library_call(function);
  return body(*process, requests_of(*process));
}

}  // namespace

extern "C" {

int alps_app_lli_lock(void) {
  return with_requests("alps_app_lli_lock", [](const auto&, Requests& requests) {
    requests.lock->lock();
    return ALPS_APP_LLI_ALPS_STAT_OK;
  });
}

int alps_app_lli_unlock(void) {
  return with_requests("alps_app_lli_unlock", [](const auto&, Requests& requests) {
    requests.lock->unlock();
    return ALPS_APP_LLI_ALPS_STAT_OK;
  });
}

int alps_app_lli_put_request(int request, void* data, size_t bytes) {
  return with_requests("alps_app_lli_put_request", [&](const auto& process, Requests& requests) {
    if (bytes > 0 && data == nullptr) return refuse(EINVAL);
    Answer answer;
    switch (request) {
      case ALPS_APP_LLI_ALPS_REQ_APID:
        append(answer, static_cast<std::uint64_t>(process.job().apid()));
        break;
      case ALPS_APP_LLI_ALPS_REQ_GNI:
        answer = rights_on_the_network(process);
        break;
      default:
        return refuse(EINVAL);
    }
    requests.answer = std::move(answer);
    requests.asked = true;
    return ALPS_APP_LLI_ALPS_STAT_OK;
  });
}

int alps_app_lli_get_response(int* status, size_t* bytes) {
  return with_requests("alps_app_lli_get_response", [&](const auto&, Requests& requests) {
    if (status == nullptr || bytes == nullptr) return refuse(EINVAL);
    if (!requests.asked) {
      *status = ALPS_APP_LLI_ALPS_STAT_ERROR;
      *bytes = 0;
      return refuse(ENOMSG);
    }
    *status = ALPS_APP_LLI_ALPS_STAT_OK;
    *bytes = requests.answer.size();
    return ALPS_APP_LLI_ALPS_STAT_OK;
  });
}

int alps_app_lli_get_response_bytes(void* to, size_t bytes) {
  return with_requests("alps_app_lli_get_response_bytes", [&](const auto&, Requests& requests) {
    if (to == nullptr) return refuse(EINVAL);
    if (!requests.asked) return refuse(ENOMSG);
    if (bytes > requests.answer.size()) return refuse(EMSGSIZE);
    std::memcpy(to, requests.answer.data(), bytes);
    requests.asked = false;
    return ALPS_APP_LLI_ALPS_STAT_OK;
  });
}

}  // extern "C"
