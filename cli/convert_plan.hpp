// What `convert` was asked, judged before any file is read: which two formats, whether the options go with
// them, and which way the bytes will go.
#pragma once

#include "cli/commands.hpp"
#include "model/page/format.hpp"

namespace pageproof::cli {

struct ConvertPlan {
  const page::PageFormat* from = nullptr;
  const page::PageFormat* to = nullptr;

  // Standard pages to shuffled planes, under any name of these orders: the pair that the converter serves.
  bool converter_pair() const;
  // And back: the other pair whose two sides `check` reads beside each other.
  bool checked_pair() const;
};

// Refused, naming the option: an unknown format, the landing, twice the same format, a format of K only,
// threads out of range, --in-place where there is no landing, --keep-source where nothing reads the output.
Expected<ConvertPlan> convert_plan(const ConvertOptions& options);

}  // namespace pageproof::cli
