// Which commands are marked, and the endpoint's own records.
#include "ugni_emu/telemetry/endpoint_log.h"

#include "corespec/threads/node.h"

namespace telemetry {
namespace {

constexpr std::uint64_t endpoint_stream = 0x656e6470000000ULL;
/// Marks of endpoints: those above are components' own (network_records.cc).
constexpr std::uint32_t most_marks = (1U << 31) - 1;

}  // namespace

EndpointLog::EndpointLog(const corespec::Process& process, const corespec::Parameters& parameters,
                         std::shared_ptr<const Choice> choice, SiteTest site)
    : process_(process),
      choice_(std::move(choice)),
      decision_(parameters.telemetry_decision),
      context_(parameters.telemetry_context),
      site_(std::move(site)),
      sampler_(static_cast<std::uint64_t>(parameters.seed),
               endpoint_stream + static_cast<std::uint64_t>(process.rank())) {}

bool EndpointLog::passes(const ugni::Transaction& transaction, corespec::ContextNumber context) {
  if (choice_->sizes &&
      (transaction.length < choice_->sizes->least || transaction.length > choice_->sizes->most)) {
    return false;
  }
  if (choice_->pair &&
      (choice_->pair->from != process_.rank() ||
       static_cast<std::uint32_t>(choice_->pair->to) != transaction.target_instance)) {
    return false;
  }
  if (choice_->site.empty()) return true;
  if (context == 0) return false;
  if (context >= site_known_.size()) {
    site_known_.resize(context + 1);
    site_fits_.resize(context + 1);
  }
  if (!site_known_[context]) {
    site_known_[context] = true;
    site_fits_[context] = site_(process_.contexts()->addresses(context));
  }
  return site_fits_[context];
}

std::uint32_t EndpointLog::issue(const ugni::Transaction& transaction, std::uint32_t& next_mark) {
  corespec::Thread& thread = corespec::this_thread();
  ++issued_;
  if (!choice_->of_software()) return 0;
  // Before the costs: a command for the BTE goes at once, whatever is charged for it here.
  const corespec::Time now = thread.own_time();
  thread.charge(decision_);
  const bool acts = operation_.has_value() && operation_->thread == thread.number();
  corespec::ContextNumber context = acts ? operation_->context : 0;
  // A walk of the stack is worth it only where the call site decides, or for a marked command.
  if (context == 0 && !choice_->site.empty()) context = corespec::context_of(thread);
  if (!passes(transaction, context) || !sampler_.takes(*choice_, now)) return 0;
  if (context == 0) context = corespec::context_of(thread);
  thread.charge(context_);
  MarkedCommand& made = commands_.emplace_back();
  made.mark = next_mark;
  next_mark = next_mark % most_marks + 1;
  made.issued = now;
  made.flow = flow_of(transaction);
  made.flow.mark = made.mark;
  made.kind = transaction.kind;
  made.bytes = transaction.length;
  made.call = thread.call();
  made.context = context;
  if (acts) {
    made.far = operation_->far;
    made.message = operation_->message;
  }
  return made.mark;
}

void EndpointLog::take(Taking::What what, std::uint32_t source, std::uint32_t mark) {
  corespec::Thread& thread = corespec::this_thread();
  thread.charge(context_);
  takings_.push_back(
      {what, mark, source, thread.own_time(), thread.call(), corespec::context_of(thread)});
  if (what == Taking::What::arrival) packet_ = {source, mark};
}

void EndpointLog::packet_is(std::int32_t peer, std::uint64_t number) {
  if (packet_.second == 0) return;
  messages_[{peer, number}] = packet_;
  packet_ = {};
}

void EndpointLog::received(std::int32_t peer, std::uint64_t number,
                           corespec::ContextNumber context) {
  if (messages_.empty()) return;
  const auto found = messages_.find({peer, number});
  if (found == messages_.end()) return;
  corespec::Thread& thread = corespec::this_thread();
  takings_.push_back({Taking::What::message, found->second.second, found->second.first,
                      thread.own_time(), thread.call(), context, number});
  messages_.erase(found);
}

}  // namespace telemetry
