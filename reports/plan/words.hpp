// A plan for a person, for a spreadsheet, for Python, for a program.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/plan/request.hpp"
#include "reports/plan/sides.hpp"

namespace pageproof::reports {

struct PlanAnswer {
  PlannedPair pair;
  plan::Choice choice;    // every strategy that fits, with its cost
  std::size_t shown = 0;  // the option whose rows are shown
  std::string because;
  plan::Staging staging;
  std::string local;  // the engines, in a line each
  std::string remote;

  const plan::Plan& plan() const { return *choice.options[shown].plan; }
};

// Counts, costs, the first rows.
std::string plan_text(const PlanAnswer& answer);

// Takes a piece of a long text. False: it could not be written.
using PieceSink = std::function<bool(std::string_view piece)>;

// A line a pair: rank, ids, addresses, bytes, devices, and which posted transfer carries it. False where the
// sink was.
bool write_csv(const PlanAnswer& answer, const PieceSink& sink);

// A Python literal: a list of {"rank", "local_descs", "remote_descs", "local_ids", "remote_ids"}, where descs
// are lists of (address, length, device) for prep_xfer_dlist and ids lists for make_prepped_xfer. With
// `all_rows` the lists are whole and ids stand as they are; else they hold the request's rows alone, each row
// once, by id, and ids count in them.
bool write_tuples(const PlanAnswer& answer, bool all_rows, const PieceSink& sink);

// With `all_rows` also the whole lists.
nlohmann::ordered_json plan_json(const PlanAnswer& answer, bool all_rows);

}  // namespace pageproof::reports
