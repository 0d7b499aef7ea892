// How long a decode step takes: T(B, Σctx) of one setup, for B running requests that hold Σctx tokens of KV.
// At one batch it is piecewise linear in Σctx, whether the numbers were measured (StepTable) or come from
// bytes over bandwidth (StepParameters), so a simulation asks both alike, in a few nanoseconds.
//
//   T = t0 + t_B·B' + W(B)/(t·β_w) + Σctx·kvb/(t·β_S) + t_AR + t_ARB·B      simulation spec §5.1
//
// B' is the batch that the captured graph is padded to, and β_S the bandwidth at which the setup's decode
// kernel reads KV: the asm kernel's once B'·H_q/t exceeds twice the compute units (spec §4.4).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/serving/model_shape.hpp"

namespace pageproof::serving {

inline constexpr std::uint32_t kMostBatch = 4096;  // max_num_seqs above this is refused

// A backend's two decode kernels: above and at or below the asm threshold. A backend with one has it twice.
struct DecodeKernel {
  std::string name = "ll4mi";  // below
  std::string asm_name = "ll4mi";
  double bytes_per_second = 3.05e12;  // of KV, a GPU
  double asm_bytes_per_second = 3.05e12;

  bool operator==(const DecodeKernel&) const = default;
};

// The kernels of the RFC's pilot, as §5.1 derives them: FA reads at 3.05 TB/s; the asm kernel takes 10.6 %
// less time than FA's, and 4.4 % less than unified's. Below the threshold nobody has a known gain.
DecodeKernel ll4mi_kernel();
DecodeKernel unified_kernel();
DecodeKernel shuffled_kernel();

struct StepParameters {
  double base_seconds = -1;  // t0; negative: 2 ms, or 2.5 ms with tp > 1
  double per_request_seconds = 0;
  double weight_bytes_per_second = 3.8e12;  // a GPU
  double all_reduce_seconds = 0;            // with tp > 1
  double all_reduce_per_request_seconds = 0;
  bool padded = true;  // decode graphs captured at vLLM's sizes

  bool operator==(const StepParameters&) const = default;
};

// The size that a captured graph has for this batch: 1, 2, 4, multiples of 8 to 256, of 16 to 512; above,
// none is captured and the batch is its own.
std::uint32_t padded_batch(std::uint32_t batch);

// AITER's rule, for head_dim 128: batch · query heads of a rank > 2 · compute units.
bool asm_engages(const ModelShape& model, const Device& device, std::uint32_t tp, std::uint32_t batch);

// Of one setup: rows of a measured table, in any order.
struct StepRow {
  std::string setup;
  std::uint32_t batch = 0;
  std::uint64_t context = 0;  // tokens of each request
  double step_ms = 0;
  std::size_t line = 0;  // of the file, for errors; 0: not from one
};

struct StepTable {
  std::string subject;  // the file
  std::vector<StepRow> rows;
};

// CSV with the header setup,batch,context,step_ms (in any order; other columns are passed over). Refused,
// with the line: not a number, not positive, a batch above kMostBatch, a row that stands twice, a file above
// 16 MiB.
Expected<StepTable> step_table_from_csv(std::string_view text, const std::string& subject);

enum class Outside : std::uint8_t {
  refused,       // a batch or context outside the measured rows has no time
  extrapolated,  // along the line through the two nearest rows
};

class StepTime {
 public:
  // Refused: a field that is not finite and positive (or not negative), tp that the query heads do not allow.
  static Expected<StepTime> parametric(const StepParameters& step, const DecodeKernel& kernel,
                                       const ModelShape& model, const Device& device, std::uint32_t tp,
                                       std::uint32_t most_batch);

  // Linear between the contexts of a batch, then linear between batches at one context: exact where the truth
  // is a + b·B + c·ctx + d·B·ctx. Refused: no row of that setup; with Outside::extrapolated a line that falls
  // to 0.
  static Expected<StepTime> measured(const StepTable& table, std::string_view setup, Outside outside,
                                     std::uint32_t most_batch);

  // Seconds of a step. A NaN: outside what was measured. @pre 1 <= batch <= most_batch()
  double seconds(std::uint32_t batch, double context_tokens) const {
    const Curve& curve = curves_[batch - 1];
    const Segment* segment = segments_.data() + curve.first;
    const Segment* const last = segment + curve.count - 1;
    while (segment != last && context_tokens > segment->to) ++segment;
    if (context_tokens < curve.from || context_tokens > last->to)
      return std::numeric_limits<double>::quiet_NaN();
    return segment->at_zero + segment->slope * context_tokens;
  }

  std::uint32_t most_batch() const { return static_cast<std::uint32_t>(curves_.size()); }

  // Why seconds() has no answer: names the nearest row of the table.
  Error outside(std::uint32_t batch, double context_tokens) const;

 private:
  struct Segment {
    double to = 0;  // tokens, all requests
    double at_zero = 0;
    double slope = 0;
  };
  struct Curve {
    std::size_t first = 0;
    std::size_t count = 0;
    double from = 0;
  };

  std::vector<Curve> curves_;  // of batch 1, 2, ...
  std::vector<Segment> segments_;
  StepTable table_;  // the setup's rows; empty when parametric
};

}  // namespace pageproof::serving
