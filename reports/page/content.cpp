#include "reports/page/content.hpp"

#include <algorithm>
#include <array>

namespace pageproof::page {
namespace {

struct Sign {
  char letter;
  std::string_view name, meaning;
};
constexpr std::array<Sign, kMarks> kSigns{{
    {'W', "win", "won: the medians differ enough, and every repeat is better"},
    {'L', "loss", "lost: the mirror of a win"},
    {'S', "small", "tie: every repeat is better (or worse), but the medians differ by less than what counts"},
    {'N', "noisy", "tie: the medians differ enough, but the repeats overlap"},
    {'=', "null", "tie: the medians differ by less than what counts, and the repeats overlap"},
    {'P', "pass", "the rule holds"},
    {'F', "fail", "the rule does not hold"},
    {'?', "open", "measured, but not known"},
    {'M', "missing", "one side has no file"},
    {'I', "insufficient", "too few valid runs"},
    {'K', "kernel", "nobody recorded which decode kernel ran"},
    {'U', "unreachable", "fewer requests decoded at once than the plan asks (--reach)"},
    {'X', "infeasible", "does not fit into the decoder's memory"},
    {'D', "decisive", "decisive: what a run would show counts"},
    {'~', "undecidable", "undecidable: nothing would count"},
}};

}  // namespace

char letter_of(Mark mark) {
  return kSigns[static_cast<std::size_t>(mark)].letter;
}
std::string_view class_of(Mark mark) {
  return kSigns[static_cast<std::size_t>(mark)].name;
}
std::string_view meaning_of(Mark mark) {
  return kSigns[static_cast<std::size_t>(mark)].meaning;
}

const Measured* SetupCell::find(std::string_view metric) const {
  const auto found = std::ranges::find(measured, metric, &Measured::metric);
  return found == measured.end() ? nullptr : &*found;
}

}  // namespace pageproof::page
