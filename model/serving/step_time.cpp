#include "model/serving/step_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

// The rows of one batch, by context.
struct Line {
  std::uint32_t batch = 0;
  std::vector<const StepRow*> rows;

  double first() const { return static_cast<double>(rows.front()->context); }
  double last() const { return static_cast<double>(rows.back()->context); }

  // ms at this context, along the nearest two rows where it lies beyond them.
  double at(double context) const {
    if (rows.size() == 1) return rows.front()->step_ms;
    std::size_t right = 1;
    while (right + 1 < rows.size() && context > static_cast<double>(rows[right]->context)) ++right;
    const StepRow& a = *rows[right - 1];
    const StepRow& b = *rows[right];
    const double from = static_cast<double>(a.context), to = static_cast<double>(b.context);
    return a.step_ms + (b.step_ms - a.step_ms) * (context - from) / (to - from);
  }
};

std::vector<Line> lines_of(const StepTable& table) {
  std::vector<const StepRow*> rows;
  for (const StepRow& row : table.rows) rows.push_back(&row);
  std::ranges::sort(rows, [](const StepRow* a, const StepRow* b) {
    return std::pair(a->batch, a->context) < std::pair(b->batch, b->context);
  });
  std::vector<Line> lines;
  for (const StepRow* row : rows) {
    if (lines.empty() || lines.back().batch != row->batch) lines.push_back({row->batch, {}});
    lines.back().rows.push_back(row);
  }
  return lines;
}

// The two lines between which a batch lies (one where it has its own), or the nearest two beyond the table.
std::pair<const Line*, const Line*> around(const std::vector<Line>& lines, std::uint32_t batch) {
  const auto at = std::ranges::lower_bound(lines, batch, {}, &Line::batch);
  if (at != lines.end() && at->batch == batch) return {&*at, &*at};
  if (lines.size() == 1) return {&lines.front(), &lines.front()};
  if (at == lines.begin()) return {&lines[0], &lines[1]};
  if (at == lines.end()) return {&lines[lines.size() - 2], &lines.back()};
  return {&*(at - 1), &*at};
}

double between(const Line& low, const Line& high, std::uint32_t batch, double context) {
  if (&low == &high) return low.at(context);
  const double share =
      (static_cast<double>(batch) - low.batch) / (static_cast<double>(high.batch) - low.batch);
  return low.at(context) + (high.at(context) - low.at(context)) * share;
}

Expected<void> check_parameters(const StepParameters& step, const DecodeKernel& kernel, std::uint32_t tp,
                                const ModelShape& model, std::uint32_t most_batch) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  const auto not_negative = [](double value) { return std::isfinite(value) && value >= 0; };
  const std::pair<const char*, double> bandwidths[] = {
      {"kv bandwidth", kernel.bytes_per_second},
      {"asm kv bandwidth", kernel.asm_bytes_per_second},
      {"weight bandwidth", step.weight_bytes_per_second},
  };
  for (const auto& [name, value] : bandwidths) {
    if (!positive(value)) return refuse("step time", name, fmt::format("{} B/s", value), "not positive");
  }
  const std::pair<const char*, double> times[] = {
      {"seconds a request", step.per_request_seconds},
      {"all-reduce seconds", step.all_reduce_seconds},
      {"all-reduce seconds a request", step.all_reduce_per_request_seconds},
  };
  for (const auto& [name, value] : times) {
    if (!not_negative(value)) return refuse("step time", name, fmt::format("{} s", value), "negative");
  }
  if (!std::isfinite(step.base_seconds)) return refuse("step time", "base", "not finite", "not a number");
  if (tp == 0 || model.query_heads % tp != 0) {
    return refuse("tp", "", std::to_string(tp),
                  fmt::format("does not divide {}'s {} query heads", model.key, model.query_heads));
  }
  if (most_batch == 0 || most_batch > kMostBatch) {
    return refuse("max_num_seqs", "", std::to_string(most_batch), fmt::format("not 1 to {}", kMostBatch));
  }
  return {};
}

}  // namespace

DecodeKernel ll4mi_kernel() {
  return {};
}

DecodeKernel shuffled_kernel() {
  return {"ll4mi", "asm", 3.05e12, 3.05e12 / (1 - 0.106)};
}

DecodeKernel unified_kernel() {
  return {"unified", "unified", 3.05e12, 3.05e12 / (1 - 0.106) * (1 - 0.044)};
}

std::uint32_t padded_batch(std::uint32_t batch) {
  if (batch <= 2 || batch > 512) return batch;
  if (batch <= 4) return 4;
  const std::uint32_t step = batch <= 256 ? 8 : 16;
  return (batch + step - 1) / step * step;
}

bool asm_engages(const ModelShape& model, const Device& device, std::uint32_t tp, std::uint32_t batch) {
  const std::uint64_t heads = model.query_heads / tp;
  return model.head_dim == 128 && batch * heads > 2ULL * device.compute_units;
}

Expected<StepTime> StepTime::parametric(const StepParameters& step, const DecodeKernel& kernel,
                                        const ModelShape& model, const Device& device, std::uint32_t tp,
                                        std::uint32_t most_batch) {
  if (const auto ok = check_parameters(step, kernel, tp, model, most_batch); !ok) {
    return std::unexpected(ok.error());
  }
  StepTime time;
  const double base = step.base_seconds >= 0 ? step.base_seconds : (tp > 1 ? 2.5e-3 : 2e-3);
  for (std::uint32_t batch = 1; batch <= most_batch; ++batch) {
    const std::uint32_t padded = step.padded ? padded_batch(batch) : batch;
    const bool fast = asm_engages(model, device, tp, padded);
    const double bandwidth = fast ? kernel.asm_bytes_per_second : kernel.bytes_per_second;
    double seconds = base + step.per_request_seconds * padded +
                     step_weight_bytes(model, batch) / (tp * step.weight_bytes_per_second);
    if (tp > 1) seconds += step.all_reduce_seconds + step.all_reduce_per_request_seconds * batch;
    const double slope = kv_bytes_per_token_and_rank(model, tp) / bandwidth;
    time.curves_.push_back({time.segments_.size(), 1, 0});
    time.segments_.push_back({std::numeric_limits<double>::infinity(), seconds, slope});
  }
  return time;
}

Expected<StepTime> StepTime::measured(const StepTable& table, std::string_view setup, Outside outside,
                                      std::uint32_t most_batch) {
  if (most_batch == 0 || most_batch > kMostBatch) {
    return refuse("max_num_seqs", "", std::to_string(most_batch), fmt::format("not 1 to {}", kMostBatch));
  }
  StepTime time;
  time.table_.subject = table.subject;
  for (const StepRow& row : table.rows) {
    if (row.setup == setup) time.table_.rows.push_back(row);
  }
  if (time.table_.rows.empty()) return refuse(table.subject, "setup", std::string(setup), "has no row");
  const std::vector<Line> lines = lines_of(time.table_);
  const bool beyond = outside == Outside::extrapolated;
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::uint32_t batch = 1; batch <= most_batch; ++batch) {
    const auto [low, high] = around(lines, batch);
    const bool inside = low->batch <= batch && batch <= high->batch;
    const double from = std::max(low->first(), high->first()), to = std::min(low->last(), high->last());
    time.curves_.push_back({time.segments_.size(), 1, infinity});  // no time at all, unless filled below
    if ((!inside || from > to) && !beyond) {
      time.segments_.push_back({-infinity, 0, 0});
      continue;
    }
    std::vector<double> contexts;
    for (const Line* line : {low, high}) {
      for (const StepRow* row : line->rows) {
        const double context = static_cast<double>(row->context);
        if (beyond || (from <= context && context <= to)) contexts.push_back(context);
      }
    }
    std::ranges::sort(contexts);
    contexts.erase(std::ranges::unique(contexts).begin(), contexts.end());
    if (contexts.size() == 1) contexts.push_back(contexts.front() + 1);
    Curve& curve = time.curves_.back();
    curve.count = contexts.size() - 1;
    curve.from = beyond ? 0 : contexts.front() * batch;
    for (std::size_t i = 0; i + 1 < contexts.size(); ++i) {
      const double a = between(*low, *high, batch, contexts[i]) * 1e-3;
      const double b = between(*low, *high, batch, contexts[i + 1]) * 1e-3;
      const double slope = (b - a) / ((contexts[i + 1] - contexts[i]) * batch);
      const bool last = i + 2 == contexts.size();
      time.segments_.push_back(
          {beyond && last ? infinity : contexts[i + 1] * batch, a - slope * contexts[i] * batch, slope});
    }
    const Segment& first = time.segments_[curve.first];
    const Segment& final = time.segments_.back();
    if (beyond && (!(first.at_zero > 0) || final.slope < 0)) {
      const StepRow& row = *low->rows.front();
      return refuse(fmt::format("{}:{}", table.subject, row.line), fmt::format("step_ms at batch {}", batch),
                    fmt::format("{} ms", row.step_ms), "extrapolated, this setup's times would fall to 0");
    }
  }
  return time;
}

Error StepTime::outside(std::uint32_t batch, double context_tokens) const {
  const double context = context_tokens / batch;
  const StepRow* nearest = nullptr;
  double distance = 0;
  for (const StepRow& row : table_.rows) {
    const double by_batch = std::log(static_cast<double>(row.batch) / batch);
    const double by_context = std::log((static_cast<double>(row.context) + 1) / (context + 1));
    const double here = by_batch * by_batch + by_context * by_context;
    if (nearest == nullptr || here < distance) {
      nearest = &row;
      distance = here;
    }
  }
  if (nearest == nullptr) return {"step time", "context", fmt::format("{}", context_tokens), "not a number"};
  return {
      fmt::format("{}:{}", table_.subject, nearest->line), fmt::format("setup {}", nearest->setup),
      fmt::format("batch {}, context {:.0f} tokens", batch, context),
      fmt::format("is not between measured rows; the nearest is batch {}, context {} (--extrapolate goes on "
                  "along the line)",
                  nearest->batch, nearest->context)};
}

}  // namespace pageproof::serving
