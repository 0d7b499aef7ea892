// What the pages of two engines are to each other, and whether a handshake lets the pair through: by the tags
// where both are told, by the regions else. A capture is judged by all that it tells; what it cannot tell
// (its model, its dtype, its options, a tag) is taken as the pair needs it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/plan/request.hpp"
#include "model/page/plain/error.hpp"
#include "reports/plan/sides.hpp"

namespace pageproof::reports {

struct PagesFound {
  plan::Pages pages = plan::Pages::same;
  std::string words;
  std::vector<std::string> notes;  // what was assumed, and what a handshake says that the plan does not need
};

// `asked`: decides what pages are that no tag names. Refused: formats that no read brings together, with the
// RFC's rejection where that is the reason; one tag that is not standard beside none.
Expected<PagesFound> pages_of(const PlanParty& local, const PlanParty& remote,
                              std::optional<plan::Strategy> asked);

// One remote rank. Refused: what today's checks (pages of one format) or the RFC's (standard pages for
// planes) reject, and a permute that would take heads for tokens.
Expected<void> judged(const PlanParty& local, const PlanParty& remote, plan::Pages pages);

// The page format's tag; empty where a capture tells none.
std::string tag_of(const PlanParty& party);

}  // namespace pageproof::reports
