// What the lines of one rank become.
#include "apps/traces/ti/ti_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "apps/traces/ti/ti_types.h"

namespace ti {
namespace {

constexpr std::int32_t world = 2;
constexpr std::int32_t sum = 3;
constexpr double ns = 1e9;
/// As far apart as a file can have two calls.
constexpr double longest_s = 32'768;
/// So that times are right to the ns.
constexpr double longest_ns = 9e15;
/// When a trace begins.
constexpr std::int64_t begin_ns = 1'000'000'000;
/// SimGrid's MPI_BYTE and MPI_DOUBLE.
constexpr std::int32_t bytes = 6;
constexpr std::int32_t doubles = 0;

}  // namespace

/// What a line may be: the action's name, what is made of it, and how it looks behind the rank.
struct Actions::Action {
  const char* name;
  Label label;
  Read read;
  const char* form;
};

const Actions::Action* Actions::find(std::string_view name) {
  static const Action all[] = {
      {"init", Label::Init, &Actions::init, "init [DOUBLES]"},
      {"finalize", Label::Finalize, &Actions::finalize, "finalize"},
      {"comm_size", Label::Comm_size, &Actions::nothing, "comm_size ..."},
      {"comm_split", Label::Comm_split, &Actions::nothing, "comm_split ..."},
      {"comm_dup", Label::Comm_dup, &Actions::nothing, "comm_dup ..."},
      {"compute", {}, &Actions::compute, "compute FLOPS"},
      {"sleep", {}, &Actions::sleep, "sleep SECONDS"},
      {"location", {}, &Actions::location, "location FILE LINE"},
      {"send", Label::Send, &Actions::send, "send DEST TAG COUNT [TYPE]"},
      {"Ssend", Label::Ssend, &Actions::send, "Ssend DEST TAG COUNT [TYPE]"},
      {"bsend", Label::Bsend, &Actions::send, "bsend DEST TAG COUNT [TYPE]"},
      {"isend", Label::Isend, &Actions::send, "isend DEST TAG COUNT [TYPE]"},
      {"ISsend", Label::Issend, &Actions::send, "ISsend DEST TAG COUNT [TYPE]"},
      {"ibsend", Label::Ibsend, &Actions::send, "ibsend DEST TAG COUNT [TYPE]"},
      {"recv", Label::Recv, &Actions::receive, "recv SOURCE TAG COUNT [TYPE]"},
      {"irecv", Label::Irecv, &Actions::receive, "irecv SOURCE TAG COUNT [TYPE]"},
      {"sendRecv", Label::Sendrecv, &Actions::sendrecv,
       "sendRecv SENDCOUNT DEST RECVCOUNT SOURCE [SENDTYPE [RECVTYPE]]"},
      {"wait", Label::Wait, &Actions::wait, "wait SOURCE DEST TAG"},
      {"test", Label::Test, &Actions::test, "test SOURCE DEST TAG"},
      {"waitall", Label::Waitall, &Actions::waitall, "waitall [COUNT]"},
      {"barrier", Label::Barrier, &Actions::barrier, "barrier"},
      {"bcast", Label::Bcast, &Actions::bcast, "bcast COUNT [ROOT [TYPE]]"},
      {"reduce", Label::Reduce, &Actions::reduce, "reduce COUNT FLOPS [ROOT [TYPE]]"},
      {"allreduce", Label::Allreduce, &Actions::reduce_for_all, "allreduce COUNT FLOPS [TYPE]"},
      {"scan", Label::Scan, &Actions::reduce_for_all, "scan COUNT FLOPS [TYPE]"},
      {"exscan", Label::Exscan, &Actions::reduce_for_all, "exscan COUNT FLOPS [TYPE]"},
      {"gather", Label::Gather, &Actions::gather,
       "gather SENDCOUNT RECVCOUNT [ROOT [SENDTYPE [RECVTYPE]]]"},
      {"scatter", Label::Scatter, &Actions::scatter,
       "scatter SENDCOUNT RECVCOUNT [ROOT [SENDTYPE [RECVTYPE]]]"},
      {"allgather", Label::Allgather, &Actions::exchange,
       "allgather SENDCOUNT RECVCOUNT [SENDTYPE [RECVTYPE]]"},
      {"alltoall", Label::Alltoall, &Actions::exchange,
       "alltoall SENDCOUNT RECVCOUNT [SENDTYPE [RECVTYPE]]"},
      {"gatherv", Label::Gatherv, &Actions::gatherv,
       "gatherv SENDCOUNT RECVCOUNT... [ROOT [SENDTYPE [RECVTYPE]]]"},
      {"allgatherv", Label::Allgatherv, &Actions::allgatherv,
       "allgatherv SENDCOUNT RECVCOUNT... [SENDTYPE RECVTYPE] [DISPLACEMENT...]"},
      {"scatterv", Label::Scatterv, &Actions::scatterv,
       "scatterv SENDCOUNT... RECVCOUNT [ROOT [SENDTYPE [RECVTYPE]]]"},
      {"alltoallv", Label::Alltoallv, &Actions::alltoallv,
       "alltoallv SENDSIZE SENDCOUNT... RECVSIZE RECVCOUNT... [SENDTYPE [RECVTYPE]]"},
      {"reducescatter", Label::Reduce_scatter, &Actions::reduce_scatter,
       "reducescatter RECVCOUNT... FLOPS [TYPE]"},
  };
  for (const Action& each : all) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

Actions::Actions(int rank, int ranks, double speed)
    : rank_(rank), ranks_(ranks), speed_(speed), default_type_(dumpi_type(bytes)) {}

void Actions::read(Line& line) {
  line.set_form("'RANK ACTION ...'");
  const std::string name(line.word());
  if (ended_) line.fail(fmt::format("{} behind finalize: must be the rank's last line", name));
  const Action* const action = find(name);
  if (action == nullptr) {
    line.fail(fmt::format("action {}: must be one that SimGrid replays, or a send", name));
  }
  const std::string form = fmt::format("'RANK {}'", action->form);
  line.set_form(form);
  label_ = action->label;
  (this->*action->read)(line);
  line.end();
}

std::vector<dumpi::Call> Actions::take() {
  if (!ended_) {
    wait_for_all();
    // Work behind the last call takes its time without the line `finalize`, too.
    if (time_ns_ > last_ns_) call(Label::Finalize, {});
  }
  // So does work before the first one, without `init` or before it.
  if (!calls_.empty() && calls_.front().wall->entry > begin_ns) {
    if (calls_.front().label != Label::Init) {
      call(Label::Init, {std::vector<std::string>()});
      std::rotate(calls_.begin(), std::prev(calls_.end()), calls_.end());
    }
    calls_.front().wall = dumpi::Span{begin_ns, begin_ns};
  }
  return std::move(calls_);
}

// Time.

void Actions::work(double seconds, const Line& line) {
  time_ns_ += seconds * ns;
  const double since = (time_ns_ - last_ns_) / ns;
  if (since < longest_s && time_ns_ < longest_ns) return;
  if (since < longest_s) {
    line.fail(fmt::format("{} s since the trace's begin: must be less than {}", time_ns_ / ns,
                          longest_ns / ns));
  }
  line.fail(fmt::format("{} s since the last call: must be less than {}", since, longest_s));
}

void Actions::call(Label label, std::vector<dumpi::Value> values) {
  dumpi::Call made;
  made.label = label;
  const std::int64_t now = begin_ns + std::llround(time_ns_);
  made.wall = dumpi::Span{now, now};
  made.has_statuses = false;
  made.values = std::move(values);
  calls_.push_back(std::move(made));
  last_ns_ = time_ns_;
}

void Actions::compute(Line& line) { work(line.amount("FLOPS") / speed_, line); }
void Actions::sleep(Line& line) { work(line.amount("SECONDS"), line); }
void Actions::location(Line& line) {
  line.word();
  line.whole();
}
void Actions::nothing(Line& line) {
  while (line.more()) line.word();
}

// Arguments.

std::int32_t Actions::rank_in(Line& line, const char* what) const {
  const std::int32_t rank = line.whole();
  if (rank < 0 || rank >= ranks_) {
    line.fail(fmt::format("{} {}: must be 0 to {}", what, rank, ranks_ - 1));
  }
  return rank;
}

std::int32_t Actions::source_in(Line& line) const {
  // MPI_ANY_SOURCE is -555 there, and -333 (MPI_UNDEFINED) where it was looked up in a group.
  const std::int32_t source = line.whole();
  if (source == any || source == -333 || source == -555) return any;
  if (source < 0 || source >= ranks_) {
    line.fail(
        fmt::format("SOURCE {}: must be 0 to {}, or -1, -333 or -555 for any", source, ranks_ - 1));
  }
  return source;
}

std::int32_t Actions::tag_in(Line& line, bool may_be_any) const {
  const std::int32_t tag = line.whole();
  if (may_be_any && (tag == any || tag == -444)) return any;
  if (tag >= 0) return tag;
  line.fail(fmt::format("TAG {}: must be at least 0{}", tag,
                        may_be_any ? ", or -1 or -444 for any" : ""));
}

std::int32_t Actions::root_in(Line& line) const { return line.more() ? rank_in(line, "ROOT") : 0; }

std::int32_t Actions::type_in(Line& line) const {
  if (!line.more()) return default_type_;
  const std::int32_t type = line.whole();
  if (type < 0 || type >= type_count) {
    line.fail(
        fmt::format("TYPE {}: must be 0 to {} (a program's own types have no size in a trace)",
                    type, type_count - 1));
  }
  return dumpi_type(type);
}

Actions::Numbers Actions::counts_in(Line& line, const char* what) const {
  Numbers counts;
  for (int left = ranks_; left > 0; --left) counts.push_back(line.count(what));
  return counts;
}

Actions::Numbers Actions::offsets_of(const Numbers& counts, const Line& line) const {
  Numbers offsets;
  std::int64_t next = 0;
  for (const std::int32_t count : counts) {
    offsets.push_back(static_cast<std::int32_t>(next));
    next += count;
    if (next > std::numeric_limits<std::int32_t>::max()) {
      line.fail(fmt::format("{} elements together: must be at most 2147483647", next));
    }
  }
  return offsets;
}

std::int32_t Actions::request_in(Line& line) const {
  const std::int32_t source = source_in(line);
  const std::int32_t dest = rank_in(line, "DEST");
  const std::int32_t tag = tag_in(line, true);
  if (const auto found = requests_.find({source, dest, tag})) return *found;
  line.fail(fmt::format("no isend or irecv from {} to {} with tag {} is open", source, dest, tag));
}

// Calls.

void Actions::init(Line& line) {
  if (!calls_.empty()) line.fail("init: must be the rank's first call");
  const bool is_doubles = line.more();
  if (is_doubles) line.word();
  default_type_ = dumpi_type(is_doubles ? doubles : bytes);
  call(label_, {std::vector<std::string>()});
}

void Actions::finalize(Line& /*line*/) {
  wait_for_all();
  call(label_, {});
  ended_ = true;
}

void Actions::send(Line& line) {
  const std::int32_t dest = rank_in(line, "DEST");
  const std::int32_t tag = tag_in(line, false);
  const std::int32_t count = line.count("COUNT");
  std::vector<dumpi::Value> values = {count, type_in(line), dest, tag, world};
  if (dumpi::layout_of(label_).place_of("request")) {
    values.emplace_back(requests_.add({rank_, dest, tag}));
  }
  call(label_, std::move(values));
}

void Actions::receive(Line& line) {
  const std::int32_t source = source_in(line);
  const std::int32_t tag = tag_in(line, true);
  const std::int32_t count = line.count("COUNT");
  std::vector<dumpi::Value> values = {count, type_in(line), source, tag, world};
  if (label_ == Label::Irecv) {
    values.emplace_back(requests_.add({source, rank_, tag}));
  } else {
    values.emplace_back(std::vector<dumpi::Status>());
  }
  call(label_, std::move(values));
}

void Actions::sendrecv(Line& line) {
  constexpr std::int32_t tag = 0;
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const std::int32_t dest = rank_in(line, "DEST");
  const std::int32_t recvcount = line.count("RECVCOUNT");
  const std::int32_t source = source_in(line);
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  call(label_, {sendcount, sendtype, dest, tag, recvcount, recvtype, source, tag, world,
                std::vector<dumpi::Status>()});
}

void Actions::wait(Line& line) {
  const std::int32_t request = request_in(line);
  requests_.remove(request);
  call(label_, {request, std::vector<dumpi::Status>()});
}

void Actions::test(Line& line) {
  call(label_, {request_in(line), 0, std::vector<dumpi::Status>()});
}

void Actions::waitall(Line& line) {
  if (line.more()) line.count("COUNT");
  wait_for_all();
}

void Actions::wait_for_all() {
  const Numbers open = requests_.take_all();
  if (open.empty()) return;
  call(Label::Waitall,
       {static_cast<std::int32_t>(open.size()), open, std::vector<dumpi::Status>()});
}

void Actions::barrier(Line& /*line*/) { call(label_, {world}); }

void Actions::bcast(Line& line) {
  const std::int32_t count = line.count("COUNT");
  const std::int32_t root = root_in(line);
  call(label_, {count, type_in(line), root, world});
}

void Actions::reduce(Line& line) {
  const std::int32_t count = line.count("COUNT");
  const double flops = line.amount("FLOPS");
  const std::int32_t root = root_in(line);
  call(label_, {count, type_in(line), sum, root, world});
  work(flops / speed_, line);
}

void Actions::reduce_for_all(Line& line) {
  const std::int32_t count = line.count("COUNT");
  const double flops = line.amount("FLOPS");
  call(label_, {count, type_in(line), sum, world});
  work(flops / speed_, line);
}

void Actions::gather(Line& line) {
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const std::int32_t recvcount = line.count("RECVCOUNT");
  const std::int32_t root = root_in(line);
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  std::vector<dumpi::Value> values = {rank_, sendcount, sendtype, root, world, {}, {}};
  if (rank_ == root) {
    values[5] = recvcount;
    values[6] = recvtype;
  }
  call(label_, std::move(values));
}

void Actions::scatter(Line& line) {
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const std::int32_t recvcount = line.count("RECVCOUNT");
  const std::int32_t root = root_in(line);
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  std::vector<dumpi::Value> values = {rank_, recvcount, recvtype, root, world, {}, {}};
  if (rank_ == root) {
    values[5] = sendcount;
    values[6] = sendtype;
  }
  call(label_, std::move(values));
}

void Actions::exchange(Line& line) {
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const std::int32_t recvcount = line.count("RECVCOUNT");
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  call(label_, {sendcount, sendtype, recvcount, recvtype, world});
}

void Actions::gatherv(Line& line) {
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const Numbers recvcounts = counts_in(line, "RECVCOUNT");
  const std::int32_t root = root_in(line);
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  std::vector<dumpi::Value> values = {rank_, ranks_, sendcount, sendtype, root,
                                      world, {},     {},        recvtype};
  if (rank_ == root) {
    values[6] = recvcounts;
    values[7] = offsets_of(recvcounts, line);
  }
  call(label_, std::move(values));
}

void Actions::allgatherv(Line& line) {
  const std::int32_t sendcount = line.count("SENDCOUNT");
  const Numbers recvcounts = counts_in(line, "RECVCOUNT");
  // Up to two fields are types; as many as there are ranks, or two more, have displacements.
  Numbers rest;
  while (line.more()) rest.push_back(line.whole());
  std::int32_t types[] = {default_type_, default_type_};
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::size_t given = rest.size();
  if (given > 2) given -= std::min(given, ranks);
  if (given > 2) line.fail();
  for (std::size_t i = 0; i < given; ++i) {
    if (rest[i] < 0 || rest[i] >= type_count) line.fail();
    types[i] = dumpi_type(rest[i]);
  }
  call(label_,
       {ranks_, sendcount, types[0], recvcounts, offsets_of(recvcounts, line), types[1], world});
}

void Actions::scatterv(Line& line) {
  const Numbers sendcounts = counts_in(line, "SENDCOUNT");
  const std::int32_t recvcount = line.count("RECVCOUNT");
  const std::int32_t root = root_in(line);
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  std::vector<dumpi::Value> values = {rank_, ranks_, sendtype, recvcount, recvtype,
                                      root,  world,  {},       {}};
  if (rank_ == root) {
    values[7] = sendcounts;
    values[8] = offsets_of(sendcounts, line);
  }
  call(label_, std::move(values));
}

void Actions::alltoallv(Line& line) {
  line.count("SENDSIZE");
  const Numbers sendcounts = counts_in(line, "SENDCOUNT");
  line.count("RECVSIZE");
  const Numbers recvcounts = counts_in(line, "RECVCOUNT");
  const std::int32_t sendtype = type_in(line);
  const std::int32_t recvtype = type_in(line);
  call(label_, {ranks_, sendcounts, offsets_of(sendcounts, line), sendtype, recvcounts,
                offsets_of(recvcounts, line), recvtype, world});
}

void Actions::reduce_scatter(Line& line) {
  const Numbers recvcounts = counts_in(line, "RECVCOUNT");
  const double flops = line.amount("FLOPS");
  offsets_of(recvcounts, line);
  call(label_, {ranks_, recvcounts, type_in(line), sum, world});
  work(flops / speed_, line);
}

}  // namespace ti
