#include "cli/convert_plan.hpp"

#include <fmt/format.h>

#include "reports/pages/stored.hpp"

namespace pageproof::cli {
namespace {

std::unexpected<Error> usage(const std::string& option, const std::string& value, std::string problem) {
  return std::unexpected(Error{option, value, "", std::move(problem)});
}

// "landing" is no format to convert from or to, but what --in-place goes through.
Expected<const page::PageFormat*> known_format(const std::string& option, const std::string& tag) {
  if (tag == "landing") return usage(option, tag, "a function of the byte, no page format; see --in-place");
  const auto found = page::find_format(tag);
  if (!found) return usage(option, tag, found.error().problem);
  if ((*found)->key_only()) {
    return usage(
        option, tag,
        "holds K only (an indexer's, or one part of MLA), so not the elements of any pages with K and V");
  }
  return *found;
}

Expected<void> checked_threads(const ConvertOptions& options) {
  if (options.threads >= 1 && options.threads <= kMostThreads) return {};
  return usage("--threads", std::to_string(options.threads), fmt::format("not 1 to {}", kMostThreads));
}

Expected<void> checked_in_place(const ConvertOptions& options) {
  const bool lands = options.from == "standard" || options.from == "standard-nhd";
  if (!options.in_place || (lands && options.to == "aiter-shuffled")) return {};
  return usage("--in-place", options.to,
               "only standard and standard-nhd pages have a landing, in the planes of --to aiter-shuffled");
}

Expected<void> checked_rewrite(const ConvertOptions& options) {
  if (options.rewrite.empty()) return {};
  if (options.rewrite != kE4m3ToE4m3fnuz) {
    return usage("--rewrite", options.rewrite, fmt::format("not {}", kE4m3ToE4m3fnuz));
  }
  if (options.keep_source) {
    return usage("--keep-source", "--rewrite " + options.rewrite,
                 "`check` compares bytes, and the rewrite changes some; give one of the two");
  }
  return {};
}

Expected<void> checked_keep_source(const ConvertOptions& options, const ConvertPlan& plan) {
  if (!options.keep_source) return {};
  if (!plan.converter_pair() && !plan.checked_pair()) {
    return usage("--keep-source", fmt::format("{} to {}", options.from, options.to),
                 "`check` reads standard beside shuffled planes, no other two formats in one file");
  }
  if (!plan.converter_pair() && options.blocks) {
    return usage("--keep-source", "--blocks " + *options.blocks,
                 "planes that were only partly converted back cannot be checked; give one of the two");
  }
  return {};
}

}  // namespace

bool ConvertPlan::converter_serves() const {
  const auto pages = [](const page::PageFormat& format) {
    return format.tag == "standard" || format.tag == "standard-nhd";
  };
  return (pages(*from) && reports::has_shuffled_axes(*to)) ||
         (reports::has_shuffled_axes(*from) && pages(*to));
}

bool ConvertPlan::to_planes() const {
  return to->regions == page::Regions::planes;
}

bool ConvertPlan::tokens_first() const {
  return (to_planes() ? from : to)->tag == "standard-nhd";
}

bool ConvertPlan::converter_pair() const {
  return from->tag == "standard" && reports::has_shuffled_axes(*to);
}

bool ConvertPlan::checked_pair() const {
  return reports::has_shuffled_axes(*from) && to->tag == "standard";
}

Expected<ConvertPlan> convert_plan(const ConvertOptions& options) {
  const auto from = known_format("--from", options.from);
  if (!from) return std::unexpected(from.error());
  const auto to = known_format("--to", options.to);
  if (!to) return std::unexpected(to.error());
  if (*from == *to) return usage("--to", options.to, "the same format as --from: nothing to convert");
  const ConvertPlan plan{*from, *to, !options.rewrite.empty()};
  if (const auto good = checked_threads(options); !good) return std::unexpected(good.error());
  if (const auto good = checked_in_place(options); !good) return std::unexpected(good.error());
  if (const auto good = checked_rewrite(options); !good) return std::unexpected(good.error());
  if (const auto good = checked_keep_source(options, plan); !good) return std::unexpected(good.error());
  return plan;
}

}  // namespace pageproof::cli
