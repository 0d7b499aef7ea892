// A setup of the go/no-go: which kernel decodes, how pages travel, who converts them, what prefill pays. The
// presets a1, a2, b, c, d, e are the RFC's; every number in them can be overridden by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"
#include "model/serving/descriptors.hpp"
#include "model/serving/step_time.hpp"

namespace pageproof::serving {

enum class Conversion : std::uint8_t {
  none,
  step,   // on the step path: the next step of every running request waits for it
  side,   // on a stream beside it; the request joins at the first boundary after its event
  fused,  // on the step path, in one kernel a layer
};
std::string_view to_string(Conversion conversion);

struct Converter {
  Conversion where = Conversion::none;
  double traffic = 4;              // κ: bytes moved for each byte of KV; 4 to 6 by torch operations, 2 fused
  double bytes_per_second = 2e12;  // that it moves them at, a GPU
  double launch_seconds = 6e-6;    // a kernel's
  std::uint32_t launches_a_layer = 8;
  bool launches_overlap = false;   // the launches hide behind the bytes: the longer of both, not their sum
  bool coalesced = true;           // requests that arrive in one step share the launches
  double step_interference = 0.5;  // of `side`: the share of its bandwidth that running steps lose

  bool operator==(const Converter&) const = default;
};

// The torch converter and a single-pass kernel: spec §4.2.
Converter torch_converter(Conversion where);
Converter fused_converter();

// Seconds of one conversion of `kv_bytes` on a rank, without launches; and of its launches.
double conversion_bytes_seconds(const Converter& converter, double kv_bytes);
double conversion_launch_seconds(const Converter& converter, std::uint32_t layers);
// Both together: κ·V/BW + L·launches·t_launch (spec §1 F5), or the longer of them. 0 for Conversion::none.
double conversion_seconds(const Converter& converter, double kv_bytes, std::uint32_t layers);

struct Setup {
  std::string name;
  std::string prefill_backend;
  std::string decode_backend;
  DecodeKernel kernel;
  Descriptors descriptors = Descriptors::whole;
  Converter converter;
  double prefill_factor = 1;    // of the time of a prefill without cached tokens
  double extension_factor = 1;  // and of one with: shuffled pages cost a gather of the cached context

  bool operator==(const Setup&) const = default;
};

// a1 FA to FA; a2 unified to unified; b shuffled to shuffled; c FA to shuffled FA, converted; d unified to
// shuffled FA, converted; e a foreign prefill to shuffled FA, converted.
std::span<const Setup> setup_presets();
Expected<Setup> setup_preset(std::string_view name);

// One field by its name: "traffic", "convert", "convert-gb", "launch-us", "launches", "overlap", "coalesced",
// "interference", "kv-gb", "asm-kv-gb", "descriptors", "prefill-factor", "extension-factor". `convert` also
// takes the traffic, bandwidth and launches that belong to the place. Refused, naming `subject`: no such
// field, a value out of its range.
Expected<void> override_field(Setup& setup, std::string_view field, std::string_view value,
                              const std::string& subject);
std::string_view setup_fields();  // their names, for a message

}  // namespace pageproof::serving
