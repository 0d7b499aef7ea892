// What `convert` was asked, judged before any file is read: which two formats, whether the options go with
// them, and which way the bytes will go.
#pragma once

#include "cli/commands.hpp"
#include "model/page/format.hpp"

namespace pageproof::cli {

struct ConvertPlan {
  const page::PageFormat* from = nullptr;
  const page::PageFormat* to = nullptr;
  bool rewrite = false;  // e4m3 to e4m3fnuz

  // Pages of heads or tokens first and shuffled planes, either way, under any name of these orders: what the
  // converter serves.
  bool converter_serves() const;
  bool to_planes() const;     // @pre converter_serves()
  bool tokens_first() const;  // @pre converter_serves()

  // Standard pages to shuffled planes, under any name of these orders: what `check` reads beside each other.
  bool converter_pair() const;
  // And back.
  bool checked_pair() const;
};

// Refused, naming the option: an unknown format, the landing, twice the same format, a format of K only,
// threads out of range, an unknown rewrite, --in-place where there is no landing, --keep-source where nothing
// reads the output.
Expected<ConvertPlan> convert_plan(const ConvertOptions& options);

}  // namespace pageproof::cli
