// The end of requests, as the protocols tell it.
#pragma once

namespace netmod {

class RequestImpl;

/// Hears of requests that are complete.
class CompletionClient {
 public:
  virtual void request_complete(RequestImpl& request) = 0;

 protected:
  ~CompletionClient() = default;
};

}  // namespace netmod
