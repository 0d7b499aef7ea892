#include "kernels/bench/turns.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace pageproof::bench {
namespace {

constexpr const char* kNotDone = "not done";

class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) failed_.insert(run.run_name.function_name);
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      seconds_[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                     static_cast<double>(run.iterations));
    }
  }

  std::map<std::string, double> medians() && {
    std::map<std::string, double> list;
    for (auto& [name, all] : seconds_) {
      if (failed_.contains(name)) continue;
      std::ranges::sort(all);
      list[name] = all[all.size() / 2];
    }
    return list;
  }

 private:
  std::map<std::string, std::vector<double>> seconds_;
  std::set<std::string> failed_;
};

}  // namespace

Turns::Turns() {
  char program[] = "pageproof";
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program, interleave, nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  benchmark::ClearRegisteredBenchmarks();
}

Turns::~Turns() {
  benchmark::ClearRegisteredBenchmarks();
}

void Turns::add(const std::string& name, std::uint32_t repetitions, std::uint32_t iterations,
                std::function<bool()> work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work = std::move(work)](benchmark::State& state) {
                                 for (auto _ : state) {
                                   if (!work()) {
                                     state.SkipWithError(kNotDone);
                                     break;
                                   }
                                   benchmark::ClobberMemory();
                                 }
                               })
      ->UseRealTime()
      ->Iterations(iterations)
      ->Repetitions(static_cast<int>(repetitions))
      ->ReportAggregatesOnly(false);
}

void Turns::add_timed(const std::string& name, std::uint32_t repetitions,
                      std::function<std::optional<double>()> work) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [work = std::move(work)](benchmark::State& state) {
                                 for (auto _ : state) {
                                   const std::optional<double> seconds = work();
                                   if (!seconds) {
                                     state.SkipWithError(kNotDone);
                                     break;
                                   }
                                   state.SetIterationTime(*seconds);
                                 }
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(static_cast<int>(repetitions))
      ->ReportAggregatesOnly(false);
}

std::map<std::string, double> Turns::run() {
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  return std::move(collector).medians();
}

}  // namespace pageproof::bench
