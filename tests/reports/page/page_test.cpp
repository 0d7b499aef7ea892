// The parts of the page: text made safe, gnuplot kept in its bounds, documents refused. What a whole page
// says is checked by page_laws.py.
#include "reports/page/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "reports/page/chart.hpp"
#include "reports/page/charts.hpp"
#include "reports/page/drawer.hpp"
#include "reports/page/gnuplot.hpp"
#include "reports/page/html.hpp"
#include "reports/page/read.hpp"
#include "reports/page/svg.hpp"

namespace pageproof::page {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kHostile = "<script>alert('x')</script> & \"q\" `touch pwned` $(touch pwned) it's";

TEST(Html, EscapesWhatXmlReads) {
  EXPECT_EQ(escaped("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  EXPECT_EQ(escaped("Grüße, 木\U0001F600"), "Grüße, 木\U0001F600");
}

TEST(Html, WritesBytesThatXmlRefusesAsHexadecimal) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b[1m\x7f", 8)), "a\\x00b\\x1b[1m\\x7f");
  EXPECT_EQ(escaped("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // turns the direction of the text that follows
  EXPECT_EQ(escaped("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
  EXPECT_EQ(escaped("\xc0\xbc"), "\\xc0\\xbc");  // '<', longer than it may be
}

TEST(Html, RoundsToFourDigits) {
  EXPECT_EQ(rounded(12.71349), "12.71");
  EXPECT_EQ(rounded(0), "0");
  EXPECT_EQ(rounded(-0.5), "−0.5");
  EXPECT_EQ(rounded(60044.4), "60044");
  EXPECT_EQ(rounded(1e12), "1e+12");
  EXPECT_EQ(percent(0.0299), "+2.99 %");
  EXPECT_EQ(percent(-0.1234), "−12.3 %");
  EXPECT_EQ(percent(-0.0000001), "0 %");
}

TEST(Html, AWordForAShellIsOneWord) {
  EXPECT_EQ(shell_word("a/b-1.json"), "a/b-1.json");
  EXPECT_EQ(shell_word("it's; rm x"), "'it'\\''s; rm x'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Chart, TicksAreRoundAndInside) {
  EXPECT_THAT(ticks(-3.7, 7.2, 8), ElementsAre(-2, 0, 2, 4, 6));
  EXPECT_THAT(ticks(0, 0.35, 5), ElementsAre(0, 0.1, 0.2, 0.3));
  EXPECT_THAT(ticks(5, 5, 5), ElementsAre(5));
  EXPECT_THAT(logarithmic_ticks(20, 1200), ElementsAre(30, 100, 300, 1000));
}

bool gnuplot_answers() {
  return drawn("gnuplot", "set terminal svg\nplot 0\n").has_value();
}

TEST(Gnuplot, UserTextDoesNothingButShow) {
  if (!gnuplot_answers()) GTEST_SKIP() << "gnuplot is not installed";
  const std::filesystem::path trace =
      std::filesystem::temp_directory_path() / fmt::format("pageproof_{}", getpid());
  const std::string touch = "touch " + trace.string();
  const std::string hostile =
      "`" + touch + "` '. system(\"" + touch + "\").' $(" + touch + ")\n!" + touch + "\nEOD\n@x {/Bold b}";
  RowChart chart{.axis = hostile,
                 .rows = {{.label = hostile, .note = hostile, .dots = {{1, Dot::full, Ink::plain}}},
                          {.label = hostile, .heading = true}}};
  chart.dots = {{{}, hostile}};
  CurveChart curves{
      .across = hostile, .up = hostile, .curves = {{.label = hostile, .points = {{1, 2}, {2, 3}}}}};
  ScatterChart scatter{.across = hostile, .up = hostile, .points = {{1, 2}}, .dots = {{{}, hostile}}};
  for (const std::string& text : {commands(chart), commands(curves), commands(scatter)}) {
    const auto svg = drawn("gnuplot", text);
    ASSERT_TRUE(svg.has_value()) << to_string(svg.error());
    EXPECT_THAT(*svg, HasSubstr("`" + touch.substr(0, 10)));
    EXPECT_FALSE(std::filesystem::exists(trace));
  }
}

// Every text of up to four signs of those that gnuplot, XML or a shell read more into, as a label each.
TEST(Gnuplot, AnyLabelIsTextAndNothingElse) {
  if (!gnuplot_answers()) GTEST_SKIP() << "gnuplot is not installed";
  const std::vector<std::string> alphabet{"'", "\"", "\\", "`", "]", ">", "&", "<", "\n", "\xff", "a"};
  std::vector<std::string> texts{""};
  for (std::size_t begin = 0, length = 1; length <= 4; ++length) {
    const std::size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const std::string& sign : alphabet) texts.push_back(texts[begin] + sign);
    }
  }
  ASSERT_EQ(texts.size(), 1U + 11 + 121 + 1331 + 14641);
  constexpr std::size_t kAChart = 1200;
  for (std::size_t at = 0; at < texts.size(); at += kAChart) {
    std::string commands = "set terminal svg noenhanced\nunset key\nset xrange [0:1]\nset yrange [0:1]\n";
    for (std::size_t i = at; i < std::min(at + kAChart, texts.size()); ++i) {
      commands += "set label " + page::quoted("<" + texts[i] + ">") + " at 0.5,0.5\n";
    }
    const auto svg = drawn("gnuplot", commands + "plot 0.5\n");
    ASSERT_TRUE(svg.has_value()) << to_string(svg.error());
    EXPECT_EQ(malformed(shortened(*svg)), "");
    for (std::size_t i = at; i < std::min(at + kAChart, texts.size()); ++i) {
      std::string shown = "<" + texts[i] + ">";
      for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"&", "&amp;"},
                                                                                     {"<", "&lt;"},
                                                                                     {"\n", " "},
                                                                                     {"\xff", " "},
                                                                                     {"'", "\u2019"},
                                                                                     {"]]>", "]]&gt;"}}) {
        for (std::size_t p = shown.find(from); p != std::string::npos; p = shown.find(from, p + to.size())) {
          shown.replace(p, from.size(), to);
        }
      }
      ASSERT_NE(svg->find(shown), std::string::npos) << texts[i] << " as " << shown;
    }
  }
}

TEST(Svg, WhatNoXmlParserReadsIsFound) {
  for (const char* good :
       {"<svg/>", "<svg a='1' b=\"'\">x &amp; ]] > <g><t/></g></svg>", "<svg>]]&gt;</svg>\n"}) {
    EXPECT_EQ(malformed(good), "") << good;
  }
  for (const char* bad :
       {"", "svg", "<svg>", "<svg></g>", "<svg><g></svg></g>", "<svg a=1/>", "<svg a='1' a='2'/>",
        "<svg a='<'/>", "<svg>]]></svg>", "<svg>&x;</svg>", "<svg>&</svg>", "<svg>\x01</svg>",
        "<svg>\xff</svg>", "<svg/><svg/>", "<svg a='1/>", "<svg", "<svg><!-- --></svg>"}) {
    EXPECT_NE(malformed(bad), "") << bad;
  }
}

TEST(Gnuplot, ChartsOfNothingAndOfOnePointAreDrawn) {
  if (!gnuplot_answers()) GTEST_SKIP() << "gnuplot is not installed";
  const RowChart one{.axis = "x", .rows = {{.label = "a", .dots = {{0, Dot::full, Ink::plain}}}}};
  for (const std::string& text :
       {commands(RowChart{.axis = "x", .rows = {}}), commands(one), commands(CurveChart{}),
        commands(CurveChart{.logarithmic = true}), commands(ScatterChart{})}) {
    EXPECT_TRUE(drawn("gnuplot", text).has_value());
  }
}

std::string script(const std::string& name, const std::string& body) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("pageproof_{}_{}", getpid(), name);
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

TEST(Gnuplot, ProgramsThatDoNotDrawAreRefused) {
  EXPECT_THAT(to_string(drawn("pageproof-no-such-program", "plot 0\n").error()),
              HasSubstr("cannot be started"));
  const std::string fails = script("fails", "exit 3");
  EXPECT_THAT(to_string(drawn(fails, "plot 0\n").error()), HasSubstr("exit status"));
  const std::string speaks = script("speaks", "echo hello");
  EXPECT_THAT(to_string(drawn(speaks, "plot 0\n").error()), HasSubstr("no SVG"));
  for (const std::string& path : {fails, speaks}) std::filesystem::remove(path);
}

TEST(Gnuplot, AnExitStatusIsTheNumberThatItHas) {
  const std::string fails = script("status", "exit 3");
  EXPECT_THAT(to_string(drawn(fails, "plot 0\n").error()), HasSubstr("exit status: 3"));
  const std::string ends = script("signal", "kill -9 $$");
  EXPECT_THAT(to_string(drawn(ends, "plot 0\n").error()), HasSubstr("signal: 9"));
  for (const std::string& path : {fails, ends}) std::filesystem::remove(path);
}

// What the program started ends with it.
TEST(Gnuplot, NothingIsLeftRunning) {
  const std::filesystem::path trace =
      std::filesystem::temp_directory_path() / fmt::format("pageproof_{}_child", getpid());
  const std::string program = script("forks", fmt::format("(sleep 1; touch {}) & wait", trace.string()));
  EXPECT_FALSE(drawn(program, "plot 0\n", {.time = std::chrono::milliseconds(200)}).has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_FALSE(std::filesystem::exists(trace));
  for (const std::filesystem::path& path : {std::filesystem::path(program), trace})
    std::filesystem::remove(path);
}

// It draws the first two times that it is asked (the probe and one chart), then no more.
TEST(Drawer, TheFirstFailureIsTheLast) {
  const std::filesystem::path asked =
      std::filesystem::temp_directory_path() / fmt::format("pageproof_{}_asked", getpid());
  std::filesystem::remove(asked);
  const std::string program =
      script("tires",
             fmt::format("cat > /dev/null; echo x >> {0}; test $(wc -l < {0}) -le 2 || exit 5; echo '<svg/>' "
                         "| sed 's:/>:></svg>:'",
                         asked.string()));
  Drawer drawer(program);
  std::vector<Panel> panels;
  for (const char* title : {"first", "second", "third"})
    panels.push_back({.title = title, .alt = "a", .commands = "p\n", .table = {}});
  const std::string html = drawer.figures(panels);
  EXPECT_EQ(drawer.drawn_count(), 1U);
  EXPECT_EQ(drawer.undrawn_count(), 2U);
  EXPECT_THAT(drawer.why_not(), HasSubstr("chart \"second\": gnuplot: exit status: 5"));
  std::ifstream lines(asked);
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 3);
  std::filesystem::remove(asked);
  Drawer slow(program, std::chrono::milliseconds(0));
  slow.figures(panels);
  EXPECT_EQ(slow.drawn_count(), 0U);
  EXPECT_THAT(slow.why_not(), HasSubstr("all charts together"));
  for (const std::filesystem::path& path : {std::filesystem::path(program), asked})
    std::filesystem::remove(path);
}

TEST(Gnuplot, TimeAndOutputHaveAnEnd) {
  const GnuplotLimits limits{.time = std::chrono::milliseconds(300), .bytes = 100'000};
  // Sleeps with its output open, with its output closed, while it is being written to; writes for ever.
  for (const auto& [name, body, problem] :
       {std::tuple("sleeps", "exec sleep 20", "not done within 300 ms"),
        {"closes", "exec >&- <&-; exec sleep 20", "not done within 300 ms"},
        {"deaf", "exec sleep 20", "not done within 300 ms"},
        {"writes", "while :; do echo '<svg>'; done", ""}}) {
    const std::string program = script(name, body);
    const auto begin = std::chrono::steady_clock::now();
    const auto answer =
        drawn(program, std::string(name == std::string("deaf") ? 4'000'000 : 10, '\n'), limits);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << name;
    ASSERT_FALSE(answer.has_value()) << name;
    EXPECT_THAT(to_string(answer.error()), HasSubstr(problem)) << name;
    std::filesystem::remove(program);
  }
}

TEST(Svg, ShortenedKeepsTextAndMarks) {
  const std::string svg =
      "<svg \n width=\"10\"\n>\n<title>Gnuplot</title>\n<g id=\"gnuplot_canvas\">\n<defs>\n\n"
      "\t<circle id='gpPt5' r='1'/>\n\t<use xlink:href='#gpPt5' id='gpPt6'/>\n\t<path id='gpPt1' d='M0,0'/>\n"
      "<filter id='x'>\n</filter>\n</defs>\n<g fill=\"none\">\n</g>\n<g>\n<g>\n</g>\n</g>\n"
      "<text>say \"a  b\" &lt;c> </text>\n<use xlink:href='#gpPt6'/>\n</g>\n</svg>\n";
  const std::string out = shortened(svg);
  EXPECT_THAT(out, HasSubstr("<text>say \"a  b\" &lt;c> </text>"));
  EXPECT_THAT(out, HasSubstr("id='gpPt6'"));
  EXPECT_THAT(out, HasSubstr("id='gpPt5'"));  // the other is made of it
  EXPECT_THAT(out, Not(HasSubstr("gpPt1'")));
  EXPECT_THAT(out, Not(HasSubstr("<g></g>")));
  EXPECT_THAT(out, Not(HasSubstr("fill='none'></g>")));
  EXPECT_THAT(out, Not(HasSubstr("filter")));
}

TEST(Svg, DataOfAUriIsQuotedAndReadsBack) {
  EXPECT_EQ(uri_data("<g id='a' b=\"#\">100 % é&\n"), "%3Cg id='a' b=%22%23%22>100 %25 %C3%A9%26%0A");
}

std::string error_of(std::string_view text) {
  Content content;
  const auto read = read_document(text, "x.json", content);
  return read ? std::string() : to_string(read.error());
}

std::string judgement(std::string_view cells = "[]", std::string_view more = R"("runs": [],)") {
  return fmt::format(
      R"({{"command": "gonogo", "version": 1, "verdict": "GO", "decides": "c", "reasons": [], "warnings": [],
          "choices": [], "setups": [], "noise": [], "power": [], "comparisons": 0,
          "expected_false_wins": 0, "refused": [], "left_out": [],
          {} "cells": {}}})",
      more, cells);
}

std::string cell(int isl, std::string_view value) {
  return fmt::format(
      R"({{"cell": "m{0}", "model": "m", "workload": "-", "pd": "-", "isl": {0}, "osl": 8, "load": "c1",
          "infeasible": "", "decisions": [], "setups": [{{"setup": "c", "metrics": {{"tpot": {{"unit": "ms",
          "better": "lower", "median": {1}, "values": [{1}]}}}}}}]}})",
      isl, value);
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Read, RefusalsAreOneLineWithFileAndKey) {
  EXPECT_EQ(error_of(judgement()), "");
  EXPECT_EQ(error_of(judgement("[" + cell(1, "5") + "]")), "");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "x.json"},
      {"{", "x.json"},
      {"[]", "x.json: $: []: expected an object"},
      {"{}", "x.json: $.command: missing"},
      {R"({"command": 7})", "x.json: $.command: 7: expected a string"},
      {R"({"command": "verify"})", "x.json: $.command: \"verify\": no document for this page"},
      {R"({"command": "gonogo"})", "x.json: $.version: missing"},
      {R"({"command": "gonogo", "version": 2})", "x.json: $.version: 2: this page reads version 1"},
      {judgement("7"), "x.json: $.cells: 7: expected a list"},
      {judgement("[" + cell(1, "NaN") + "]"), "x.json"},
      {judgement("[" + cell(1, "1e999") + "]"), "x.json"},
      {judgement("[" + cell(1, "\"5\"") + "]"),
       "x.json: $.cells[0].setups[0].metrics.tpot.median: \"5\": expected a finite number"},
      {judgement("[" + cell(1, "null") + "]"),
       "x.json: $.cells[0].setups[0].metrics.tpot.median: null: expected a finite number"},
      {judgement("[" + cell(1, "5") + "," + cell(1, "5") + "]"),
       "x.json: $.cells[1].cell: \"m1\": a cell that the document has already"},
      {judgement("[" + cell(-1, "5") + "]"),
       "x.json: $.cells[0].isl: -1: expected a whole number, not negative"},
      {with(judgement(), "\"GO\"", "\"YES\""),
       "x.json: $.verdict: \"YES\": not one of GO, NO-GO, INCONCLUSIVE"},
      {with(judgement("[" + cell(1, "5") + "]"), "lower", "less"),
       "x.json: $.cells[0].setups[0].metrics.tpot.better: \"less\": not one of lower, higher"},
      {with(judgement(), R"("setups": [])",
            R"("setups": [{"setup": "c", "against": "a1", "verdict": "go"}])"),
       "x.json: $.setups[0].verdict: \"go\": not one of GO, NO-GO, INCONCLUSIVE"},
      {R"({"command": "plan-runs", "options": {"repeats": 3}, "gpu_hours": 1, "shards": 4})",
       "x.json: $.shards: 4: one shard of a plan"},
      {R"({"command": "simulate", "model": "m", "device": "d", "tp": 1, "pd": "1:1"})",
       "x.json: $.isl: missing"},
      {R"({"command": "cost"})", "x.json: $.lines: missing"},
      {R"({"command": "validate", "cells": [{"setup": "a"}]})", "x.json: $.cells[0].input_tokens: missing"},
      {R"({"command": "simulate", "model": "m"})", "x.json: $.device: missing"},
      {R"({"command": "plan-runs"})", "x.json: $.shards: missing"},
      {R"({"command": "sensitivity"})", "x.json: $.sensitivity: missing"},
  };
  for (const auto& [text, line] : wrong) {
    EXPECT_THAT(error_of(text), testing::StartsWith(line)) << text;
    EXPECT_THAT(error_of(text), Not(HasSubstr("\n"))) << text;
  }
}

TEST(Read, ListsHaveALimitThatIsSaid) {
  std::string cells = "[";
  for (int i = 0; i < 10'000; ++i) cells += (i == 0 ? "" : ",") + cell(i + 1, "5");
  EXPECT_THAT(error_of(judgement(cells + "]")),
              HasSubstr("x.json: $.cells: array of 10000: the page takes at most 4096"));
}

TEST(Read, APageHasOneJudgement) {
  Content content;
  ASSERT_TRUE(read_document(judgement(), "a.json", content).has_value());
  const auto second = read_document(judgement(), "b.json", content);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(to_string(second.error()), "b.json: $.command: \"gonogo\": a second judgement: a page has one");
}

TEST(Page, NothingAtAllIsAPage) {
  const auto made = page_of({}, {.title = kHostile, .gnuplot = "", .version = "0"});
  EXPECT_THAT(made.html, HasSubstr("No judgement"));
  EXPECT_THAT(made.html, Not(HasSubstr("<script")));
  EXPECT_EQ(made.undrawn, 0U);
}

TEST(Page, WithoutGnuplotTheNumbersAreThere) {
  Content content;
  ASSERT_TRUE(read_document(judgement("[" + cell(1, "5.25") + "]"), "a.json", content).has_value());
  const auto made = page_of(content, {.title = "", .gnuplot = "pageproof-no-such-program", .version = "0"});
  EXPECT_EQ(made.charts, 0U);
  EXPECT_EQ(made.undrawn, 1U);
  EXPECT_THAT(made.html, HasSubstr("pageproof-no-such-program is not installed or does not answer"));
  EXPECT_THAT(made.html, HasSubstr("<details open=\"open\">"));
  EXPECT_THAT(made.html, HasSubstr(">5.25</td>"));
}

TEST(Page, AVerdictOfSimulatedRunsSaysSo) {
  const auto run = [](bool simulated) {
    return fmt::format(R"({{"file": "r.json", "status": "VALID", "simulated": {}, "reasons": []}})",
                       simulated);
  };
  for (const auto& [runs, words] : {std::pair(run(true), "Of runs that are simulated"),
                                    {run(true) + "," + run(false), "1 of the 2 valid runs are simulated"},
                                    {run(false), ""}}) {
    Content content;
    const auto read = read_document(judgement("[]", "\"runs\": [" + runs + "],"), "a.json", content);
    ASSERT_TRUE(read.has_value()) << to_string(read.error());
    const Page made = page_of(content, {.title = "", .gnuplot = "", .version = "0"});
    EXPECT_EQ(made.html.find("class=\"simulated\"") != std::string::npos, *words != 0);
    EXPECT_THAT(made.html, HasSubstr(words));
  }
}

std::string study(double predicted, bool fitted) {
  return fmt::format(R"({{"command": "validate", "cells": [{{"setup": "c", "model": "m", "input_tokens": 4096,
      "output_tokens": 128, "load": 48, "fitted": {}, "tpot_ms": 10, "predicted_tpot_ms": {}}}]}})",
                     fitted, predicted);
}

TEST(Read, ACellOfTwoStudiesCountsOnce) {
  Content content;
  ASSERT_TRUE(read_document(study(9.87654, false), "calibrate.json", content).has_value());
  ASSERT_TRUE(read_document(study(9.876541, false), "validate.json", content).has_value());
  EXPECT_EQ(content.predictions.size(), 1U);
  const auto other = read_document(study(9.5, false), "other.json", content);
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(to_string(other.error()),
              HasSubstr("other.json: $.cells[0].predicted_tpot_ms: 9.5: another document"));
}

// One cell with b and one without: two charts, each with the axis of its own reference.
TEST(Charts, AnAxisNamesTheReferenceOfAllItsRows) {
  Content content;
  for (const char* other : {"b", "a1"}) {
    Cell one{.model = "m", .workload = "-", .pd = "-", .isl = 1024, .osl = 8, .load = "c1"};
    one.isl += content.cells.size();
    for (const char* name : {other, "c"}) {
      one.setups.push_back({.setup = name, .measured = {{"tpot", "ms", 5, {5}}}, .batch = {}});
    }
    content.cells.push_back(one);
  }
  const std::vector<Panel> panels = repeat_panels(content, "tpot");
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_THAT(panels[0].commands, HasSubstr("median of b,"));
  EXPECT_THAT(panels[1].commands, HasSubstr("median of a1,"));
}

TEST(Charts, BarsToOneSideStandOneAboveTheOther) {
  Content content;
  content.sensitivity.push_back(
      {.title = "t", .outcome = "o", .unit = "%", .at_default = 0, .swings = {{"p", "", 1, 2, 3, 5}}});
  EXPECT_THAT(sensitivity_panels(content).front().commands,
              AllOf(HasSubstr("0 1 0 3 0.64 1\n"), HasSubstr("0 1 0 5 1 1.3")));
  content.sensitivity[0].swings[0].at_low = -3;
  EXPECT_THAT(sensitivity_panels(content).front().commands, HasSubstr("0 1 -3 0 0.64 1.3"));
}

// Of simulated runs the parts are means, and so is what they are parts of.
TEST(Charts, PartsOfSimulatedRunsAreOfTheirMean) {
  Cell cell{.model = "m", .workload = "-", .pd = "-", .isl = 1024, .osl = 8, .load = "c1", .simulated = true};
  cell.setups.push_back(
      {.setup = "c",
       .measured = {{"ttft", "ms", 50, {50}}, {"mean_ttft", "ms", 80, {80}}, {"prefill", "ms", 70, {70}}},
       .batch = {}});
  Content content;
  content.cells.push_back(cell);
  const std::vector<Panel> panels = ttft_panels(content);
  ASSERT_EQ(panels.size(), 1U);
  EXPECT_EQ(panels[0].table.rows.front().back(), "10");
  EXPECT_THAT(panels[0].commands, HasSubstr("'80 ms'"));
}

// A judgement of 60 cells, five setups, three repeats each: the page stays small enough to be sent.
TEST(Page, SixtyCellsFitIntoAMegabyte) {
  if (!gnuplot_answers()) GTEST_SKIP() << "gnuplot is not installed";
  Content content;
  content.verdict = "NO-GO";
  content.decides = "c";
  for (int i = 0; i < 60; ++i) {
    Cell one{.model = "Qwen3-8B",
             .workload = "cold",
             .pd = "8:1",
             .isl = 1024U << (i % 4),
             .osl = 128U << (i / 4 % 5),
             .load = fmt::format("c{}", 48 + i / 20 * 16)};
    int number = 0;
    for (const char* name : {"a1", "a2", "b", "c", "d"}) {
      SetupCell setup{.setup = name, .measured = {}, .batch = 47.123};
      for (const char* metric : {"tpot", "ttft", "output_throughput", "p50_itl", "p99_itl", "prefill",
                                 "transfer", "convert", "first_step"}) {
        const double value = 10.1234 + i + 0.37 * ++number;
        setup.measured.push_back({metric, "ms", value, {value, value * 1.0123, value * 0.9876}});
      }
      one.setups.push_back(std::move(setup));
    }
    for (const char* setup : {"c", "d"}) {
      for (const char* comparator : {"a1", "a2", "b"}) {
        for (const char* by : {"rule A", "tpot", "ttft", "output_throughput"}) {
          one.squares.push_back(
              {setup, comparator, by, Mark::fail, -0.0123,
               by[0] == 'r' ? "TPOT TIE/NULL (-0.61 %), output throughput TIE/NULL (-2.04 %)" : ""});
        }
      }
    }
    content.cells.push_back(std::move(one));
  }
  const auto made = page_of(content, {.title = "", .gnuplot = "gnuplot", .version = "0"});
  EXPECT_LT(made.html.size(), 1'000'000U);
  EXPECT_GE(made.charts, 4 * kMostPanels);
}

}  // namespace
}  // namespace pageproof::page
