// One folded glossary: whoever is sent the page alone can read it.
#include <algorithm>
#include <array>
#include <string_view>

#include "reports/page/html.hpp"
#include "reports/page/sections.hpp"

namespace pageproof::page {
namespace {

struct Term {
  std::string_view term, meaning;
};
constexpr std::array<Term, 19> kTerms{{
    {"a1, a2",
     "plain pages on both sides, nothing converted: flash attention (a1) or the unified kernel (a2) "
     "decodes"},
    {"b", "shuffled pages on both sides, nothing converted: prefill and decode with AITER"},
    {"c",
     "the prefill with plain pages, the decoder with shuffled ones; the decoder converts what it receives"},
    {"d", "as c, with the unified kernel in the prefill: two backends"},
    {"e, e0", "an NVIDIA prefill: e with a shuffled decoder, e0 with an unshuffled one"},
    {"isl, osl", "tokens of the prompt (input), and tokens that a request generates (output)"},
    {"c64, r6", "the load: 64 requests at once; 6 requests a second"},
    {"P:D", "prefill servers to decoders"},
    {"cold, hit", "no prompt is cached before; part of every prompt is"},
    {"rule A",
     "against a1 and a2: at equal TTFT, TPOT or output throughput is won, and the other of the two is not "
     "lost"},
    {"rule B",
     "against b: TTFT or prefill throughput is won, and the median TPOT is hardly worse (the guard; 2 % "
     "where nothing else was chosen)"},
    {"WIN, LOSS",
     "the medians differ by enough (3 % where nothing else was chosen), and every repeat of one side is "
     "better than every repeat of the other"},
    {"TIE",
     "neither. SMALL: the repeats do not overlap, the medians differ by too little. NOISY: the medians "
     "differ "
     "enough, the repeats overlap. NULL: neither holds"},
    {"KERNEL_UNKNOWN, KERNEL_WRONG",
     "nobody recorded which decode kernel ran, so that a shuffled cell may have run the slow one; another "
     "than "
     "asm ran"},
    {"asm, ll4mi",
     "decode kernels of AITER: asm is the fast one, which needs shuffled pages and a large enough batch; "
     "ll4mi "
     "runs otherwise"},
    {"TTFT, TPOT, ITL",
     "time to the first token of a request; mean time of each token after it; the gaps between tokens as the "
     "client sees them"},
    {"CV", "coefficient of variation: the sample deviation of repeats as a share of their mean"},
    {"\u03ba, 4\u00d7",
     "traffic of the conversion: bytes moved for each byte of KV. 2: read once, written once; 4 and 6: what "
     "general tensor operations take"},
    {"held out", "a cell that the model did not see when it was fitted"},
}};

}  // namespace

Section words(const Content& content) {
  const bool any = !content.cells.empty() || content.plan || !content.figures.empty() ||
                   !content.predictions.empty() || !content.sensitivity.empty();
  if (!any) return {"words", "Words", {}};
  Table table;
  table.columns = {{"word"}, {"meaning", Holds::text}};
  for (const Term& one : kTerms) table.rows.push_back({escaped(one.term), escaped(one.meaning)});
  return {"words", "Words", details("What the names and letters of this page mean", html_of(table))};
}

}  // namespace pageproof::page
