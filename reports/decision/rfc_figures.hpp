// Every figure of the RFC's text that arithmetic can give, computed, rounded as the RFC rounds it and
// compared; and what its rules imply beyond its text. A figure that needs an assumption which the RFC does
// not state says which; one that does not come out says what comes out; one that was measured is named as an
// input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reports/decision/formulas.hpp"

namespace pageproof::decision {

enum class FigureState : std::uint8_t {
  reproduces,       // from what the RFC states
  with_assumption,  // with something it does not state
  differs,          // does not come out
  measured,         // nothing to compute: an input
};
std::string_view to_string(FigureState state);

struct Figure {
  std::string name;     // "bytes.4k"
  bool of_rfc = true;   // false: follows from the RFC's rules, and is not in its text
  std::string says;     // what the RFC says (or, for what follows from it, what is asked)
  std::string formula;  // with the numbers in it
  std::string unit;
  double stated = 0;  // the RFC's number, or the one docs/cost.md gives; infinity: never
  double grain = 1;   // to what it is rounded
  double ours = 0;    // not rounded
  std::string assumption;
  bool differs = false;  // we say that it does not come out
  bool computed = true;

  bool comes_out() const;  // rounded to `grain`, ours is the stated one
  FigureState state() const;
};

// By topic: bytes, conversion, saving, break-even, asm, capacity, then what follows.
std::vector<Figure> rfc_figures(const Formulas& formulas = {});

// The figures that come out where their definition says that they do not, or the other way round.
std::vector<Figure> wrong_figures(const std::vector<Figure>& figures);

// RFC figure | formula | ours | assumption needed.
std::string figures_text(const std::vector<Figure>& figures);
std::string figures_markdown(const std::vector<Figure>& figures);
nlohmann::ordered_json figures_json(const std::vector<Figure>& figures);

// The three shapes of batch 32 to 64 and context 4k to 16k that fit one MI300X, with what the RFC says of
// them: the least and the most milliseconds of a conversion, and what a step saves against both comparators.
// The two savings at 64 x 4k are not in the RFC: they are those that give its upper ends, and lie between the
// others.
struct RfcShape {
  double batch = 0;
  double context = 0;
  double least_convert_ms = 0;
  double most_convert_ms = 0;
  double saving_fa_ms = 0;
  double saving_fastest_ms = 0;
};
std::vector<RfcShape> rfc_shapes();

// The step of unshuffled ROCM_AITER_FA on one MI300X by the prior of spec §5.1, in ms.
double fa_step_ms(double batch, double context);

}  // namespace pageproof::decision
