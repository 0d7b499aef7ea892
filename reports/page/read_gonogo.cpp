// The document of `pageproof gonogo --json`.
#include <array>
#include <charconv>
#include <set>
#include <tuple>

#include "reports/page/content.hpp"
#include "reports/page/fields.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kMostSetups = 64;     // of a cell, and of a judgement
constexpr std::size_t kMostMetrics = 64;    // of a setup
constexpr std::size_t kMostQuestions = 64;  // of a decision
// Metrics that the rules look at: the others are no questions.
constexpr std::array<std::string_view, 4> kRuleMetrics{"ttft", "tpot", "output_throughput",
                                                       "prefill_throughput"};

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

template <class Value, std::size_t N>
Value word_of(const Node& node, const std::array<Word<Value>, N>& words) {
  const std::string text = node.as_text();
  for (const Word<Value>& one : words) {
    if (one.word == text) return one.value;
  }
  std::string known;
  for (const Word<Value>& one : words) known += (known.empty() ? "" : ", ") + std::string(one.word);
  node.refuse("not one of " + known);
  return {};
}

// Nothing: decidable.
std::optional<Mark> status_of(const Node& node) {
  constexpr std::array<Word<std::optional<Mark>>, 6> kWords{{{"DECIDABLE", std::nullopt},
                                                             {"MISSING", Mark::missing},
                                                             {"INSUFFICIENT", Mark::insufficient},
                                                             {"KERNEL_UNKNOWN", Mark::kernel_unknown},
                                                             {"UNREACHABLE", Mark::unreachable},
                                                             {"INFEASIBLE", Mark::infeasible}}};
  return word_of(node, kWords);
}

Mark truth_of(const Node& node) {
  constexpr std::array<Word<Mark>, 3> kWords{
      {{"PASS", Mark::pass}, {"FAIL", Mark::fail}, {"UNKNOWN", Mark::open}}};
  return word_of(node, kWords);
}

std::string verdict_of(const Node& node) {
  constexpr std::array<Word<std::string_view>, 3> kVerdicts{
      {{"GO", "GO"}, {"NO-GO", "NO-GO"}, {"INCONCLUSIVE", "INCONCLUSIVE"}}};
  return std::string(word_of(node, kVerdicts));
}

Mark outcome_of(const Node& compared) {
  constexpr std::array<Word<Mark>, 3> kOutcomes{
      {{"WIN", Mark::win}, {"LOSS", Mark::loss}, {"TIE", Mark::null}}};
  constexpr std::array<Word<Mark>, 4> kTies{
      {{"SMALL", Mark::small}, {"NOISY", Mark::noisy}, {"NULL", Mark::null}, {"", Mark::null}}};
  const Mark mark = word_of(compared.at("outcome"), kOutcomes);
  return mark == Mark::null ? word_of(compared.at("tie"), kTies) : mark;
}

// A rule that fails by overlapping ranges alone has the letter for that.
Mark ruled(const Node& node) {
  const Mark mark = truth_of(node.at("outcome"));
  return mark == Mark::fail && node.flag("noisy") ? Mark::noisy : mark;
}

// One square a question, however many decisions ask it.
class Squares {
 public:
  explicit Squares(Cell& cell) : cell_(cell) {}
  void add(Square square) {
    if (known_.emplace(square.setup, square.comparator, square.by).second)
      cell_.squares.push_back(std::move(square));
  }

 private:
  Cell& cell_;
  std::set<std::tuple<std::string, std::string, std::string>> known_;
};

void read_decision(const Node& node, Cell& cell, Squares& squares) {
  constexpr std::array<Word<std::string_view>, 2> kRules{{{"A", "A"}, {"B", "B"}}};
  const std::string setup = node.text("setup"), against = node.text("against");
  const std::optional<Mark> status = status_of(node.at("status"));
  const std::string why = node.text("why");
  squares.add({setup, against, std::string(kAllRules), status ? *status : ruled(node), std::nullopt, why});
  if (status && cell.why.empty()) cell.why = why;
  for (const Node& question : node.list("questions", kMostQuestions)) {
    const std::string comparator = question.text("comparator");
    const std::optional<Mark> asked = status_of(question.at("status"));
    squares.add({setup, comparator, "rule " + std::string(word_of(question.at("rule"), kRules)),
                 asked ? *asked : ruled(question), std::nullopt,
                 question.text(asked ? "status_why" : "why")});
    for (const Node& compared : question.list("compared", kMostMetrics)) {
      const std::string metric = compared.text("metric");
      if (std::ranges::find(kRuleMetrics, metric) == kRuleMetrics.end()) continue;
      squares.add(
          {setup, comparator, metric, asked ? *asked : outcome_of(compared), compared.number("gain"), ""});
    }
  }
}

SetupCell read_setup(const Node& node) {
  constexpr std::array<Word<bool>, 2> kBetter{{{"lower", false}, {"higher", true}}};
  SetupCell setup{
      .setup = node.text("setup"), .measured = {}, .batch = node.number_or_none("effective_batch")};
  for (const auto& [metric, sample] : node.members("metrics", kMostMetrics)) {
    Measured measured{.metric = metric,
                      .unit = sample.text("unit"),
                      .centre = sample.number("median"),
                      .runs = {},
                      .higher_better = word_of(sample.at("better"), kBetter)};
    for (const Node& value : sample.list("values", kMostRepeats)) measured.runs.push_back(value.as_number());
    setup.measured.push_back(std::move(measured));
  }
  return setup;
}

Cell read_cell(const Node& node) {
  Cell cell{.model = node.text("model"),
            .workload = node.text("workload"),
            .pd = node.text("pd"),
            .isl = node.count("isl"),
            .osl = node.count("osl"),
            .load = node.text("load")};
  cell.why = node.text_or_none("infeasible");
  for (const Node& setup : node.list("setups", kMostSetups)) cell.setups.push_back(read_setup(setup));
  Squares squares(cell);
  for (const Node& decision : node.list("decisions", kMostSetups)) read_decision(decision, cell, squares);
  for (const Node& one : node.list_or_none("arrival_differences", kMostQuestions)) {
    cell.arrivals.push_back({.setup = one.text("setup"),
                             .comparator = one.text("comparator"),
                             .delta_ms = one.number("delta_ms"),
                             .arrival_ms = one.number_or_none("arrival_ms")});
  }
  return cell;
}

void read_cells(const Node& document, Content& content) {
  std::set<std::tuple<std::string, std::string, std::string, std::uint64_t, std::uint64_t, std::string>>
      known;
  for (const Node& node : document.list("cells", kMostCells)) {
    Cell cell = read_cell(node);
    if (!known.emplace(cell.model, cell.workload, cell.pd, cell.isl, cell.osl, cell.load).second) {
      node.at("cell").refuse("a cell that the document has already");
    }
    if (node.refused()) return;
    content.cells.push_back(std::move(cell));
  }
}

std::vector<Reason> read_reasons(const Node& document, const char* key) {
  std::vector<Reason> out;
  for (const Node& node : document.list(key, kMostRows))
    out.push_back({node.text("code"), node.text("text")});
  return out;
}

std::vector<std::string> read_texts(const Node& node, const char* key) {
  std::vector<std::string> out;
  for (const Node& one : node.list(key, kMostRows)) out.push_back(one.as_text());
  return out;
}

// A reason names its run; beside that name once is enough.
std::string without_name(const std::string& reason, const std::string& file) {
  return reason.starts_with(file + ": ") ? reason.substr(file.size() + 2) : reason;
}

void read_left_out(const Node& document, Content& content) {
  for (const Node& node : document.list("runs", kMostRows)) {
    ++content.runs_seen;
    std::string why;
    const std::string file = node.text("file");
    for (const std::string& reason : read_texts(node, "reasons"))
      why += (why.empty() ? "" : "; ") + without_name(reason, file);
    constexpr std::array<Word<bool>, 3> kStatus{{{"VALID", true}, {"INVALID", false}, {"UNPLACED", false}}};
    if (word_of(node.at("status"), kStatus)) {
      ++content.runs_valid;
      if (node.flag("simulated")) ++content.runs_simulated;
    } else {
      content.left_out.push_back({file, why});
    }
  }
  for (const char* key : {"refused", "left_out"}) {
    for (const Node& node : document.list(key, kMostRows)) {
      std::string why = node.text("key");
      const std::string value = node.text("value");
      if (!value.empty()) why += (why.empty() ? "" : ": ") + value;
      content.left_out.push_back({node.text("file"), why + (why.empty() ? "" : ": ") + node.text("problem")});
    }
  }
}

void read_noise(const Node& document, Content& content) {
  for (const Node& node : document.list("noise", kMostRows)) {
    content.noise.push_back({.setup = node.text("setup"),
                             .metric = node.text("metric"),
                             .cv = node.number("cv"),
                             .cells = node.count("cells"),
                             .runs = node.count("runs")});
  }
  for (const Node& node : document.list("power", kMostRows)) {
    content.power.push_back({.cv = node.number("cv"),
                             .runs = node.count("runs"),
                             .gain = node.number("gain"),
                             .win = node.number("win"),
                             .needed = node.number_or_none("repeats_needed"),
                             .best = node.number("best_repeats"),
                             .best_win = node.number("best_win")});
  }
  content.smallest_gain = document.number_or_none("smallest_gain");
  content.comparisons = document.count("comparisons");
  content.expected_false_wins = document.number("expected_false_wins");
}

}  // namespace

void read_gonogo(const Node& document, Content& content) {
  if (!content.verdict.empty()) return document.at("command").refuse("a second judgement: a page has one");
  if (document.number("version") != 1) document.at("version").refuse("this page reads version 1");
  content.verdict = verdict_of(document.at("verdict"));
  content.decides = document.text("decides");
  content.reasons = read_reasons(document, "reasons");
  content.warnings = read_reasons(document, "warnings");
  for (const Node& node : document.list("choices", kMostRows)) {
    content.choices.push_back({node.text("flag"), node.text("value"), node.text("meaning")});
    const Choice& choice = content.choices.back();
    double share = 0;
    const char* end = choice.value.data() + choice.value.size();
    if (choice.flag == "--theta" && std::from_chars(choice.value.data(), end, share).ptr == end)
      content.win_share = share;
  }
  for (const Node& node : document.list("setups", kMostSetups)) {
    content.setups.push_back({.setup = node.text("setup"),
                              .against = node.text("against"),
                              .word = verdict_of(node.at("verdict")),
                              .passed = node.count("passed"),
                              .failed = node.count("failed"),
                              .open = node.count("open"),
                              .undecidable = node.count("undecidable"),
                              .infeasible = node.count("infeasible"),
                              .reasons = read_texts(node, "reasons")});
  }
  read_cells(document, content);
  read_left_out(document, content);
  read_noise(document, content);
}

}  // namespace pageproof::page
