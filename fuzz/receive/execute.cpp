// The device's part: pieces of kernels, in the order of their stream, with the blocks that were passed at the
// launch; and the oracle's word on every page that a decode step reads.
#include <fmt/format.h>

#include "fuzz/receive/world.hpp"

namespace pageproof::fuzz_receive {
namespace {

using rx::Step;
using What = Happening::What;

constexpr std::uint16_t kConverted = 6;  // blocks a piece

std::uint16_t pieces_of(const Kernel& kernel, bool bytes) {
  switch (kernel.kind) {
    case Kernel::Kind::zero:
      return 1;
    case Kernel::Kind::convert:
      return bytes && kernel.count > kConverted ? 2 : 1;
    default:
      return 2;  // begins and ends
  }
}

Step end_of(Kernel::Kind kind) {
  return kind == Kernel::Kind::zero      ? Step::zero_runs
         : kind == Kernel::Kind::convert ? Step::retire_layer
                                         : Step::decode_retires;
}

}  // namespace

bool World::tick(Stream stream) {
  if (device_.idle(stream)) return false;
  Kernel& kernel = device_.head(stream);
  const Request& request = requests_[kernel.slot];
  const bool live = request.live && request.id == kernel.request;
  const auto follows = [&](Step step) {
    if (live && passes(kernel.slot, step)) return;
    if (options_.without != rx::Guard::none || options_.flaw != Flaw::none) return;
    report("model", fmt::format("the model allows what the device does: {}", rx::to_string(step)),
           kernel.request, -1, -1);
  };
  const bool is_step = kernel.kind == Kernel::Kind::decode || kernel.kind == Kernel::Kind::compute;
  if (is_step && kernel.at == 0) follows(Step::decode_runs);
  const std::uint16_t pieces = pieces_of(kernel, pages_.has_value());
  const bool last = kernel.at + 1 == pieces;
  if (pages_) {
    execute(kernel, std::uint32_t{kernel.count} * kernel.at / pieces,
            kernel.count * (kernel.at + 1U) / pieces, last);
  }
  ++kernel.at;
  ++pieces_;
  tell({.what = What::tick,
        .request = kernel.request,
        .slot = kernel.slot,
        .layer = kernel.layer,
        .stream = stream,
        .kernel = kernel.kind});
  if (!last) return true;
  follows(end_of(kernel.kind));
  device_.retire(stream);
  return true;
}

void World::execute(const Kernel& kernel, std::uint32_t from, std::uint32_t to, bool last) {
  const auto blocks = kernel.all().subspan(from, to - from);
  switch (kernel.kind) {
    case Kernel::Kind::zero:
      for (const std::uint16_t block : blocks) pages_->zero(block);
      return;
    case Kernel::Kind::convert:
      if (blocks.empty()) return;
      ids_.assign(blocks.begin(), blocks.end());
      if (options_.flaw == Flaw::copy_converted) {
        Pages(*pages_).convert(ids_, kernel.layer);
      } else if (!pages_->convert(ids_, kernel.layer)) {
        report("converter", "the converter takes the blocks of a request", kernel.request, -1, kernel.layer);
      }
      return;
    case Kernel::Kind::compute:
    case Kernel::Kind::decode:
      break;
  }
  const Request& request = requests_[kernel.slot];
  if (!request.live || request.id != kernel.request) return;
  const std::size_t first = request.shared.size();
  for (std::uint32_t at = from; at < to; ++at) {
    if (kernel.kind == Kernel::Kind::decode || at >= kernel.own) {
      compare(kernel, at);
      continue;
    }
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
      pages_->write(kernel.blocks[at], layer, salt_of(request.prompt.number, first + at, layer));
    }
  }
  // The step's token goes behind those of the prompt, as far as there is room.
  const std::uint32_t token = request.prompt.tokens % kShape.tokens + kernel.appended;
  if (!last || kernel.kind != Kernel::Kind::decode || kernel.own == 0 ||
      request.prompt.tokens % kShape.tokens == 0 || token >= kShape.tokens) {
    return;
  }
  const std::uint32_t at = kernel.own - 1U;
  for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
    pages_->append(kernel.blocks[at], layer, salt_of(request.prompt.number, first + at, layer), token);
  }
  ++requests_[kernel.slot].appended;
  tally_.count(Situation::appended);
}

// Block `at` of the kernel's list, own blocks first, as the request's prompt says.
void World::compare(const Kernel& kernel, std::uint32_t at) {
  const Request& request = requests_[kernel.slot];
  const bool own = at < kernel.own;
  const std::size_t index = own ? request.shared.size() + at : at - kernel.own;
  Written written{request.prompt.tokens % std::uint32_t{kShape.tokens}, 0};
  if (own && at + 1U == kernel.own) written.count = kernel.appended;
  const std::uint16_t block = kernel.blocks[at];
  for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
    tell({.what = What::decoded,
          .request = kernel.request,
          .slot = kernel.slot,
          .layer = static_cast<std::uint16_t>(layer),
          .appended = static_cast<std::uint16_t>(written.count),
          .index = static_cast<std::uint16_t>(index),
          .blocks = {&block, 1}});
    compared_bytes_ += kShape.page_bytes();
    const std::int64_t wrong =
        pages_->differs(block, layer, salt_of(request.prompt.number, index, layer), written);
    if (wrong < 0 || violation_) continue;
    report("bytes", "a decode step reads what the oracle's writer would have written", kernel.request, block,
           static_cast<int>(layer));
    if (violation_) violation_->what += fmt::format(" byte {} of the page", wrong);
  }
}

}  // namespace pageproof::fuzz_receive
