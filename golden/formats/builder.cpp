#include "golden/formats/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "golden/formats/needs.hpp"
#include "golden/formats/tensors.hpp"
#include "golden/pages/fill.hpp"
#include "golden/pages/sha256.hpp"

namespace pageproof::golden::formats {
namespace {

using oracle::EngineFormat;
using Flags = std::vector<std::string>;

class Builder {
 public:
  explicit Builder(const GroupPlan& plan) : shape_(plan.shape), blocks_(plan.blocks) {
    std::string type(name(plan.dtype));
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
    out_.group = {.shape = shape_,
                  .dtype = plan.dtype,
                  .blocks = blocks_,
                  .file = fmt::format("{}/{}_H{}_N{}_D{}.safetensors", kFolder, type, shape_.heads,
                                      shape_.tokens, shape_.head_dim),
                  .pages = {},
                  .tests = {}};
    for (const EngineFormat& format : oracle::engine_formats()) {
      if (broken_need(format.tag, shape_)) continue;
      (format.key_only ? key_only_ : both_sides_).push_back(&format);
    }
  }

  BuiltGroup build() && {
    for (const Fill& fill : index_fills(shape_, blocks_)) {
      add_pages(fill);
      add_conversions(fill.shift);
    }
    add_finds();
    add_refusals();
    return std::move(out_);
  }

 private:
  void add_pages(const Fill& fill) {
    const Bytes standard = fill_pages(fill, shape_, blocks_);
    for (const auto* formats : {&both_sides_, &key_only_}) {
      for (const EngineFormat* format : *formats) {
        FormatPages stored{std::string(format->tag), fill.shift, {}};
        std::vector<Bytes> tensors = written(*format, shape_, blocks_, standard);
        const std::vector<std::string> names = tensor_names(*format, fill.shift);
        const auto axes = tensor_axes(*format, shape_, blocks_);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
          stored.tensors.push_back({names[i], sha256_hex(tensors[i])});
          out_.tensors.push_back({names[i], axes[i], std::move(tensors[i])});
        }
        out_.group.pages.push_back(std::move(stored));
      }
    }
  }

  Test& add(Operation operation, std::uint64_t shift, std::string_view from, std::string_view to,
            std::string comment, Flags flags) {
    if (shift != 0) flags.push_back("HighIndex");
    if (shape_.heads == 1) flags.push_back("OneHead");
    if (shape_.heads > 1 && shape_.heads % 2 == 1) flags.push_back("OddHeads");
    if (shape_.element_bytes == 1) flags.push_back("OneByteElements");
    if (shape_.tokens == 48) flags.push_back("TokensNoPowerOfTwo");
    if (shape_.tokens >= 64) flags.push_back("TokensOfManyTiles");
    Test test;
    test.comment = std::move(comment);
    test.flags = std::move(flags);
    test.operation = operation;
    test.shift = shift;
    test.from = from;
    test.to = to;
    out_.group.tests.push_back(std::move(test));
    return out_.group.tests.back();
  }

  // From standard pages, back to them, and around all other formats in a ring.
  void add_conversions(std::uint64_t shift) {
    using enum Operation;
    for (std::size_t i = 1; i < both_sides_.size(); ++i) {
      const std::string_view tag = both_sides_[i]->tag;
      const std::string_view next = both_sides_[i + 1 < both_sides_.size() ? i + 1 : 1]->tag;
      add(convert, shift, "standard", tag, fmt::format("standard pages for {}", tag), {"FromStandard"});
      add(convert, shift, tag, "standard", fmt::format("{} back to standard", tag), {"ToStandard"});
      add(convert, shift, tag, next, fmt::format("{} straight to {}", tag, next), {"BetweenEngines"});
    }
    for (const EngineFormat* format : key_only_) {
      add(place, shift, "standard", format->tag, fmt::format("K of standard pages as {}", format->tag),
          {"KeyOnly"});
    }
  }

  std::vector<std::span<const std::byte>> stored(const EngineFormat& format) const {
    std::vector<std::span<const std::byte>> tensors;
    for (const std::string& name : tensor_names(format, 0)) {
      tensors.push_back(std::ranges::find(out_.tensors, name, &OwnedTensor::name)->data);
    }
    return tensors;
  }

  // Pages said to be in one format that are in the next with as many tensors and other bytes.
  void add_finds() {
    for (std::size_t i = 0; i < both_sides_.size(); ++i) {
      for (std::size_t step = 1; step < both_sides_.size(); ++step) {
        const EngineFormat& said = *both_sides_[i];
        const EngineFormat& other = *both_sides_[(i + step) % both_sides_.size()];
        if (said.one_region != other.one_region) continue;
        const auto difference = first_difference(said, shape_, blocks_, stored(said), stored(other));
        if (!difference) continue;
        const std::string_view from = said.tag == "standard" ? "flashinfer-hnd" : "standard";
        Test& test = add(Operation::find, 0, from, said.tag,
                         fmt::format("{} taken for {}", other.tag, said.tag), {"OtherFormat"});
        test.found = std::string(other.tag);
        test.difference = difference;
        test.valid = false;
        break;
      }
    }
  }

  void refuse(std::string_view from, std::string_view to, Rule rule, const char* flag) {
    Test& test = add(Operation::convert, 0, from, to,
                     fmt::format("{}: {} {}", rule.field, rule.value, rule.problem), {flag});
    test.rule = std::move(rule);
    test.valid = false;
  }

  void add_refusals() {
    for (const EngineFormat& format : oracle::engine_formats()) {
      if (const auto need = broken_need(format.tag, shape_)) {
        refuse("standard", format.tag, *need, "ShapeDoesNotFit");
        refuse(format.tag, "standard", *need, "ShapeDoesNotFit");
      } else if (const auto pair = broken_pair("standard", format.tag)) {
        refuse("standard", format.tag, *pair, "ElementsMissing");
      }
    }
  }

  Shape shape_;
  std::uint64_t blocks_;
  std::vector<const EngineFormat*> both_sides_;  // those that fit, standard first
  std::vector<const EngineFormat*> key_only_;
  BuiltGroup out_;
};

}  // namespace

BuiltGroup build_group(const GroupPlan& plan) {
  return Builder(plan).build();
}

std::map<std::string, Format> stated_formats() {
  std::map<std::string, Format> formats;
  for (const EngineFormat& format : oracle::engine_formats()) {
    formats[std::string(format.tag)] = {.regions = format.one_region ? "pages" : "planes",
                                        .sides = format.key_only ? "K" : "KV",
                                        .key = std::string(format.key_text),
                                        .value = std::string(format.value_text),
                                        .states = std::string(format.states),
                                        .arithmetic = fmt::format("oracle/offset: {}", format.restated)};
  }
  return formats;
}

}  // namespace pageproof::golden::formats
