#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fuzz/serving/laws.hpp"
#include "model/serving/random.hpp"

namespace pageproof::fuzz_serving {
namespace {

// Draws one after another from a stream of the seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t whole(std::uint64_t least, std::uint64_t most) {
    return least + serving::random_bits(seed_, serving::Stream::cells, next_++) % (most - least + 1);
  }
  bool one_in(std::uint64_t n) { return whole(1, n) == 1; }
  double real(double least, double most) {  // evenly on a logarithmic scale
    return least * std::pow(most / least, serving::uniform(seed_, serving::Stream::cells, next_++));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

serving::Converter converter_of(Draws& draw) {
  const auto where = static_cast<serving::Conversion>(draw.whole(0, 3));
  serving::Converter converter = serving::torch_converter(where);
  converter.traffic = draw.real(1, 50);
  converter.launch_seconds = draw.one_in(2) ? 0 : draw.real(1e-6, 1e-4);
  converter.launches_overlap = draw.one_in(3);
  converter.coalesced = !draw.one_in(3);
  return converter;
}

}  // namespace

Scenario scenario_of(std::uint64_t seed) {
  Draws draw(seed);
  Scenario s{.seed = seed, .cell = {}, .options = {.seed = seed, .keep_steps = true}};
  serving::Deployment& d = s.cell.deployment;
  d.model = serving::model_presets()[draw.whole(0, serving::model_presets().size() - 1)];
  d.device = serving::device_presets().front();
  d.tp = 1U << draw.whole(0, 2);
  d.prefill_servers = static_cast<std::uint32_t>(draw.whole(1, 6));
  d.decoders = draw.one_in(3) ? static_cast<std::uint32_t>(draw.whole(2, 3)) : 1;
  d.prefill_flops_per_second = draw.real(1e14, 1e17);
  d.handover_seconds = draw.one_in(3) ? draw.real(1e-3, 0.1) : 0;
  d.link.bytes_per_second = draw.real(2e9, 1e11);
  d.link.descriptor_seconds = draw.real(1e-7, 4e-6);
  d.link.use = draw.one_in(2) ? serving::LinkUse::fair : serving::LinkUse::serial;
  d.link.merged = draw.one_in(4);
  d.link.run_blocks = static_cast<std::uint32_t>(draw.whole(1, 8));
  d.max_num_seqs = static_cast<std::uint32_t>(draw.one_in(3) ? draw.whole(1, 6) : draw.whole(16, 64));
  d.scheduler_steps = static_cast<std::uint32_t>(draw.one_in(3) ? draw.whole(1, 2) : 0);
  serving::Load& load = s.cell.load;
  load.requests = draw.whole(1, 80);
  load.input_tokens = static_cast<std::uint32_t>(draw.whole(1, 4000));
  load.output_tokens = static_cast<std::uint32_t>(draw.one_in(5) ? draw.whole(1, 2) : draw.whole(3, 60));
  load.length_spread = draw.one_in(2) ? 0.4 : 0;
  load.cached_share = draw.one_in(4) ? 0.5 : 0;
  if (!draw.one_in(3)) load.request_rate = draw.real(1, 200);
  load.burstiness = draw.one_in(2) ? 1 : draw.real(0.3, 10);
  if (draw.one_in(2)) load.max_concurrency = static_cast<std::uint32_t>(draw.whole(1, 40));
  if (draw.one_in(3)) d.kv_capacity_tokens = 1.5 * load.input_tokens + 120 + draw.real(1, 20'000);
  const std::size_t setups = serving::setup_presets().size();
  s.cell.setup = serving::setup_presets()[draw.whole(0, setups - 1)];
  s.cell.setup.converter = converter_of(draw);
  s.cell.setup.descriptors = serving::kDescriptors[draw.whole(0, 5)];
  if (draw.one_in(3)) s.options.noise = {0.02, 0.01, 0.1};
  return s;
}

std::string to_string(const Scenario& s) {
  const serving::Deployment& d = s.cell.deployment;
  const serving::Load& load = s.cell.load;
  return fmt::format(
      "scenario {}: {} TP {}, P:D {}:{}, setup {} converting {}, {} requests of {} + {} tokens, rate {}/s, "
      "concurrency "
      "{}, max_num_seqs {}",
      s.seed, d.model.key, d.tp, d.prefill_servers, d.decoders, s.cell.setup.name,
      to_string(s.cell.setup.converter.where), load.requests, load.input_tokens, load.output_tokens,
      load.request_rate, load.max_concurrency ? std::to_string(*load.max_concurrency) : "any",
      d.max_num_seqs);
}

}  // namespace pageproof::fuzz_serving
