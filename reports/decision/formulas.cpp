#include "reports/decision/formulas.hpp"

namespace pageproof::decision {
namespace {

using std::uint32_t;

FormulaFault fault(std::string name, std::string what, const std::function<void(Formulas&)>& break_it) {
  FormulaFault made{std::move(name), std::move(what), {}};
  break_it(made.formulas);
  return made;
}

void shift_asm_batch(Formulas& formulas, int by) {
  formulas.asm_batch = [by](const ModelShape& model, const Device& device, uint32_t tp, bool padded) {
    auto batch = serving::asm_batch(model, device, tp, padded);
    if (batch) *batch = static_cast<uint32_t>(static_cast<int>(*batch) + by);
    return batch;
  };
}

}  // namespace

std::vector<FormulaFault> formula_faults() {
  std::vector<FormulaFault> all;
  all.push_back(fault("bytes.one_side", "K counted, V forgotten", [](Formulas& f) {
    f.request_bytes = [](const ModelShape& m, double tokens) {
      return serving::request_bytes(m, tokens) / 2;
    };
  }));
  all.push_back(fault("bytes.query_heads", "query heads taken for KV heads", [](Formulas& f) {
    f.request_bytes = [](const ModelShape& m, double tokens) {
      return serving::request_bytes(m, tokens) * m.query_heads / m.kv_heads;
    };
  }));
  all.push_back(fault("traffic.no_rejoin", "joining the byte halves costs nothing: 6 becomes 4",
                      [](Formulas& f) { f.most_traffic = serving::kLeastTorchTraffic; }));
  all.push_back(fault("traffic.writes_only", "reads not counted: 4 becomes 2",
                      [](Formulas& f) { f.least_traffic = serving::kLeastTorchTraffic / 2; }));
  all.push_back(fault("conversion.seconds_for_ms", "a thousandth", [](Formulas& f) {
    f.conversion_ms = [](double bytes, double traffic, double bandwidth) {
      return serving::conversion_ms(bytes, traffic, bandwidth) / 1e3;
    };
  }));
  all.push_back(fault("break_even.one_request", "one running request pays, not all B", [](Formulas& f) {
    f.break_even = [](double, double convert, double saving) {
      return serving::break_even_tokens(1, convert, saving);
    };
  }));
  all.push_back(fault("break_even.upside_down", "B·s/c", [](Formulas& f) {
    f.break_even = [](double batch, double convert, double saving) {
      return serving::break_even_tokens(batch, saving, convert);
    };
  }));
  all.push_back(
      fault("counted.threshold_forgotten", "the break-even given for the 3 % rule", [](Formulas& f) {
        f.counted = [](double batch, double convert, double saving, double step) {
          return serving::counted_tokens(batch, convert, saving, step, 0);
        };
      }));
  all.push_back(fault("guard.of_the_comparator", "2 % of the unshuffled step", [](Formulas& f) {
    f.guard = [](double batch, double convert, double, double comparator) {
      return serving::guard_tokens(batch, convert, comparator);
    };
  }));
  all.push_back(fault("asm.at_least", "batch x heads >= 2 x CUs where AITER has >",
                      [](Formulas& f) { shift_asm_batch(f, -1); }));
  all.push_back(
      fault("asm.one_late", "the first batch above passed over", [](Formulas& f) { shift_asm_batch(f, 1); }));
  all.push_back(fault("asm.not_padded", "captured graphs ignored", [](Formulas& f) {
    f.asm_batch = [](const ModelShape& m, const Device& d, uint32_t tp, bool) {
      return serving::asm_batch(m, d, tp, false);
    };
  }));
  all.push_back(fault("asm.heads_of_all_ranks", "TP does not divide the query heads", [](Formulas& f) {
    f.asm_batch = [](const ModelShape& m, const Device& d, uint32_t, bool padded) {
      return serving::asm_batch(m, d, 1, padded);
    };
  }));
  all.push_back(fault("descriptors.whole_pages", "the two byte halves counted once",
                      [](Formulas& f) { f.regions_of_halves = 1; }));
  all.push_back(fault("capacity.no_margin", "100 % for 95 %", [](Formulas& f) { f.margin = 1; }));
  all.push_back(fault("capacity.one_rank", "TP does not divide weights and heads", [](Formulas& f) {
    f.capacity = [](const ModelShape& m, const Device& d, uint32_t, double batch, double tokens) {
      return serving::capacity_for(m, d, 1, MemoryUse{}, batch, tokens);
    };
  }));
  all.push_back(fault("launch.once", "launches of one layer for those of all", [](Formulas& f) {
    f.launch_floor_ms = [](uint32_t, double launches, double us) {
      return serving::launch_floor_ms(1, launches, us);
    };
  }));
  all.push_back(fault("prefill.no_attention", "only the weights' FLOPs", [](Formulas& f) {
    f.prefill_flops = [](const ModelShape& m, double tokens, double cached) {
      return m.flops_per_token * (tokens - cached);
    };
  }));
  return all;
}

}  // namespace pageproof::decision
