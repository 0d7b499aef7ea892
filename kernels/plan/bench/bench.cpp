#include "kernels/plan/bench/bench.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "kernels/bench/turns.hpp"
#include "kernels/plan/bench/python.hpp"
#include "kernels/plan/bench/work.hpp"

namespace pageproof::plan::bench {
namespace {

constexpr std::uint32_t kPythonPart = 32;  // baseline.py's PART
constexpr std::uint32_t kMostPythonRepetitions = 5;

struct Measured {
  const char* what;  // baseline.py's name
  const char* name;
  bool (Work::*work)();
  std::uint64_t (Work::*checksum)();  // null: nothing to compare
  std::uint64_t (Work::*count)() const;
  std::uint32_t calls;  // one after another in a repetition
  std::uint32_t numpy_calls;
  bool (Work::*set_bytes)() = nullptr;  // of rows that numpy can also make with out=
};

constexpr Measured kMeasured[] = {
    {"ids", "ids of a request", &Work::ids, &Work::ids_checksum, &Work::id_count, 100, 100, &Work::set_bytes},
    {"ids_for_nixl", "the same as int32", &Work::ids_for_nixl, &Work::ids_checksum, &Work::id_count, 100, 100,
     &Work::set_bytes_for_nixl},
    {"request_rows", "rows of a request", &Work::request_rows, &Work::request_rows_checksum, &Work::id_count,
     20, 5},
    {"list_rows", "rows of a list", &Work::list_rows, &Work::list_rows_checksum, &Work::list_count, 4, 1},
    {"pair", "a pair prepared", &Work::pair, nullptr, &Work::pair_count, 4, 1},
};

Expected<void> in_range(const Options& o) {
  const auto refuse = [](const char* field, std::uint64_t value, std::string problem) {
    return std::unexpected(Error{"bench plan", field, std::to_string(value), std::move(problem)});
  };
  if (o.layers < 1 || o.layers > kMostLayers) {
    return refuse("layers", o.layers, fmt::format("not 1 to {}", kMostLayers));
  }
  const std::uint64_t most = kMostDescriptors / (2 * o.layers);
  if (o.blocks < 1 || o.blocks > most) return refuse("blocks", o.blocks, fmt::format("not 1 to {}", most));
  if (o.pool_blocks < o.blocks || o.pool_blocks > most) {
    return refuse("pool_blocks", o.pool_blocks, fmt::format("not {} to {}", o.blocks, most));
  }
  if (o.pair_blocks < kPythonPart || o.pair_blocks > most) {
    return refuse("pair_blocks", o.pair_blocks, fmt::format("not {} to {}", kPythonPart, most));
  }
  if (o.repetitions < 1 || o.repetitions > kMostRepetitions) {
    return refuse("repetitions", o.repetitions, fmt::format("not 1 to {}", kMostRepetitions));
  }
  return {};
}

template <class Number>
std::optional<Number> number(const std::optional<std::string>& text) {
  Number value{};
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

bool has_way(const Measured& one, const std::string& how) {
  return how != "out" || one.set_bytes != nullptr;
}

// Do numpy and the loops make what we make?
Expected<void> compare(Python& python, const std::vector<std::string>& ways, Work& work) {
  for (const Measured& one : kMeasured) {
    if (one.checksum == nullptr) continue;
    const std::uint64_t ours = (work.*one.checksum)();
    for (const std::string& how : ways) {
      if (!has_way(one, how)) continue;
      const auto theirs = number<std::uint64_t>(python.ask(fmt::format("{} {} 0", one.what, how)));
      if (theirs == ours) continue;
      return std::unexpected(Error{"bench plan", one.name, how,
                                   theirs ? "makes other values than the planner" : "did not answer"});
    }
  }
  return {};
}

}  // namespace

Expected<Result> run_plan_benchmark(const Options& options) {
  if (const auto ok = in_range(options); !ok) return std::unexpected(ok.error());
  Work work(options.layers, options.blocks, options.pool_blocks, options.pair_blocks);
  Result result;
  result.pair_bytes = work.pair_bytes();

  std::optional<Python> python;
  std::vector<std::string> ways;
  if (options.python_script.empty()) {
    result.python = "not asked for";
  } else if (auto started = Python::start(options.pythons, options.python_script)) {
    python.emplace(*std::move(started));
    ways = {"loops"};
    if (python->numpy() != "-") ways.insert(ways.end(), {"numpy", "out"});
    result.python = fmt::format("{}, {}", python->version(),
                                python->numpy() == "-" ? "without numpy" : "numpy " + python->numpy());
    if (python->ask(work.json()) != "read")
      return std::unexpected(Error{"bench plan", "python", result.python, "did not read the request"});
    if (const auto ok = compare(*python, ways, work); !ok) return std::unexpected(ok.error());
  } else {
    result.python = to_string(started.error());
  }

  pageproof::bench::Turns turns;
  for (const Measured& one : kMeasured) {
    turns.add(one.what, options.repetitions, one.calls, [&] { return (work.*one.work)(); });
    if (one.set_bytes != nullptr) {
      turns.add(fmt::format("{} memset", one.what), options.repetitions, one.calls,
                [&] { return (work.*one.set_bytes)(); });
    }
    for (const std::string& how : ways) {
      if (!has_way(one, how)) continue;
      const bool loops = how == "loops";
      turns.add_timed(fmt::format("{} {}", one.what, how),
                      loops ? std::min(options.repetitions, kMostPythonRepetitions) : options.repetitions,
                      [&, how, loops] {
                        return number<double>(
                            python->ask(fmt::format("{} {} {}", one.what, how, loops ? 1 : one.numpy_calls)));
                      });
    }
  }
  const std::map<std::string, double> medians = turns.run();
  const auto seconds = [&](const std::string& name) -> std::optional<double> {
    const auto found = medians.find(name);
    return found == medians.end() ? std::nullopt : std::optional(found->second);
  };
  for (const Measured& one : kMeasured) {
    const auto ours = seconds(one.what);
    if (!ours) return std::unexpected(Error{"bench plan", "row", one.name, "was not measured"});
    Row row{.name = one.name,
            .descriptors = (work.*one.count)(),
            .seconds = *ours,
            .memset_seconds = seconds(fmt::format("{} memset", one.what)),
            .numpy_seconds = seconds(fmt::format("{} numpy", one.what)),
            .numpy_into_seconds = seconds(fmt::format("{} out", one.what)),
            .python_seconds = seconds(fmt::format("{} loops", one.what))};
    if (one.work == &Work::pair && row.python_seconds) *row.python_seconds *= kPythonPart;
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace pageproof::plan::bench
