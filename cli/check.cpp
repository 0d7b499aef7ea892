// pageproof check: the planes of a file against its standard pages. What must be there comes from the oracle.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "model/page/plain/failure.hpp"
#include "reports/pages/compare.hpp"
#include "reports/pages/explain.hpp"
#include "reports/pages/pages.hpp"
#include "reports/pages/slots.hpp"

namespace pageproof::cli {
namespace {

using Clock = std::chrono::steady_clock;

// All that the report needs.
struct Findings {
  std::string input;
  reports::Pool pool;
  reports::Slots slots;
  reports::Comparison comparison;
  std::optional<std::string> note;  // what the planes are instead, or what else this data would pass for
  double seconds = 0;
};

std::string hex(std::byte byte) {
  return fmt::format("0x{:02X}", static_cast<unsigned>(byte));
}

std::string plane_name(Side side) {
  return side == Side::key ? reports::kKeyPlane : reports::kValuePlane;
}

Failure failure_of(const Findings& findings) {
  const reports::FirstDifference& first = *findings.comparison.first;
  const std::string unwritten = hex(findings.slots.unwritten);
  const std::string source =
      first.written ? fmt::format("standard byte {}", first.standard_byte) : "a slot that was not written";
  return {"check.planes_hold_standard",
          fmt::format("every written slot of the planes holds its element of standard, every other slot {}",
                      unwritten),
          fmt::format("{}   {}   {} byte {}, {}", to_string(findings.pool.shape), to_string(first.coordinate),
                      plane_name(first.coordinate.side), first.plane_byte, source),
          hex(first.expected),
          hex(first.got),
          fmt::format("pageproof check {}", findings.input)};
}

std::string count_text(Side side, const reports::Differing& count, const reports::Pool& pool) {
  return fmt::format("{}: {} of {} bytes, {} elements, {} of {} blocks", to_string(side), count.bytes,
                     pool.side_bytes(), count.elements, count.blocks, pool.blocks);
}

std::string slots_text(const Findings& findings) {
  const std::size_t all = findings.slots.written.size();
  if (!findings.slots.mapped) return fmt::format("{} slots, no slot_mapping: all were written", all);
  if (findings.slots.written_count == all) return fmt::format("all {} slots written", all);
  return fmt::format("{} of {} slots written, {} must hold {}", findings.slots.written_count, all,
                     all - findings.slots.written_count, hex(findings.slots.unwritten));
}

std::string text_of(const Findings& findings) {
  const reports::Comparison& comparison = findings.comparison;
  std::string text;
  if (comparison.first) {
    text += to_string(failure_of(findings));
    text += fmt::format("Differ    {}\n          {}\n",
                        count_text(Side::key, comparison.of(Side::key), findings.pool),
                        count_text(Side::value, comparison.of(Side::value), findings.pool));
  } else {
    text += fmt::format("HOLDS     {}\n", findings.input);
  }
  text += fmt::format("Pages     {}\nSlots     {}\n", to_string(findings.pool), slots_text(findings));
  text += fmt::format(
      "Compared  {} B in {:.3f} s, {:.2f} GB/s, expected bytes by the oracle\n", comparison.compared_bytes,
      findings.seconds,
      findings.seconds > 0 ? static_cast<double>(comparison.compared_bytes) / findings.seconds / 1e9 : 0);
  if (findings.note) text += fmt::format("{:<10}{}\n", comparison.first ? "Instead" : "Note", *findings.note);
  return text;
}

nlohmann::ordered_json count_json(const reports::Differing& count) {
  return {{"bytes", count.bytes}, {"elements", count.elements}, {"blocks", count.blocks}};
}

nlohmann::ordered_json findings_json(const Findings& findings) {
  const reports::Comparison& comparison = findings.comparison;
  nlohmann::ordered_json json = {
      {"command", "check"},
      {"holds", !comparison.first},
      {"input", findings.input},
      {"dtype", golden::name(findings.pool.dtype)},
      {"shape", json_of(findings.pool.shape)},
      {"blocks", findings.pool.blocks},
      {"slots",
       {{"mapped", findings.slots.mapped},
        {"all", findings.slots.written.size()},
        {"written", findings.slots.written_count},
        {"unwritten_byte", hex(findings.slots.unwritten)}}},
      {"compared_bytes", comparison.compared_bytes},
      {"seconds", findings.seconds},
      {"differ",
       {{"K", count_json(comparison.of(Side::key))}, {"V", count_json(comparison.of(Side::value))}}},
      {comparison.first ? "instead" : "note",
       findings.note ? nlohmann::ordered_json(*findings.note) : nullptr}};
  if (comparison.first) {
    const Failure failure = failure_of(findings);
    json["failure"] = {{"name", failure.name},
                       {"claim", failure.claim},
                       {"example", failure.example},
                       {"coordinate", json_of(comparison.first->coordinate)},
                       {"tensor", plane_name(comparison.first->coordinate.side)},
                       {"plane_byte", comparison.first->plane_byte},
                       {"standard_byte", comparison.first->standard_byte},
                       {"written", comparison.first->written},
                       {"expected", failure.expected},
                       {"got", failure.got},
                       {"replay", failure.replay}};
  }
  return json;
}

}  // namespace

Result check(const CheckOptions& options) {
  const Clock::time_point begin = Clock::now();
  const auto file = golden::SafetensorsFile::open(options.input);
  if (!file) return std::unexpected(file.error());
  const auto standard = reports::standard_pages(*file);
  if (!standard) return std::unexpected(standard.error());
  const auto planes = reports::plane_pages(*file);
  if (!planes) return std::unexpected(planes.error());
  const auto same = reports::same_pool(options.input, standard->pool, planes->pool);
  if (!same) return std::unexpected(same.error());
  auto slots = reports::slots_of(*file, standard->pool);
  if (!slots) return std::unexpected(slots.error());
  const auto map = reports::oracle_map(standard->pool.shape, options.input);
  if (!map) return std::unexpected(map.error());

  const reports::CheckedPages checked{standard->pool, standard->pages, planes->keys, planes->values};
  Findings findings{options.input, standard->pool, *std::move(slots), {}, std::nullopt, 0};
  findings.comparison = reports::compare(checked, findings.slots, *map);
  findings.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  findings.note = reports::explain(checked, findings.slots, *map, findings.comparison);
  return Report{!findings.comparison.first, text_of(findings), one_document(findings_json(findings))};
}

}  // namespace pageproof::cli
