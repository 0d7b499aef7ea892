#include "reports/pages/slots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>

namespace pageproof::reports {
namespace {

using golden::SafetensorsFile;
using golden::Tensor;

// "0xA5", as the files' metadata has it.
Expected<std::byte> unwritten_byte(const SafetensorsFile& file) {
  const auto entry = file.metadata().find(kUnwrittenKey);
  if (entry == file.metadata().end()) return kUnwritten;
  const std::string& text = entry->second;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  unsigned value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + (hex ? 2 : 0), last, value, hex ? 16 : 10);
  if (error != std::errc{} || end != last || value > 0xFF) {
    return std::unexpected(Error{file.path().string(), fmt::format("metadata {}", kUnwrittenKey), text,
                                 "not a byte such as 0xA5"});
  }
  return static_cast<std::byte>(value);
}

Expected<void> read_mapping(const std::string& subject, const Tensor& tensor, const Pool& pool,
                            Slots& slots) {
  if (tensor.dtype != golden::Dtype::i64) {
    return std::unexpected(
        Error{subject, "dtype of slot_mapping", std::string(golden::name(tensor.dtype)), "slots are I64"});
  }
  if (tensor.shape.size() != 1) {
    return std::unexpected(Error{subject, "shape of slot_mapping",
                                 fmt::format("[{}]", fmt::join(tensor.shape, ", ")), "not [T], one axis"});
  }
  slots.mapped = true;
  slots.written.assign(slots.written.size(), false);
  for (std::uint64_t i = 0; i < tensor.shape[0]; ++i) {
    std::int64_t slot = 0;
    std::memcpy(&slot, tensor.data.data() + i * sizeof slot, sizeof slot);
    if (slot < 0) continue;
    const std::uint64_t index = static_cast<std::uint64_t>(slot);
    const auto refuse = [&](std::string problem) {
      return std::unexpected(
          Error{subject, fmt::format("slot_mapping[{}]", i), std::to_string(slot), std::move(problem)});
    };
    if (index >= slots.written.size()) {
      return refuse(fmt::format("beyond the {} slots of {} blocks of {} tokens", slots.written.size(),
                                pool.blocks, pool.shape.tokens));
    }
    if (slots.written[index]) return refuse("listed twice: which token it holds is not known");
    slots.written[index] = true;
    ++slots.written_count;
  }
  return {};
}

}  // namespace

bool Slots::all_of_block(std::uint64_t block, std::uint64_t tokens) const {
  for (std::uint64_t token = 0; token < tokens; ++token) {
    if (!written[block * tokens + token]) return false;
  }
  return true;
}

Expected<Slots> slots_of(const SafetensorsFile& file, const Pool& pool) {
  const auto unwritten = unwritten_byte(file);
  if (!unwritten) return std::unexpected(unwritten.error());
  const std::uint64_t count = pool.blocks * pool.shape.tokens;
  Slots slots{std::vector<bool>(count, true), count, *unwritten, false};
  if (const Tensor* tensor = file.find(kSlotMapping)) {
    slots.written_count = 0;
    const auto read = read_mapping(file.path().string(), *tensor, pool, slots);
    if (!read) return std::unexpected(read.error());
  }
  return slots;
}

}  // namespace pageproof::reports
