// Whole measurements, from the text of result files to the verdict and its documents.
#include "reports/gonogo/judge.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "reports/gonogo/document.hpp"
#include "reports/gonogo/measured.hpp"
#include "reports/gonogo/words.hpp"
#include "tests/reports/results/files.hpp"

namespace pageproof::gonogo {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kPrompts = 64;

// A file of vllm bench serve with --metadata setup=... isl=... osl=512 workload=cold pd=1:1 kernel=asm.
ordered_json file_of(const std::string& setup, std::size_t repeat) {
  const results::Run run = made_run(setup, 512, level_of(setup), repeat);
  const double output = run.metrics.at("output_throughput");
  const double duration = kPrompts * 512 / output;
  return {{"date", run.date},
          {"backend", "vllm"},
          {"model_id", "M"},
          {"num_prompts", kPrompts},
          {"setup", setup},
          {"isl", "4096"},
          {"osl", "512"},
          {"workload", "cold"},
          {"pd", "1:1"},
          {"kernel", run.tag("kernel")},
          {"request_rate", "inf"},
          {"burstiness", 1.0},
          {"max_concurrency", 64},
          {"duration", duration},
          {"completed", kPrompts},
          {"failed", 0},
          {"total_input_tokens", kPrompts * 4096},
          {"total_output_tokens", kPrompts * 512},
          {"request_throughput", kPrompts / duration},
          {"request_goodput", nullptr},
          {"output_throughput", output},
          {"total_token_throughput", kPrompts * 4608 / duration},
          {"mean_ttft_ms", run.metrics.at("mean_ttft_ms")},
          {"median_ttft_ms", run.metrics.at("median_ttft_ms")},
          {"std_ttft_ms", 3.0},
          {"p99_ttft_ms", run.metrics.at("p99_ttft_ms")},
          {"mean_tpot_ms", run.metrics.at("mean_tpot_ms")},
          {"median_tpot_ms", run.metrics.at("median_tpot_ms")},
          {"std_tpot_ms", 0.5},
          {"p99_tpot_ms", 40.0},
          {"mean_itl_ms", run.metrics.at("mean_tpot_ms")},
          {"median_itl_ms", run.metrics.at("median_itl_ms")},
          {"std_itl_ms", 0.6},
          {"p99_itl_ms", run.metrics.at("p99_itl_ms")}};
}

using Change = std::function<void(ordered_json& file, const std::string& setup, std::size_t repeat)>;

struct Judged {
  results::Results read;
  Judgement judgement;
};

// Texts of a1, a2, b and c, three each, one changed thing.
Judged judged(const Change& change, const Choices& choices = {}, const std::vector<Planned>& plan = {}) {
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    for (const std::string setup : {"a1", "a2", "b", "c"}) {
      ordered_json file = file_of(setup, repeat);
      change(file, setup, repeat);
      if (!file.is_null()) files.emplace_back(fmt::format("{}/run={}.json", setup, repeat), file.dump(2));
    }
  }
  std::vector<results::NamedText> texts;
  for (const auto& [path, text] : files) texts.push_back({path, text});
  Judged out;
  out.read = results::read_texts(texts, {}, {.failed_ratio = choices.failed_share});
  out.judgement = judge({.runs = out.read.runs,
                         .refused = out.read.refused,
                         .left_out = out.read.left_out,
                         .plan = plan,
                         .choices = choices,
                         .power = false});
  return out;
}

std::string status(const Judged& one) {
  return std::string(to_string(one.judgement.cells.at(0).decisions.at(0).status));
}

std::string why(const Judged& one) {
  return one.judgement.cells.at(0).decisions.at(0).why;
}

std::string reasons(const Judged& one, const std::string& file) {
  for (const Placed& placed : one.judgement.runs) {
    if (placed.run->source == file) return fmt::format("{}", fmt::join(placed.reasons, "\n"));
  }
  return "no such run";
}

void nothing(ordered_json&, const std::string&, std::size_t) {}

Change of_c(const std::function<void(ordered_json&)>& change) {
  return [=](ordered_json& file, const std::string& setup, std::size_t) {
    if (setup == "c") change(file);
  };
}

TEST(Measurement, PassesFromItsFiles) {
  const Judged one = judged(nothing);
  EXPECT_EQ(one.judgement.go, Truth::yes) << to_text(sections_of(one.judgement, {}));
  EXPECT_EQ(status(one), "DECIDABLE");
  EXPECT_EQ(one.judgement.cells.size(), 1U);
}

// The real file of a run in which every request failed has 0.0 for every latency.
TEST(Trap, AllRequestsFailedNeverWins) {
  const Judged one = judged(of_c([](ordered_json& file) {
    file["completed"] = 0;
    file["failed"] = kPrompts;
    file["total_input_tokens"] = file["total_output_tokens"] = 0;
    for (auto& [key, value] : file.items()) {
      if (key.ends_with("_ms") || key.ends_with("throughput")) value = 0.0;
    }
  }));
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_EQ(status(one), "INSUFFICIENT");
  EXPECT_THAT(reasons(one, "c/run=0.json"), HasSubstr("completed: 0: every request failed"));
}

TEST(Trap, FailedRequestsAreAllowedOnlyOnPurpose) {
  const Change three_fail = of_c([](ordered_json& file) {
    file["failed"] = 3;
    file["num_prompts"] = kPrompts + 3;
  });
  EXPECT_EQ(status(judged(three_fail)), "INSUFFICIENT");
  Choices choices;
  choices.failed_share = 0.05;
  std::erase(choices.same, "num_prompts");
  EXPECT_EQ(judged(three_fail, choices).judgement.go, Truth::yes);
}

TEST(Trap, NumbersThatAreNoneNameTheirKey) {
  for (const ordered_json& bad :
       {ordered_json("NaN"), ordered_json("inf"), ordered_json(0.0), ordered_json(-1.0)}) {
    const Judged one = judged(of_c([&](ordered_json& file) { file["mean_tpot_ms"] = bad; }));
    EXPECT_EQ(one.judgement.go, Truth::unknown) << bad;
    EXPECT_THAT(reasons(one, "c/run=1.json"), HasSubstr("mean_tpot_ms")) << bad;
  }
}

TEST(Trap, SecondsForMillisecondsNeverWin) {
  const Judged one = judged(of_c([](ordered_json& file) {
    for (auto& [key, value] : file.items()) {
      if (key.ends_with("_ms")) value = value.get<double>() / 1000;
    }
  }));
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_THAT(reasons(one, "c/run=0.json"), HasSubstr("seconds"));
}

TEST(Trap, GoodputMayBeNullOrHaveAColon) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t) {
    file.erase("request_goodput");
    if (setup != "b") file["request_goodput:"] = 5.0;
  });
  EXPECT_EQ(one.judgement.go, Truth::yes);
  const SetupCell* c = one.judgement.cells[0].find("c");
  ASSERT_TRUE(c->samples.contains("goodput"));
  EXPECT_EQ(c->samples.at("goodput").values, (std::vector<double>{5, 5, 5}));
  EXPECT_FALSE(one.judgement.cells[0].find("b")->samples.contains("goodput"));
}

TEST(Trap, AbsentP50IsTheMedian) {
  const Judged one = judged(nothing);
  EXPECT_TRUE(one.judgement.cells[0].find("c")->samples.contains("p50_itl"));
}

TEST(Trap, TwoRepeatsAreTooFew) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t repeat) {
    if (setup == "c" && repeat == 2) file = nullptr;
  });
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_THAT(why(one), HasSubstr("setup c: 2 of 2 runs valid, 3 needed"));
}

TEST(Trap, TheSameRunTwiceIsOneRun) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t repeat) {
    if (setup == "c" && repeat == 2) file = file_of("c", 1);
  });
  EXPECT_EQ(status(one), "INSUFFICIENT");
  EXPECT_THAT(reasons(one, "c/run=2.json"), HasSubstr("c/run=1.json"));
}

TEST(Trap, AWarmUpIsNoRepeat) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t repeat) {
    if (setup == "c" && repeat == 2) file["run_number"] = -1;
  });
  EXPECT_NE(one.judgement.go, Truth::yes);
  EXPECT_EQ(status(one), "INSUFFICIENT");
}

TEST(Trap, ConcatenatedObjectsAreRuns) {
  std::string text;
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    for (const std::string setup : {"a1", "a2", "b", "c"}) text += file_of(setup, repeat).dump() + "\n";
  }
  const results::NamedText named{"all.json", text};
  const results::Results read = results::read_texts({&named, 1}, {}, {});
  EXPECT_EQ(judge({.runs = read.runs, .power = false}).go, Truth::yes);
}

TEST(Trap, TokensThatDoNotFitTheCellAreInvalid) {
  const Judged one = judged(of_c([](ordered_json& file) { file["osl"] = "256"; }));
  EXPECT_THAT(reasons(one, "c/run=0.json"), HasSubstr("total_output_tokens"));
  EXPECT_NE(one.judgement.go, Truth::yes);
}

TEST(Trap, OtherLoadsOfTheSameCellAreInvalid) {
  for (const auto& [key, value] : {std::pair<std::string, ordered_json>("burstiness", 0.5),
                                   std::pair<std::string, ordered_json>("model_id", "other/name")}) {
    const Judged one = judged(of_c([&](ordered_json& file) {
      file[key] = value;
      file["model"] = "M";
    }));
    // model is a tag of c alone: its cell is the others', whose model_id is M.
    EXPECT_EQ(one.judgement.cells.size(), 1U);
    EXPECT_EQ(status(one), "INSUFFICIENT") << key;
    EXPECT_THAT(reasons(one, "c/run=0.json"), HasSubstr("c/run=0.json: " + key)) << key;
  }
}

TEST(Trap, MixedVersionsAreNamed) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t) {
    file["vllm_version"] = setup == "c" ? "0.31.0" : "0.30.0";
  });
  EXPECT_EQ(one.judgement.go, Truth::yes);
  EXPECT_THAT(to_text(sections_of(one.judgement, {})),
              HasSubstr("VERSIONS: vllm_version: versions are mixed"));
}

TEST(Status, MissingBLeavesRuleADecidable) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t) {
    if (setup == "b") file = nullptr;
  });
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_EQ(status(one), "MISSING");
  EXPECT_EQ(one.judgement.cells[0].decisions[0].rule_a, Truth::yes);
  Choices rule_a_alone;
  rule_a_alone.rules = Rules::a;
  EXPECT_EQ(judged(
                [](ordered_json& file, const std::string& setup, std::size_t) {
                  if (setup == "b") file = nullptr;
                },
                rule_a_alone)
                .judgement.go,
            Truth::yes);
}

TEST(Status, TheKernelIsWrongOrUnknown) {
  const Judged wrong = judged(of_c([](ordered_json& file) { file["kernel"] = "ll4mi"; }));
  EXPECT_EQ(status(wrong), "INSUFFICIENT");
  EXPECT_THAT(why(wrong), HasSubstr("KERNEL_WRONG"));
  const Change unknown = of_c([](ordered_json& file) { file.erase("kernel"); });
  const Judged flagged = judged(unknown);
  EXPECT_EQ(flagged.judgement.go, Truth::yes);
  EXPECT_THAT(to_text(sections_of(flagged.judgement, {})),
              HasSubstr("nobody recorded which decode kernel ran"));
  Choices strict;
  strict.kernel = Kernel::require;
  EXPECT_EQ(status(judged(unknown, strict)), "KERNEL_UNKNOWN");
}

TEST(Status, AnUnreachableBatchDecidesNothing) {
  // 3000 tok/s x 20 ms: 60 requests decoded at once.
  const auto planned = [](double batch) {
    return [=](ordered_json& file, const std::string&, std::size_t) {
      file["batch"] = fmt::format("{}", batch);
    };
  };
  EXPECT_EQ(status(judged(planned(64))), "DECIDABLE");
  const Judged far = judged(planned(128));
  EXPECT_EQ(status(far), "UNREACHABLE");
  EXPECT_THAT(why(far), HasSubstr("128 were planned"));
  EXPECT_EQ(far.judgement.go, Truth::unknown);
}

TEST(Status, AllCellsInfeasibleOrMissing) {
  CellKey key{.model = "M", .workload = "cold", .pd = "1:1", .isl = 4096, .osl = 512, .load = 64};
  const Judged infeasible = judged(nothing, {}, {{key, std::nullopt, "KV does not fit"}});
  EXPECT_EQ(status(infeasible), "INFEASIBLE");
  EXPECT_EQ(infeasible.judgement.go, Truth::unknown);
  key.osl = 1024;
  const Judged missing = judged(nothing, {}, {{key, std::nullopt, ""}});
  EXPECT_EQ(missing.judgement.go, Truth::unknown);  // 1 of 2 cells: below the coverage
  EXPECT_EQ(missing.judgement.setups[0].undecidable, 1U);
  EXPECT_EQ(judge({}).go, Truth::unknown);
}

TEST(Placing, EveryRunWithoutAPlaceSaysWhy) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t repeat) {
    if (setup != "c") return;
    if (repeat == 0) file.erase("setup");
    if (repeat == 1) file["setup"] = "f";
    if (repeat == 2) file.erase("isl");
  });
  EXPECT_EQ(reasons(one, "c/run=0.json"), "c/run=0.json: setup: absent: a setup is a1, a2, b, c, d, e or e0");
  EXPECT_EQ(reasons(one, "c/run=1.json"), "c/run=1.json: setup: f: a setup is a1, a2, b, c, d, e or e0");
  EXPECT_THAT(reasons(one, "c/run=2.json"), HasSubstr("c/run=2.json: isl: absent"));
  EXPECT_THAT(to_text(sections_of(one.judgement, {})), HasSubstr("UNPLACED: 3 runs have no place"));
}

TEST(Placing, KeysMayHaveOtherNames) {
  std::vector<results::Run> runs = made_runs();
  for (results::Run& run : runs) {
    run.tags["variant"] = run.tags.at("setup");
    run.tags["input"] = run.tags.at("isl");
    run.tags.erase("setup");
    run.tags.erase("isl");
  }
  Keys keys;
  keys.setup = "variant";
  keys.isl = "input";
  EXPECT_EQ(judge({.runs = runs, .keys = keys, .power = false}).go, Truth::yes);
  for (results::Run& run : runs) run.total_input_tokens = 256 * 1024;
  EXPECT_EQ(judge({.runs = runs, .keys = keys, .power = false}).go, Truth::unknown);
}

// TPOT is 35 % better only because requests wait elsewhere and fewer are decoded at once.
TEST(Trap, ASmallerBatchLooksLikeABetterTpot) {
  const std::vector<results::Run> runs = made_runs(3, 3, [](const std::string& setup, std::size_t) {
    if (setup == "c") return Level{.ttft_ms = 1768, .tpot_ms = 12.9, .output_throughput = 1780};
    return Level{.ttft_ms = 673, .tpot_ms = 19.8, .output_throughput = 1870};
  });
  const Judgement found = judge({.runs = runs, .power = false});
  EXPECT_EQ(found.go, Truth::no);
  EXPECT_THAT(found.cells[0].decisions[0].questions[0].verdict.ttft.why, HasSubstr("TTFT LOSS"));
  EXPECT_THAT(to_text(sections_of(found, {})), HasSubstr("BATCH: in 3 of 3 cells"));
}

TEST(Comparators, BothOneBestAndEach) {
  // c beats a1 (20 ms) by 6 %, a2 (19 ms) by 1 %.
  std::vector<results::Run> runs = made_runs(3, 3, [](const std::string& setup, std::size_t) {
    Level level = level_of(setup);
    if (setup == "a2") level = {.ttft_ms = 990, .tpot_ms = 18.4, .output_throughput = 3260};
    return level;
  });
  const auto verdict = [&](Against against) {
    Choices choices;
    choices.against = against;
    return judge({.runs = runs, .choices = choices, .power = false}).go;
  };
  EXPECT_EQ(verdict(Against::both), Truth::no);
  EXPECT_EQ(verdict(Against::a1), Truth::yes);
  EXPECT_EQ(verdict(Against::a2), Truth::no);
  EXPECT_EQ(verdict(Against::best), Truth::no);
  EXPECT_EQ(verdict(Against::each), Truth::no);
}

TEST(Comparators, SetupEIsJudgedByRuleAAgainstItsOwnPartner) {
  std::vector<results::Run> runs;
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    for (const auto& [setup, like] : {std::pair("e0", "a1"), std::pair("e", "c"), std::pair("a1", "c")}) {
      runs.push_back(made_run(setup, 512, level_of(like), repeat));
      runs.back().duration_s = *runs.back().duration_s + setup[0];
    }
  }
  Choices choices;
  choices.decides = "e";
  const Judgement found = judge({.runs = runs, .choices = choices, .power = false});
  EXPECT_EQ(found.go, Truth::yes);
  EXPECT_FALSE(found.cells[0].decisions[0].rule_b_applies);
}

std::string words(const Judged& one) {
  return to_text(sections_of(one.judgement, {}));
}

// A loss of 20 % of output throughput that one file keeps to itself.
TEST(Trap, ARunThatHidesAMetricIsNoRepeat) {
  const auto lossy = [](bool hides, const ordered_json& hidden) {
    return [=](ordered_json& file, const std::string& setup, std::size_t repeat) {
      if (setup != "c") return;
      for (const char* key : {"output_throughput", "request_throughput", "total_token_throughput"}) {
        file[key] = file[key].get<double>() * 0.8;
      }
      file["duration"] = file["duration"].get<double>() / 0.8;
      if (!hides || repeat != 0) return;
      hidden.is_discarded() ? void(file.erase("output_throughput"))
                            : void(file["output_throughput"] = hidden);
    };
  };
  EXPECT_EQ(judged(lossy(false, nullptr)).judgement.go, Truth::no);
  for (const ordered_json& hidden : {ordered_json(ordered_json::value_t::discarded), ordered_json(nullptr)}) {
    const Judged one = judged(lossy(true, hidden));
    EXPECT_EQ(one.judgement.go, Truth::unknown);
    EXPECT_EQ(status(one), "INSUFFICIENT");
    EXPECT_EQ(reasons(one, "c/run=0.json"),
              "c/run=0.json: output_throughput: absent: another run of setup c in this cell has it: "
              "c/run=1.json");
  }
}

TEST(Trap, MediansThirtyTimesApartAreNamedAndNotJudged) {
  // A rate and no batch limit: nothing else tells the unit.
  const auto scaled = [](double by) {
    return [=](ordered_json& file, const std::string& setup, std::size_t) {
      file["request_rate"] = 6.0;
      file["max_concurrency"] = nullptr;
      if (setup != "c") return;
      for (auto& [key, value] : file.items()) {
        if (key.ends_with("tpot_ms")) value = value.get<double>() * by;
      }
    };
  };
  EXPECT_EQ(judged(scaled(1)).judgement.go, Truth::yes);
  const Judged one = judged(scaled(1.0 / 40));
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_THAT(why(one), testing::AllOf(HasSubstr("tpot: 0.455 ms in c (c/run=0.json, c/run=1.json"),
                                       HasSubstr("unit error is suspected")));
  EXPECT_THAT(words(one), HasSubstr("UNITS: in 1 of 1 cells medians are more than 30 times apart"));
}

// One number of another world must not tell what all the others' noise is.
TEST(Trap, ARepeatOfAnotherOrderIsNoNoise) {
  const auto cv_of_a1 = [](double value) {
    std::vector<results::Run> runs = made_runs(2);
    runs[0].metrics["output_throughput"] = value;
    const Judgement found = judge({.runs = runs, .power = false});
    for (const Noise& noise : found.noise) {
      if (noise.setup == "a1" && noise.metric == "output_throughput") {
        return std::pair(noise.cv, to_text(sections_of(found, {})));
      }
    }
    return std::pair(-1.0, std::string());
  };
  EXPECT_NEAR(cv_of_a1(3000).first, 0.001, 1e-6);
  const auto [cv, text] = cv_of_a1(1e308);
  EXPECT_NEAR(cv, 0.001, 1e-6);
  EXPECT_THAT(text, HasSubstr("OUTLIERS: repeats of one setup are more than 30 times apart"));
  EXPECT_THAT(text, HasSubstr("1e+308 tok/s in a1_osl128_run0.json"));
}

TEST(Trap, FilesThatContradictThemselvesAreNamed) {
  std::vector<results::Run> runs = made_runs(1);
  runs[3].findings = {{results::Weight::disagreement, "mean_tpot_ms", "16", "its own arrays give 18.2"},
                      {results::Weight::disagreement, "p99_tpot_ms", "16", "its own arrays give 20"}};
  const Judgement found = judge({.runs = runs, .power = false});
  EXPECT_EQ(found.go, Truth::yes);
  EXPECT_THAT(to_text(sections_of(found, {})),
              testing::AllOf(HasSubstr("DISAGREEMENT: 1 files contradict themselves"),
                             HasSubstr("(c_osl128_run0.json: mean_tpot_ms, p99_tpot_ms)")));
}

TEST(Status, AComparatorThatRanTheShuffledKernelIsMislabelled) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t) {
    if (setup == "a1") file["kernel"] = "asm";
  });
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_EQ(status(one), "INSUFFICIENT");
  EXPECT_THAT(reasons(one, "a1/run=0.json"), HasSubstr("decode kernel: asm: KERNEL_WRONG: setup a1"));
}

TEST(Status, PlannedBatchesThatDifferAreSaidAndTheLargestIsJudged) {
  const Judged one = judged([](ordered_json& file, const std::string& setup, std::size_t) {
    file["batch"] = setup == "a1" ? "48" : "128";
  });
  EXPECT_EQ(status(one), "UNREACHABLE");
  EXPECT_THAT(words(one), HasSubstr("batch: 48 in a1/run=0.json, 128 in a2/run=0.json, judged by 128"));
  const Judged odd = judged([](ordered_json& file, const std::string&, std::size_t) {
    file["batch"] = "lots";
    file["prefill_throughput"] = "20000 tok/s";
  });
  EXPECT_THAT(words(odd), HasSubstr("TAGS: 12 files have a tag that is no number above 0 and is not used; "
                                    "first a1/run=0.json: batch: lots"));
  EXPECT_THAT(words(odd), HasSubstr("first a1/run=0.json: prefill_throughput: 20000 tok/s"));
}

TEST(Comparators, TheBestOfOneIsNotKnown) {
  Choices best;
  best.against = Against::best;
  for (const std::size_t kept : {0U, 2U}) {
    const Judged one = judged(
        [&](ordered_json& file, const std::string& setup, std::size_t repeat) {
          if (setup == "a2" && repeat >= kept) file = nullptr;
        },
        best);
    EXPECT_EQ(one.judgement.go, Truth::unknown);
    EXPECT_EQ(status(one), kept == 0 ? "MISSING" : "INSUFFICIENT");
    EXPECT_THAT(why(one), HasSubstr("setup a2"));
  }
}

TEST(Comparators, EWithoutItsPartnerIsMissing) {
  Choices choices;
  choices.decides = "e";
  const Change as_e = of_c([](ordered_json& file) { file["setup"] = "e"; });
  const Judged one = judged(as_e, choices);
  EXPECT_EQ(one.judgement.go, Truth::unknown);
  EXPECT_EQ(status(one), "MISSING");
  EXPECT_THAT(why(one), HasSubstr("no file of setup e0"));
  choices.partner = Partner::unshuffled;
  EXPECT_EQ(judged(as_e, choices).judgement.go, Truth::yes);
}

TEST(Placing, AKeyToBeTheSameThatNobodyHasIsSaid) {
  Choices choices;
  choices.same.emplace_back("engine_args");
  EXPECT_THAT(words(judged(nothing, choices)), HasSubstr("SAME: --same: engine_args: no run has this key"));
  const Judged one = judged([](ordered_json& file, const std::string& setup,
                               std::size_t) { file["engine_args"] = setup == "c" ? "--enforce-eager" : ""; },
                            choices);
  EXPECT_EQ(status(one), "INSUFFICIENT");
}

// An earlier verdict in the folder of results.
TEST(Document, IsNoResult) {
  const std::vector<results::Run> runs = made_runs(1);
  const std::string text = document_of(judge({.runs = runs, .power = false})).dump();
  const results::NamedText named{"verdict.json", text};
  const results::Results read = results::read_texts({&named, 1}, {}, {});
  EXPECT_TRUE(read.refused.empty());
  EXPECT_TRUE(read.runs.empty());
  ASSERT_EQ(read.left_out.size(), 1U);
  EXPECT_EQ(to_string(read.left_out[0]), "verdict.json: command: gonogo: a document of this program, no run");
}

// Names that a terminal, Markdown or a spreadsheet would act on.
TEST(Document, NamesAreOnlyRead) {
  const Judged one = judged(
      [](ordered_json& file, const std::string&, std::size_t) { file["model"] = "=\x1b[2Jm|`x`\n```"; });
  EXPECT_EQ(one.judgement.go, Truth::yes);
  const auto sections = sections_of(one.judgement, {});
  for (const std::string& text : {to_text(sections), to_markdown(sections), csv_of(one.judgement)}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("x1b"));
  }
  EXPECT_THAT(to_markdown(sections), HasSubstr("m\\|\\`x\\`"));
  EXPECT_THAT(to_markdown(sections), HasSubstr("\n````\n"));
  EXPECT_THAT(csv_of(one.judgement), HasSubstr("\n'=\\x1b[2Jm|`x`\\x0a``` cold isl4096"));
  EXPECT_EQ(visible("a\xc2\x9b\x7f b\xc3\xa4"), "a\\xc2\\x9b\\x7f b\xc3\xa4");
}

TEST(Document, GoodputOfObjectivesIsShownAndNotJudged) {
  Choices choices;
  choices.objectives.ttft_ms = 1000;
  choices.objectives.tpot_ms = 20;
  std::vector<results::Run> runs = made_runs(1);
  for (results::Run& run : runs) {
    run.goodput = results::Goodput{choices.objectives, 10, run.tag("setup") == "c" ? 2.0 : 4.0};
  }
  const Judgement found = judge({.runs = runs, .choices = choices, .power = false});
  EXPECT_EQ(found.go, Truth::yes);
  const std::string text = to_text(sections_of(found, {}));
  EXPECT_THAT(text, HasSubstr("Goodput at ttft:1000,tpot:20 ms"));
  EXPECT_THAT(text, HasSubstr("vs a1 -50.0 % LOSS, vs a2 -50.0 % LOSS, vs b -50.0 % LOSS"));
  EXPECT_THAT(csv_of(found), HasSubstr(",c,goodput_asked,c_osl128_run0.json,2,req/s\n"));
  EXPECT_EQ(document_of(found)["cells"][0]["setups"][3]["metrics"]["goodput_asked"]["median"], 2.0);
  const Judgement without = judge({.runs = runs, .power = false});
  EXPECT_THAT(to_text(sections_of(without, {})), Not(HasSubstr("Goodput")));
}

// A gain just above 3 % has its own probability, not that of 3.2 %.
TEST(Document, ThePowerOfTheObservedGainIsNotRounded) {
  const auto power_at = [](double tpot) {
    const std::vector<results::Run> runs = made_runs(1, 3, [&](const std::string& setup, std::size_t) {
      Level level = level_of(setup);
      if (setup == "c") level.tpot_ms = tpot;
      return level;
    });
    const Judgement found = judge({.runs = runs});
    for (const Compared& one : found.cells[0].decisions[0].questions[0].compared) {
      if (one.metric == "tpot") return one.power.at_observed;
    }
    return -1.0;
  };
  EXPECT_NEAR(power_at(19.4), 0.5, 0.01);     // 3.00 % with a CV of 0.1 %
  EXPECT_NEAR(power_at(19.382), 0.81, 0.04);  // 3.09 %
}

TEST(PrefillThroughput, ComesFromRunsOfOneToken) {
  std::vector<results::Run> runs = made_runs(1);
  const std::size_t seen = runs.size();
  for (std::size_t i = 0; i < seen; ++i) {
    results::Run run = runs[i];
    run.tags["osl"] = "1";
    run.source = "prefill_" + run.source;
    run.total_output_tokens = 256;
    run.duration_s = *run.duration_s + 1000 * (run.tag("setup") == "b");
    for (const char* none : {"mean_tpot_ms", "median_tpot_ms", "median_itl_ms", "p99_itl_ms"})
      run.metrics.erase(none);
    runs.push_back(run);
  }
  const Judgement found = judge({.runs = runs, .power = false});
  ASSERT_EQ(found.cells.size(), 1U);
  const auto& sample = found.cells[0].find("c")->samples.at("prefill_throughput");
  EXPECT_EQ(sample.values.size(), 3U);
  EXPECT_NEAR(sample.values[0], 256 * 4096 / *runs[3].duration_s, 1e-6);
}

TEST(Drift, SetupsInBlocksAreNamed) {
  std::vector<results::Run> runs = made_runs(1);
  EXPECT_THAT(to_text(sections_of(judge({.runs = runs, .power = false}), {})), Not(HasSubstr("DRIFT")));
  for (results::Run& run : runs) run.date = "20261130-" + run.tag("setup") + run.date.substr(9);
  EXPECT_THAT(to_text(sections_of(judge({.runs = runs, .power = false}), {})),
              HasSubstr("DRIFT: in 1 of 1 cells"));
}

TEST(Document, HoldsWhatItsReadersNeed) {
  const std::vector<results::Run> runs = made_runs();
  const Judgement found = judge({.runs = runs});
  const ordered_json document = document_of(found);
  EXPECT_EQ(document["verdict"], "GO");
  EXPECT_EQ(document["cells"].size(), 3U);
  EXPECT_EQ(document["runs"].size(), 36U);
  const ordered_json& cell = document["cells"][0];
  EXPECT_EQ(cell["cell"], "M cold isl4096 osl128 c64 pd1:1");
  EXPECT_EQ(cell["setups"][3]["metrics"]["tpot"]["values"].size(), 3U);
  EXPECT_NEAR(cell["decisions"][0]["questions"][0]["compared"][1]["gain"], 1 - 18.2 / 20, 1e-9);
  EXPECT_GT(cell["decisions"][0]["questions"][0]["compared"][1]["power"]["win_if_gain_is_true"], 0.99);
  EXPECT_EQ(document["power"].size(), 7U);
  // Rule A: 2 metrics against 2 comparators; rule B: TTFT; 3 cells.
  EXPECT_EQ(document["comparisons"], 15);
  EXPECT_LT(document["expected_false_wins"], 1e-6);
  const std::string csv = csv_of(found);
  EXPECT_THAT(csv,
              testing::StartsWith("cell,setup,metric,run,value,unit\nM cold isl4096 osl128 c64 pd1:1,a1,ttft,"
                                  "a1_osl128_run0.json,1000,ms\n"));
  const std::string markdown = to_markdown(sections_of(found, {}));
  EXPECT_THAT(markdown, testing::StartsWith("## GO\n"));
}

}  // namespace
}  // namespace pageproof::gonogo
