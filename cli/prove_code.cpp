#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "model/json/failure.hpp"
#include "oracle/machine/code_object.hpp"
#include "oracle/machine/mutants.hpp"
#include "oracle/machine/prove.hpp"

namespace pageproof::cli {

namespace {

using machine::KernelResult;
using nlohmann::ordered_json;

constexpr std::uintmax_t kMostFileBytes = 64 << 20;

Expected<std::vector<std::byte>> read_file(const std::string& path) {
  std::error_code error;
  if (const auto kind = std::filesystem::status(path, error).type();
      kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found)
    return std::unexpected(Error{path, "", "", "is no regular file"});
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() < 0) return std::unexpected(Error{path, "", "", "cannot be read"});
  const auto size = static_cast<std::uintmax_t>(in.tellg());
  if (size > kMostFileBytes)
    return std::unexpected(Error{path, "size", std::to_string(size), "no code object is larger than 64 MiB"});
  std::vector<std::byte> bytes(size);
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    return std::unexpected(Error{path, "", "", "cannot be read"});
  }
  return bytes;
}

std::string table(std::span<const KernelResult> results) {
  std::size_t width = 6;
  for (const KernelResult& r : results) width = std::max(width, r.kernel.size());
  std::string text =
      fmt::format("{:<7} {:<{}}  {:>8}  {:>12}  {:>6}  {:>6}  {:>8}  {:>8}  result\n", "target", "kernel",
                  width, "launches", "instructions", "loads", "stores", "executed", "time");
  for (const KernelResult& r : results) {
    text += fmt::format("{:<7} {:<{}}  {:>8}  {:>12}  {:>6.3f}  {:>6.3f}  {:>6.1f} %  {:>6.2f} s  {}\n",
                        r.target, r.kernel, width, r.launches, r.total.instructions, r.total.loads.ratio(),
                        r.total.stores.ratio(),
                        100.0 * static_cast<double>(r.executed_bytes) /
                            static_cast<double>(std::max<std::uint64_t>(1, r.code_bytes)),
                        r.seconds, r.failures.empty() ? "proved" : "REFUTED");
  }
  return text;
}

ordered_json row(const KernelResult& r) {
  ordered_json failures = ordered_json::array();
  for (const Failure& failure : r.failures) failures.push_back(json_of(failure));
  return {{"target", r.target},
          {"kernel", r.kernel},
          {"launches", r.launches},
          {"refuted_as_expected", r.refuted_as_expected},
          {"instructions", r.total.instructions},
          {"barriers", r.total.barriers},
          {"load_lines_of_ideal", r.total.loads.ratio()},
          {"store_lines_of_ideal", r.total.stores.ratio()},
          {"code_bytes", r.code_bytes},
          {"executed_bytes", r.executed_bytes},
          {"seconds", r.seconds},
          {"failures", failures}};
}

// "2/8": every eighth bit, beginning with the second.
Expected<std::pair<std::uint64_t, std::uint64_t>> shard_of(const std::string& text) {
  std::uint64_t index = 0;
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, index);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, count);
    if (second.ec == std::errc{} && second.ptr == end && index >= 1 && index <= count)
      return std::pair{index, count};
  }
  return std::unexpected(Error{"prove-code", "--shard", text, "is no K/N with 1 <= K <= N"});
}

Result mutants(const ProveCodeOptions& options, std::span<const machine::Image> images) {
  const auto shard = shard_of(options.shard);
  if (!shard) return std::unexpected(shard.error());
  machine::MutantOptions run;
  run.kernels = options.kernels;
  run.first = shard->first - 1;
  run.every = shard->second;
  run.threads = options.threads;
  if (isatty(STDERR_FILENO) == 1) {
    run.progress = [](std::uint64_t done, std::uint64_t of) {
      fmt::print(stderr, "\r\x1b[Kbit {} of {}", done, of);
    };
  }
  const auto results = machine::flip_bits(images, run);
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  if (!results) return std::unexpected(results.error());
  Report report;
  ordered_json rows = ordered_json::array();
  std::uint64_t bits = 0;
  std::uint64_t refuted = 0;
  std::uint64_t unexplained = 0;
  std::map<std::string, std::uint64_t> refuted_by;
  std::map<std::string, std::uint64_t> explained_by;
  for (const machine::MutantResult& r : *results) {
    ordered_json row = {{"target", r.target}, {"kernel", r.kernel}, {"bits", r.bits}};
    std::uint64_t caught = 0;
    std::uint64_t explained = 0;
    for (const auto& [check, count] : r.refuted) {
      caught += count;
      refuted_by[machine::to_string(check)] += count;
      row["refuted"][machine::to_string(check)] = count;
    }
    for (const auto& [rule, count] : r.explained) {
      explained += count;
      explained_by[machine::to_string(rule)] += count;
      row["explained"][machine::to_string(rule)] = count;
    }
    report.text += fmt::format(
        "{:<7} {:<40} {:>7} bits  {:>7} refuted  {:>6} explained  {:>3} unexplained  {:>7.1f} s\n", r.target,
        r.kernel, r.bits, caught, explained, r.unexplained.size(), r.seconds);
    ordered_json alive = ordered_json::array();
    for (const machine::Unexplained& u : r.unexplained) {
      report.text += fmt::format("  unexplained: bit {}: {} -> {}\n", u.bit, u.original, u.mutant);
      alive.push_back({{"bit", u.bit}, {"original", u.original}, {"mutant", u.mutant}});
    }
    row["unexplained"] = alive;
    row["seconds"] = r.seconds;
    rows.push_back(row);
    bits += r.bits;
    refuted += caught;
    unexplained += r.unexplained.size();
  }
  report.holds = bits > 0 && unexplained == 0;
  const auto list = [](const std::map<std::string, std::uint64_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    return text;
  };
  report.text += fmt::format(
      "\n{} bits of {} kernels flipped, shard {}: {} refuted ({}); {} explained ({}); {} unexplained\n", bits,
      results->size(), options.shard, refuted, list(refuted_by), bits - refuted - unexplained,
      list(explained_by), unexplained);
  report.json = one_document({{"command", "prove-code --mutants"},
                              {"holds", report.holds},
                              {"shard", options.shard},
                              {"bits", bits},
                              {"refuted", refuted_by},
                              {"explained", explained_by},
                              {"unexplained", unexplained},
                              {"kernels", rows}});
  return report;
}

}  // namespace

Result prove_code(const ProveCodeOptions& options) {
  std::vector<std::byte> file;
  std::vector<machine::Image> images;
  if (options.file.empty()) {
    images = machine::embedded_images();
    std::erase_if(images, [&](const machine::Image& image) {
      return !options.target.empty() && image.name != options.target;
    });
    if (images.empty()) {
      return std::unexpected(
          Error{"prove-code", "--target", options.target, "this build embeds no such code object"});
    }
  } else {
    Expected<std::vector<std::byte>> read = read_file(options.file);
    if (!read) return std::unexpected(read.error());
    file = *std::move(read);
    if (!options.target.empty()) {
      const Expected<machine::CodeObject> object = machine::read_code_object(file, options.file);
      if (!object) return std::unexpected(object.error());
      if (object->target != options.target)
        return std::unexpected(
            Error{options.file, "target", object->target, "is not the --target " + options.target});
    }
    images.push_back({options.file, file});
  }
  if (options.mutants) return mutants(options, images);
  machine::ProveOptions run;
  run.kernels = options.kernels;
  run.quick = options.quick;
  run.threads = options.threads;
  if (options.heads != 0) run.heads = options.heads;
  if (!options.pattern.empty()) {
    const auto* found = std::ranges::find(machine::kPatterns, options.pattern,
                                          [](machine::Pattern p) { return machine::to_string(p); });
    if (found == std::end(machine::kPatterns)) {
      return std::unexpected(
          Error{"prove-code", "--pattern", options.pattern, "is none of near, far, wide, sparse, duplicate"});
    }
    run.pattern = *found;
  }
  if (isatty(STDERR_FILENO) == 1) {
    run.progress = [](std::uint64_t done, std::uint64_t of) {
      fmt::print(stderr, "\r\x1b[K{} of {} kernels", done, of);
    };
  }
  const auto start = std::chrono::steady_clock::now();
  const Expected<std::vector<KernelResult>> results = machine::prove_images(images, run);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  if (!results) return std::unexpected(results.error());
  if (results->empty()) {
    return std::unexpected(Error{"prove-code", "kernel",
                                 options.kernels.empty() ? "" : options.kernels.front(),
                                 "no launch of such a kernel"});
  }

  Report report{
      .holds = std::ranges::all_of(*results, [](const KernelResult& r) { return r.failures.empty(); }),
      .text = table(*results),
      .json = {}};
  ordered_json rows = ordered_json::array();
  std::uint64_t launches = 0;
  std::uint64_t twice = 0;
  std::uint64_t instructions = 0;
  for (const KernelResult& r : *results) {
    rows.push_back(row(r));
    launches += r.launches;
    twice += r.refuted_as_expected;
    instructions += r.total.instructions;
    for (const Failure& failure : r.failures) report.text += "\n" + to_string(failure);
  }
  report.text += fmt::format(
      "\n{} kernels in {} launches ({} of them with a block listed twice, which must be refuted): {}\n"
      "{} wave instructions in {:.1f} s, {} threads; loads, stores: lines of 128 bytes touched, of the "
      "ideal\n",
      results->size(), launches, twice, report.holds ? "all proved" : "NOT all proved", instructions,
      elapsed.count(), options.threads);
  report.json = one_document({{"command", "prove-code"},
                              {"holds", report.holds},
                              {"seconds", elapsed.count()},
                              {"launches", launches},
                              {"instructions", instructions},
                              {"kernels", rows}});
  return report;
}

}  // namespace pageproof::cli
