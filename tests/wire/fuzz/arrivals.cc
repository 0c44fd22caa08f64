// Rank 0 of a job of two in one process; rank 1 has met it, and that is all.
#include "tests/wire/fuzz/arrivals.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string_view>

#include "corespec/config/parameters.h"
#include "tests/wire/job_of_processes.h"
#include "ugni_emu/fabric/parcel.h"
#include "ugni_emu/fabric/transport/process_message.h"
#include "ugni_emu/fabric/transport/transport.h"
#include "ugni_emu/nic/collective_engine.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/wire/collective_id.h"

namespace wire_test {
namespace {

using ugni::Transaction;
using ugni::TransactionKind;
using namespace ugni::fabric;

constexpr std::size_t page = 4096;
constexpr std::size_t region_pages = 16;
constexpr std::size_t mailbox_at = 8 * page;
constexpr std::uint64_t fixed_address = 0x7e0000000000;
constexpr ugni::DomainName own_name{0, 11, 7};
constexpr ugni::DomainName peer_name{1, 11, 7};
constexpr std::uint64_t peers_mailbox = 0x1000;
constexpr std::uint32_t peers_engine = ugni::collective_id::make(0, 0);
// No test takes so long: what is put off for it is so until wait().
constexpr corespec::Time a_while = corespec::Time::seconds(600);

/// Memory between two pages that nobody may touch.
class Region {
 public:
  Region() {
    void* const wanted = reinterpret_cast<void*>(fixed_address);
    void* const all = mmap(wanted, (region_pages + 2) * page, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (all != wanted) throw std::runtime_error("no memory at the place where it is to be");
    mprotect(bytes(), region_pages * page, PROT_READ | PROT_WRITE);
  }
  ~Region() { munmap(reinterpret_cast<void*>(fixed_address), (region_pages + 2) * page); }
  std::byte* bytes() const { return reinterpret_cast<std::byte*>(fixed_address + page); }
  std::uint64_t address() const { return fixed_address + page; }
};

}  // namespace

struct Arrivals::Parts {
  Parts();
  ~Parts();
  void meet();
  void post(TransactionKind kind, std::uint64_t length, bool registered);
  void set_up_engine();
  /// What the wire calls runs on. False if it has ended the job, with a line.
  template <typename Call>
  static bool goes_on_after(const Call& call);

  Region region;
  SharedPart shared{2};
  // Rank 0 has to wish for the data of direct PUTs.
  Arrangement arrangement{{0, 1}, {0, 0}, "auto", "none", a_while, "copy-refused rank=0"};
  std::unique_ptr<Rank> own;
  std::unique_ptr<Rank> peer;
  std::unique_ptr<nic::Nic> nic;
  std::unique_ptr<nic::Domain> domain;
  std::unique_ptr<nic::Endpoint> endpoint;
  std::unique_ptr<nic::CollectiveEngine> engine;
  gni_mem_handle_t handle{};
  Buffer buffer;  ///< what arrives is aligned as endpoints have it
};

Arrivals::Parts::Parts() {
  meet();
  peer->domain().set_arrivals(nullptr);  // what it gets it never looks at
  nic = std::make_unique<nic::Nic>(own->node(), own->wire());
  domain = std::make_unique<nic::Domain>(*nic, own_name, 0, 0);
  if (domain->attach() != GNI_RC_SUCCESS) throw std::runtime_error("no domain");
  nic::RegionTable::Request request;
  request.address = region.address();
  request.length = region_pages * page;
  domain->memory().add(*domain, request, handle);
  endpoint = std::make_unique<nic::Endpoint>(*domain, nullptr);
  endpoint->bound = true;
  endpoint->remote_address = 1;
  endpoint->remote_instance = 1;
  endpoint->remote_mailbox = peers_mailbox;
  if (!domain->open_mailbox(*endpoint, region.address() + mailbox_at)) {
    throw std::runtime_error("no mailbox");
  }
  set_up_engine();
  post(TransactionKind::get, 100, false);
  post(TransactionKind::get, 3 * page, true);
  post(TransactionKind::put, 3 * page, true);
  post(TransactionKind::atomic, 8, true);
  post(TransactionKind::cq_write, 0, false);
}

/// Neither rank can come into being before the other. What the host refuses to one of them is told
/// by its future: an exception in a thread would end the process without a line.
void Arrivals::Parts::meet() {
  const auto make = [this, start = corespec::LiveClock::host_nanoseconds()](int rank) {
    return std::make_unique<Rank>(shared, arrangement, rank, start);
  };
  std::future<std::unique_ptr<Rank>> other = std::async(std::launch::async, make, 1);
  own = make(0);
  peer = other.get();
}

template <typename Call>
bool Arrivals::Parts::goes_on_after(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    if (std::string_view(error.what()).substr(0, 10) != "live wire:") throw;
    return false;
  }
  return true;
}

/// In the order in which a process ends: the domain still has events of the NIC's when that goes,
/// and runs none, however late it gets.
Arrivals::Parts::~Parts() {
  goes_on_after([this] { own->leave(); });
  engine.reset();
  domain.reset();
  nic.reset();
  own->let_pass(a_while);
}

/// Rank 1 is a participant, an engine below this one, and its parent.
void Arrivals::Parts::set_up_engine() {
  nic::CollectiveEngine::Setup setup;
  setup.children[0] = {GNI_CE_CHILD_PE, 1, 0};
  setup.children[1] = {GNI_CE_CHILD_VCE, 1, peers_engine};
  setup.parent = {GNI_CE_CHILD_VCE, 1, peers_engine};
  engine = std::make_unique<nic::CollectiveEngine>(*domain);
  engine->configure(setup);
}

void Arrivals::Parts::post(TransactionKind kind, std::uint64_t length, bool registered) {
  const corespec::EventDomain::Hold hold(own->domain());
  const nic::Posting posting = nic->begin(*endpoint, nullptr, kind, 0);
  posting.post->length = static_cast<std::uint32_t>(length);
  posting.post->local_address = region.address();
  posting.post->local_handle = registered ? handle.qword1 : 0;
  posting.transaction().length = length;
  posting.transaction().remote_address = region.address();
  posting.submission->perform();
}

Arrivals::Arrivals() : parts_(std::make_unique<Parts>()) {}
Arrivals::~Arrivals() = default;

bool Arrivals::take(std::span<const std::byte> arrived, bool sender_known) {
  Parts& parts = *parts_;
  const std::size_t size = std::min(arrived.size(), sizeof parts.buffer.bytes);
  std::copy_n(arrived.begin(), size, parts.buffer.bytes);
  const corespec::EventDomain::Hold hold(parts.own->domain());
  return Parts::goes_on_after([&] {
    parts.own->wire().received({parts.buffer.bytes, size}, sender_known ? 1 : -1);
    parts.own->domain().advance();
  });
}

bool Arrivals::wait() {
  Parts& parts = *parts_;
  const corespec::EventDomain::Hold hold(parts.own->domain());
  return Parts::goes_on_after([&] {
    parts.own->let_pass(a_while);
    parts.own->domain().advance();
  });
}

void Arrivals::take_all(std::span<const std::uint8_t> input) {
  constexpr std::size_t head = 3;
  while (input.size() >= head) {
    const bool known = (input[0] & 1) != 0;
    if ((input[0] & 2) != 0 && !wait()) return;
    const std::size_t wanted = input[1] | std::size_t{input[2]} << 8;
    const std::size_t size = std::min(wanted, input.size() - head);
    if (!take(std::as_bytes(input.subspan(head, size)), known)) return;
    input = input.subspan(head + size);
  }
}

bool Arrivals::is_whole() const {
  const std::byte* const bytes = parts_->region.bytes();
  return std::all_of(bytes + (region_pages - 1) * page, bytes + region_pages * page,
                     [](std::byte each) { return each == std::byte{0}; });
}

namespace {

template <typename Fixed>
std::vector<std::byte> message(const Fixed& fixed, std::size_t data = 0,
                               std::span<const Acknowledgement> behind = {}) {
  std::vector<std::byte> bytes(sizeof fixed + data, std::byte{0x5a});
  put_fixed(bytes.data(), fixed);
  const auto more = std::as_bytes(behind);
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

/// The number of rank 0's n-th transaction.
constexpr std::uint64_t number_of(std::uint64_t n) { return std::uint64_t{1} << 32 | n; }

RequestMessage request(TransactionKind kind, std::uint64_t length, std::uint64_t address,
                       const gni_mem_handle_t& handle) {
  RequestMessage made;
  made.head = {MessageKind::request, RequestMessage::last, 0, 1};
  made.number = 1;
  made.length = length;
  Transaction& transaction = made.transaction;
  transaction.kind = kind;
  transaction.ptag = own_name.ptag;
  transaction.cookie = own_name.cookie;
  transaction.source = 1;
  transaction.source_instance = 1;
  transaction.length = length;
  transaction.remote_address = address;
  transaction.remote_handle = {handle.qword1, handle.qword2};
  if (kind == TransactionKind::message || kind == TransactionKind::credit) {
    transaction.immediate = {peers_mailbox, 0};
  }
  transaction.initiator_key = 1;
  return made;
}

ResponseMessage response(std::uint64_t n, std::uint64_t offset, std::uint64_t length, bool last) {
  ResponseMessage made;
  made.head = {MessageKind::response, last ? ResponseMessage::last : std::uint8_t{0}, 0, 1};
  made.number = number_of(n);
  made.offset = offset;
  made.length = length;
  return made;
}

}  // namespace

std::vector<std::vector<std::byte>> Arrivals::examples() const {
  const gni_mem_handle_t& handle = parts_->handle;
  const std::uint64_t at = parts_->region.address();
  std::vector<std::vector<std::byte>> all;
  RouteMessage route;
  route.head = {MessageKind::answer, 0, 0, 1};
  route.rank = 1;
  route.name = peer_name;
  all.push_back(message(route));
  route.head.kind = MessageKind::question;
  all.push_back(message(route));
  all.push_back(message(request(TransactionKind::put, 100, at, handle), 100));
  RequestMessage piece = request(TransactionKind::put, 5000, at, handle);
  piece.length = 4000;
  piece.head.flags = 0;
  all.push_back(message(piece, 4000));
  piece.offset = 4000;
  piece.length = 1000;
  piece.head.flags = RequestMessage::last;
  all.push_back(message(piece, 1000));
  RequestMessage direct = request(TransactionKind::put, 9000, at, handle);
  direct.head.flags |= RequestMessage::direct;
  direct.memory.address = at;
  all.push_back(message(direct));
  DataMessage data;
  data.head = {MessageKind::data, 0, 0, 1};
  data.number = direct.number;
  all.push_back(message(data, 8000));
  data.offset = 8000;
  all.push_back(message(data, 1000));
  direct.transaction.kind = TransactionKind::get;
  all.push_back(message(direct));
  all.push_back(message(request(TransactionKind::get, 9000, at, handle)));
  all.push_back(message(request(TransactionKind::message, 300, at + mailbox_at, handle), 300));
  RequestMessage ahead = request(TransactionKind::message, 300, at + mailbox_at, handle);
  nic::set_message_number(ahead.transaction, {0, 1});
  all.push_back(message(ahead, 300));
  ahead.length = 200;
  ahead.head.flags = 0;
  all.push_back(message(ahead, 200));
  ahead.offset = 200;
  ahead.length = 100;
  ahead.head.flags = RequestMessage::last;
  all.push_back(message(ahead, 100));
  RequestMessage credit = request(TransactionKind::credit, 0, at + mailbox_at, handle);
  credit.transaction.subkind = 3;
  all.push_back(message(credit));
  all.push_back(message(request(TransactionKind::datagram, 56, 0, {}), 56));
  RequestMessage atomic = request(TransactionKind::atomic, 8, at, handle);
  atomic.transaction.subkind = GNI_FMA_ATOMIC_FADD;
  all.push_back(message(atomic));
  all.push_back(message(request(TransactionKind::cq_write, 0, 0, handle)));
  RequestMessage collective = request(TransactionKind::collective, 0, at, handle);
  collective.transaction.target_instance = parts_->engine->id();
  collective.transaction.remote_event = 5;
  collective.transaction.subkind =
      nic::collective_bits::contribution({GNI_FMA_CE_FPADD, true}, 0, 0);
  all.push_back(message(collective));
  collective.transaction.flags = nic::transaction_flag::engine;
  collective.transaction.source_instance = peers_engine;
  collective.transaction.subkind =
      nic::collective_bits::contribution({GNI_FMA_CE_FPADD, true}, 1, 0);
  all.push_back(message(collective));
  collective.transaction.flags |= nic::transaction_flag::result;
  collective.transaction.subkind = nic::collective_bits::result(ugni::ResponseStatus::ok, 2);
  all.push_back(message(collective));
  all.push_back(message(response(0, 0, 60, false), 60));
  all.push_back(message(response(0, 60, 40, true), 40));
  all.push_back(message(response(3, 0, 8, true), 8));
  FetchMessage fetch;
  fetch.head = {MessageKind::fetch, 0, 0, 1};
  fetch.number = number_of(2);
  all.push_back(message(fetch));
  const Acknowledgement acknowledged[] = {
      {number_of(1), 0, ugni::ResponseStatus::ok,
       ResponseMessage::last | ResponseMessage::in_place},
      {number_of(2), 0, ugni::ResponseStatus::ok, ResponseMessage::last},
      {number_of(4), 0, ugni::ResponseStatus::invalid_handle, ResponseMessage::last}};
  all.push_back(message(MessageHead{MessageKind::acknowledgements, 0, 2, 1}, 0,
                        std::span(acknowledged).first(2)));
  RequestMessage carrier = request(TransactionKind::put, 10, at, handle);
  carrier.head.count = 1;
  all.push_back(message(carrier, 10, std::span(acknowledged).last(1)));
  RequestMessage late = request(TransactionKind::put, 100, at, handle);
  late.due = a_while.ps();
  all.push_back(message(late, 100));
  Buffer parcel;
  Buffer second;
  Parcel packer;
  std::copy(all[2].begin(), all[2].end(), parcel.bytes);
  parcel.size = all[2].size();
  std::copy(all[1].begin(), all[1].end(), second.bytes);
  second.size = all[1].size();
  packer.add(parcel, second, Buffer::room);
  packer.close(parcel);
  all.emplace_back(parcel.bytes, parcel.bytes + parcel.size);
  all.push_back(message(MessageHead{MessageKind::goodbye, 0, 0, 1}));
  return all;
}

}  // namespace wire_test
