#include "model/serving/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace pageproof::serving {
namespace {

constexpr std::array<std::string_view, 6> kDescriptorNames = {"whole",  "planes", "slots",
                                                              "halves", "staged", "run-halves"};
constexpr std::array<std::string_view, 4> kConversionNames = {"none", "step", "side", "fused"};

// Shuffled pages slow the extension of a cached prefix by a median of 2.8 to 3.5 % (RFC); a cold prefill was
// not measured, and pays nothing here.
constexpr double kShuffledExtension = 1.03;

std::vector<Setup> make_presets() {
  const Converter none;
  const Converter torch = torch_converter(Conversion::step);
  const std::string fa = "ROCM_AITER_FA", unified = "ROCM_AITER_UNIFIED_ATTN",
                    shuffled = "ROCM_AITER_FA shuffled";
  return {
      {"a1", fa, fa, ll4mi_kernel(), Descriptors::whole, none},
      {"a2", unified, unified, unified_kernel(), Descriptors::whole, none},
      {"b", shuffled, shuffled, shuffled_kernel(), Descriptors::planes, none, 1, kShuffledExtension},
      {"c", fa, shuffled, shuffled_kernel(), Descriptors::halves, torch},
      {"d", unified, shuffled, shuffled_kernel(), Descriptors::halves, torch},
      {"e", "FLASH_ATTN", shuffled, shuffled_kernel(), Descriptors::halves, torch},
  };
}

Error wrong(const std::string& subject, std::string_view field, std::string_view value, std::string problem) {
  return {subject, std::string(field), std::string(value), std::move(problem)};
}

struct NumberField {
  std::string_view name;
  double Setup::* of_setup;
  double Converter::* of_converter;
  double DecodeKernel::* of_kernel;
  double scale;  // of the unit in the name to the unit of the field
  double least;
  double most;
};

constexpr double kGb = 1e9;
constexpr NumberField kNumbers[] = {
    {"traffic", nullptr, &Converter::traffic, nullptr, 1, 0, 1000},
    {"convert-gb", nullptr, &Converter::bytes_per_second, nullptr, kGb, 1e-3, 1e6},
    {"launch-us", nullptr, &Converter::launch_seconds, nullptr, 1e-6, 0, 1e6},
    {"interference", nullptr, &Converter::step_interference, nullptr, 1, 0, 0.99},
    {"kv-gb", nullptr, nullptr, &DecodeKernel::bytes_per_second, kGb, 1e-3, 1e6},
    {"asm-kv-gb", nullptr, nullptr, &DecodeKernel::asm_bytes_per_second, kGb, 1e-3, 1e6},
    {"prefill-factor", &Setup::prefill_factor, nullptr, nullptr, 1, 1e-3, 1e3},
    {"extension-factor", &Setup::extension_factor, nullptr, nullptr, 1, 1e-3, 1e3},
};

Expected<double> number(std::string_view value, double least, double most, const std::string& subject,
                        std::string_view field) {
  double out = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error == std::errc{} && end == value.data() + value.size() && out >= least && out <= most) return out;
  return std::unexpected(wrong(subject, field, value, fmt::format("not a number, {} to {}", least, most)));
}

}  // namespace

std::string_view to_string(Descriptors descriptors) {
  return kDescriptorNames[static_cast<std::size_t>(descriptors)];
}

std::string_view to_string(Conversion conversion) {
  return kConversionNames[static_cast<std::size_t>(conversion)];
}

Expected<Descriptors> descriptors_named(std::string_view name) {
  const auto found = std::ranges::find(kDescriptorNames, name);
  if (found != kDescriptorNames.end()) return static_cast<Descriptors>(found - kDescriptorNames.begin());
  return std::unexpected(
      wrong("descriptors", "", name, fmt::format("not one of {}", fmt::join(kDescriptorNames, ", "))));
}

std::uint64_t planned_descriptors(Descriptors descriptors, const BlockUse& use) {
  switch (descriptors) {
    case Descriptors::whole:
    case Descriptors::staged:
      return use.layers * use.blocks;
    case Descriptors::run_halves:
      return 2 * use.layers * use.runs;
    default:
      return 2 * use.layers * use.blocks;
  }
}

std::uint64_t merged_descriptors(Descriptors descriptors, const BlockUse& use) {
  switch (descriptors) {
    case Descriptors::whole:
    case Descriptors::staged:
      return use.layers * use.runs;
    case Descriptors::planes:
    case Descriptors::run_halves:
      return 2 * use.layers * use.runs;
    default:
      return planned_descriptors(descriptors, use);
  }
}

Converter torch_converter(Conversion where) {
  return {.where = where};
}

Converter fused_converter() {
  return {.where = Conversion::fused, .traffic = 2, .bytes_per_second = 3.5e12, .launches_a_layer = 1};
}

double conversion_bytes_seconds(const Converter& converter, double kv_bytes) {
  if (converter.where == Conversion::none) return 0;
  return converter.traffic * kv_bytes / converter.bytes_per_second;
}

double conversion_launch_seconds(const Converter& converter, std::uint32_t layers) {
  if (converter.where == Conversion::none) return 0;
  return converter.launch_seconds * converter.launches_a_layer * layers;
}

double conversion_seconds(const Converter& converter, double kv_bytes, std::uint32_t layers) {
  const double bytes = conversion_bytes_seconds(converter, kv_bytes);
  const double launches = conversion_launch_seconds(converter, layers);
  return converter.launches_overlap ? std::max(bytes, launches) : bytes + launches;
}

std::span<const Setup> setup_presets() {
  static const std::vector<Setup> presets = make_presets();
  return presets;
}

Expected<Setup> setup_preset(std::string_view name) {
  const auto found = std::ranges::find(setup_presets(), name, &Setup::name);
  if (found != setup_presets().end()) return *found;
  return std::unexpected(wrong("setup", "name", name, "not known; there are a1, a2, b, c, d, e"));
}

std::string_view setup_fields() {
  return "traffic, convert, convert-gb, launch-us, launches, overlap, coalesced, interference, kv-gb, "
         "asm-kv-gb, "
         "descriptors, prefill-factor, extension-factor";
}

Expected<void> override_field(Setup& setup, std::string_view field, std::string_view value,
                              const std::string& subject) {
  for (const NumberField& one : kNumbers) {
    if (one.name != field) continue;
    const auto read = number(value, one.least, one.most, subject, field);
    if (!read) return std::unexpected(read.error());
    const double in_units = *read * one.scale;
    if (one.of_setup != nullptr) setup.*one.of_setup = in_units;
    if (one.of_converter != nullptr) setup.converter.*one.of_converter = in_units;
    if (one.of_kernel != nullptr) setup.kernel.*one.of_kernel = in_units;
    return {};
  }
  if (field == "launches") {
    const auto read = number(value, 0, 10'000, subject, field);
    if (!read) return std::unexpected(read.error());
    if (*read != std::floor(*read))
      return std::unexpected(wrong(subject, field, value, "not a whole number"));
    setup.converter.launches_a_layer = static_cast<std::uint32_t>(*read);
    return {};
  }
  if (field == "overlap" || field == "coalesced") {
    if (value != "yes" && value != "no")
      return std::unexpected(wrong(subject, field, value, "not yes or no"));
    (field == "overlap" ? setup.converter.launches_overlap : setup.converter.coalesced) = value == "yes";
    return {};
  }
  if (field == "convert") {
    const auto found = std::ranges::find(kConversionNames, value);
    if (found == kConversionNames.end()) {
      return std::unexpected(
          wrong(subject, field, value, fmt::format("not one of {}", fmt::join(kConversionNames, ", "))));
    }
    const auto where = static_cast<Conversion>(found - kConversionNames.begin());
    setup.converter = where == Conversion::fused ? fused_converter() : torch_converter(where);
    return {};
  }
  if (field == "descriptors") {
    const auto named = descriptors_named(value);
    if (!named) return std::unexpected(wrong(subject, field, value, named.error().problem));
    setup.descriptors = *named;
    return {};
  }
  return std::unexpected(
      wrong(subject, "field", field, fmt::format("not known; there are {}", setup_fields())));
}

}  // namespace pageproof::serving
