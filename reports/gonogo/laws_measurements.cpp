// Laws of whole measurements: one thing changed at a time, and the verdict that it must give.
#include <fmt/format.h>

#include "reports/gonogo/judge.hpp"
#include "reports/gonogo/laws_parts.hpp"
#include "reports/gonogo/measured.hpp"

namespace pageproof::gonogo {
namespace {

using results::Run;

void each_of(std::vector<Run>& runs, const std::string& setup, const std::function<void(Run&)>& change) {
  for (Run& run : runs) {
    if (run.tag("setup") == setup) change(run);
  }
}

std::vector<Run> with_level(std::size_t cells, const std::string& changed, const Level& level,
                            std::size_t changed_cells) {
  return made_runs(cells, 3, [&](const std::string& setup, std::size_t cell) {
    return setup == changed && cell < changed_cells ? level : level_of(setup);
  });
}

struct Scene {
  std::string name;
  std::vector<Run> runs;
  Truth expected = Truth::unknown;
  Choices choices = {};
};

// What a file does not say, or says in another unit.
void absent_and_odd(std::vector<Scene>& out) {
  Level level = level_of("c");
  level.output_throughput = 2400;
  std::vector<Run> runs = with_level(3, "c", level, 3);
  out.push_back({"c loses 20 % of output throughput", runs, Truth::no});
  each_of(runs, "c", [](Run& run) {
    if (run.source.ends_with("run1.json")) run.metrics.erase("output_throughput");
  });
  out.push_back({"the same, and one run of c does not say so", runs, Truth::unknown});
  runs = made_runs();
  for (Run& run : runs) run.metrics.erase("output_throughput");
  out.push_back({"TPOT of c wins, no file has output throughput", runs, Truth::unknown});

  level = level_of("c");
  level.tpot_ms = 19.4;
  level.output_throughput = 3070;
  runs = with_level(3, "c", level, 3);
  each_of(runs, "c", [](Run& run) {
    if (run.source.ends_with("run1.json")) run.metrics.erase("output_throughput");
  });
  out.push_back({"c is no better than a2, and one run of it lacks output throughput", runs, Truth::unknown});

  level = level_of("c");
  level.tpot_ms /= 1000;
  out.push_back({"TPOT of c in seconds", with_level(3, "c", level, 3), Truth::unknown});
  level = level_of("a1");
  level.tpot_ms *= 1000;
  out.push_back({"TPOT of a1 in microseconds", with_level(3, "a1", level, 3), Truth::unknown});

  runs = made_runs();
  each_of(runs, "a1", [](Run& run) { run.tags["kernel"] = "asm"; });
  out.push_back({"the asm kernel decoded a1", runs, Truth::unknown});
}

// Comparators that are not there.
void absent_comparators(std::vector<Scene>& out) {
  Level a2 = level_of("a2");
  a2.tpot_ms = 18;
  a2.output_throughput = 3300;
  std::vector<Run> runs = with_level(3, "a2", a2, 3);
  Choices best;
  best.against = Against::best;
  out.push_back({"against the best: a2 is as good as c", runs, Truth::no, best});
  std::erase_if(runs,
                [](const Run& run) { return run.tag("setup") == "a2" && run.source.ends_with("run2.json"); });
  out.push_back({"against the best: a2 is as good as c, in two repeats", runs, Truth::unknown, best});
  std::erase_if(runs, [](const Run& run) { return run.tag("setup") == "a2"; });
  out.push_back({"against the best: nobody measured a2", runs, Truth::unknown, best});

  runs = made_runs();
  each_of(runs, "c", [](Run& run) { run.tags["setup"] = "e"; });
  Choices e;
  e.decides = "e";
  out.push_back({"e beats a1 and a2, nobody measured e0", runs, Truth::unknown, e});
  e.partner = Partner::unshuffled;
  out.push_back({"the same, asked against a1 and a2", runs, Truth::yes, e});
}

std::vector<Scene> scenes() {
  const Level c = level_of("c");
  std::vector<Scene> out;
  out.push_back({"c passes everywhere", made_runs(), Truth::yes});
  out.push_back({"two repeats", made_runs(3, 2), Truth::unknown});

  std::vector<Run> runs = made_runs();
  each_of(runs, "c", [](Run& run) {
    run.findings.push_back({results::Weight::invalid, "failed", "3", "3 of 256 requests failed"});
  });
  out.push_back({"requests of c failed", runs, Truth::unknown});

  runs = made_runs();
  each_of(runs, "c", [](Run& run) {
    run.completed = 0;
    for (auto& [name, value] : run.metrics) value = 0;
    run.findings.push_back({results::Weight::invalid, "completed", "0", "every request failed"});
  });
  out.push_back({"every request of c failed, all latencies 0", runs, Truth::unknown});

  runs = made_runs();
  each_of(runs, "c", [](Run& run) { run.tags["kernel"] = "ll4mi"; });
  out.push_back({"another kernel decoded c", runs, Truth::unknown});

  runs = made_runs();
  each_of(runs, "c", [](Run& run) { run.num_prompts = 512; });
  out.push_back({"c was asked twice the prompts", runs, Truth::unknown});

  runs = made_runs(5);
  std::erase_if(runs, [](const Run& run) { return run.tag("setup") == "c" && run.tag("osl") == "128"; });
  out.push_back({"4 of 5 cells have c: 80 %", runs, Truth::yes});
  std::erase_if(runs, [](const Run& run) { return run.tag("setup") == "c" && run.tag("osl") == "256"; });
  out.push_back({"3 of 5 cells have c: 60 %", runs, Truth::unknown});

  runs = made_runs();
  std::erase_if(runs, [](const Run& run) { return run.tag("setup") == "b"; });
  out.push_back({"b is missing: rule A holds, rule B cannot be asked", runs, Truth::unknown});

  Level level = c;
  level.tpot_ms = 19.4;
  level.output_throughput = 3070;
  Level a2 = level_of("a2");
  a2.tpot_ms = 18.5;
  a2.output_throughput = 3250;
  out.push_back({"c beats a1 and b, not a2", with_level(3, "a2", a2, 3), Truth::no});
  out.push_back({"c fails in 1 of 2 cells", with_level(2, "c", level, 1), Truth::no});
  out.push_back({"c fails in 1 of 3 cells", with_level(3, "c", level, 1), Truth::yes});
  out.push_back({"c fails in 2 of 3 cells", with_level(3, "c", level, 2), Truth::no});

  level = c;
  level.tpot_ms = 18.5;
  out.push_back({"TPOT of c 2.8 % worse than of b", with_level(3, "c", level, 3), Truth::no});
  level = c;
  level.tpot_ms = 17.4;
  out.push_back({"TPOT of c better than of b", with_level(3, "c", level, 3), Truth::yes});
  level = c;
  level.ttft_ms = 1045;
  out.push_back({"TTFT of c 4.5 % worse than of a1", with_level(3, "c", level, 3), Truth::no});
  level = c;
  level.spread = 0.08;
  out.push_back({"c repeats 8 % apart", with_level(3, "c", level, 3), Truth::no});
  absent_and_odd(out);
  absent_comparators(out);
  return out;
}

}  // namespace

void measurement_laws(LawRun& run) {
  for (const Scene& scene : scenes()) {
    const Truth got = judge({.runs = scene.runs, .choices = scene.choices, .power = false}, run.terms).go;
    run.expect("gonogo.measurement", "a measurement gets its verdict", got == scene.expected, scene.name,
               std::string(verdict_word(scene.expected)), std::string(verdict_word(got)));
  }
}

}  // namespace pageproof::gonogo
