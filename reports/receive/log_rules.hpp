// Rules that a log can break and the model has no words for: the model has one fixed set of blocks a request,
// which READs fill whole. Those of the model are named as there (model/receive/rules.hpp).
#pragma once

#include <string_view>

#include "model/receive/names.hpp"

namespace pageproof::receive_log {

struct Named {
  std::string_view name;
  std::string_view claim;
};

inline Named named(receive::Rule rule) {
  return {receive::to_string(rule), receive::claim_of(rule)};
}

inline constexpr Named kReadNotFenced{"read_not_fenced", "a kernel uses received bytes behind a fence"};
inline constexpr Named kDigestOfConverted{
    "digest_of_converted",
    "a digest that the sender's is compared with is taken between the reads and the conversion"};
inline constexpr Named kReportedBeforeReadsEnd{
    "reported_before_reads_end", "a request is reported received when all its reads have ended"};
inline constexpr Named kUnreadConverted{"unread_converted",
                                        "a conversion takes pages that a read has filled"};
inline constexpr Named kLocalConverted{"local_converted",
                                       "pages that this engine filled itself are not converted"};
inline constexpr Named kOtherGroupConverted{"other_group_converted",
                                            "a layer is converted in the blocks of its own group alone"};
inline constexpr Named kNotOwnWritten{
    "not_own_written", "reads, conversions and overwrites go into the request's own blocks alone"};
inline constexpr Named kOverwrittenAfterFill{"overwritten_after_fill",
                                             "nothing overwrites a block behind what fills it"};
inline constexpr Named kUnfilledDecoded{"unfilled_decoded",
                                        "no decode step reads a block before what fills it here has run"};

}  // namespace pageproof::receive_log
