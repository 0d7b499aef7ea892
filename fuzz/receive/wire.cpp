// The transport and the prefills behind it. A READ takes its bytes from the prefill's pages when its pieces
// are carried out: from pages that were freed meanwhile it takes another prompt's, and what it has written
// before it breaks stays written.
#include <algorithm>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {

using rx::Step;
using What = Happening::What;

bool World::reachable(const Request& request, const Read& read) const {
  const Peer& peer = peers_[request.peer];
  return peer.alive && (peer.key == read.key || options_.flaw == Flaw::key_unchecked);
}

// A request's pages one behind the other, cut into as many parts as there are handles.
std::pair<std::uint32_t, std::uint32_t> World::range_of(const Request& request, std::uint16_t handle) const {
  const auto all = static_cast<std::uint32_t>(request.own.size()) * kPageElements;
  const auto parts = static_cast<std::uint32_t>(std::max(request.life.reads, 1));
  return {all * handle / parts, all * (handle + 1U) / parts};
}
std::span<const std::uint16_t> World::blocks_of(const Request& request, std::uint16_t handle) const {
  const auto [from, to] = range_of(request, handle);
  if (from >= to) return {};
  const std::uint32_t first = from / kPageElements;
  return std::span(request.own).subspan(first, (to - 1) / kPageElements - first + 1);
}

bool World::piece(const Record& record) {
  Request& request = requests_[record.slot];
  const auto read = std::ranges::find(request.reads, record.handle, &Read::handle);
  if (!pages_ || read == request.reads.end() || read->state != Read::State::moving) return false;
  ++pieces_;
  if (!reachable(request, *read)) {
    if (read->at > 0) tally_.count(Fault::partial_read);
    read->state = Read::State::broken;
    return true;
  }
  const bool held = request.life.prefill == rx::kHeld;
  const bool moved = peers_[request.peer].key != read->key;
  if (!held && read->from_held > 0 && read->from_held == read->at) tally_.count(Situation::torn_read);
  const auto [begin, end] = range_of(request, record.handle);
  const std::uint32_t from = begin + (end - begin) * read->at / kReadPieces;
  const std::uint32_t to = begin + (end - begin) * (read->at + 1U) / kReadPieces;
  for (std::uint32_t i = from / kPageElements; i * kPageElements < to; ++i) {
    const std::uint32_t base = i * kPageElements;
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
      std::uint16_t salt = salt_of(request.prompt.number, request.shared.size() + i, layer);
      if (!held || moved) salt = static_cast<std::uint16_t>(~salt);
      pages_->land(request.own[i], layer, salt, std::max(from, base) - base,
                   std::min(to, base + kPageElements) - base, request.life.verdict != rx::kConvert);
    }
  }
  ++read->at;
  if (held) ++read->from_held;
  if (read->at == kReadPieces) read->state = Read::State::landed;
  tell({.what = What::piece, .request = request.id, .slot = record.slot, .handle = record.handle});
  return true;
}

bool World::read_breaks(const Record& record) {
  Request& request = requests_[record.slot];
  const auto read = std::ranges::find(request.reads, record.handle, &Read::handle);
  if (read == request.reads.end() || read->state != Read::State::moving) return false;
  read->state = Read::State::broken;
  tally_.count(Fault::read_error);
  if (read->at > 0) tally_.count(Fault::partial_read);
  const auto moves = [](const Read& other) { return other.state == Read::State::moving; };
  if (std::ranges::any_of(request.reads, moves)) tally_.count(Situation::one_of_several);
  return true;
}

bool World::notice_moves(const Record& record) {
  Request& request = requests_[record.slot];
  if (request.copies == 0) return false;
  switch (record.move) {
    case Move::copied:
      if (request.copies > 1 || request.life.duplicate == 0) return false;
      request.copies = 2;
      return true;
    case Move::lost:
      if (request.copies != 1 || request.life.prefill == rx::kTold) return false;
      request.copies = 0;
      tally_.count(Fault::lost_notice);
      return true;
    case Move::delivered:
      --request.copies;
      if (request.life.prefill == rx::kTold) {
        tally_.count(Fault::duplicate_notice);
        if (!passes(record.slot, Step::notice_again)) passes(record.slot, Step::notice_dropped);
      } else if (!passes(record.slot, request.notice)) {
        tally_.count(Situation::late_notice);  // for pages that the lease has freed: nothing to do
      }
      return true;
    default:
      return false;
  }
}

bool World::peer_changes(const Record& record) {
  Peer& peer = peers_[record.handle];
  if (record.move == Move::peer_returns) {
    if (peer.alive) return false;
    peer.alive = true;
    ++peer.key;
    return true;
  }
  if (!peer.alive) return false;
  if (record.move == Move::peer_moves) {
    ++peer.key;
    return true;
  }
  peer.alive = false;
  bool reads = false;
  for (std::uint16_t slot = 0; slot < requests_.size(); ++slot) {
    Request& request = requests_[slot];
    if (!request.live || request.peer != record.handle) continue;
    for (Read& read : request.reads) {
      if (read.state != Read::State::moving) continue;
      reads = true;
      if (read.at > 0) tally_.count(Fault::partial_read);
      read.state = Read::State::broken;
    }
    request.copies = 0;
    passes(slot, Step::lease_expires);
  }
  if (reads) tally_.count(Fault::peer_death);
  return true;
}

}  // namespace pageproof::fuzz_receive
