// The planner: where a read puts each element, what the pages become, and whether the checker sees what the
// bytes show.
#include <nlohmann/json.hpp>

#include "fuzz/laws/faulty.hpp"
#include "fuzz/plans/converted.hpp"
#include "fuzz/plans/elements.hpp"
#include "fuzz/plans/faults.hpp"
#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {
namespace {

// What is claimed of a plan; empty: it holds.
using JudgePlan = std::function<Verdict(const PlanCase&, const CasePair&, const plan::Plan&)>;

std::optional<Failure> tried(const std::string& name, const std::string& claim, const PlanCase& c,
                             const Planner& planner, const JudgePlan& judge) {
  const auto failure = [&](const Refutation& found) {
    return Failure{name, claim, to_string(c) + "   " + found.where, found.expected, found.got, ""};
  };
  const auto pair = pair_of(c);
  if (!pair) return failure({"pair", "planned", to_string(pair.error())});
  const auto made = planner(c, *pair);
  if (!made) return failure({"plan", "planned", to_string(made.error())});
  if (const auto found = judge(c, *pair, *made)) return failure(*found);
  return {};
}

nlohmann::json describe_case(Choices& choices, Domain domain) {
  return to_json(make_plan_case(choices, plan_extent(domain)));
}
nlohmann::json describe_conversion(Choices& choices, Domain domain) {
  return to_json(make_plan_case(choices, conversion_extent(domain)));
}

// plan.moves_the_right_elements

const std::string kMovesName = "plan.moves_the_right_elements";
const std::string kMovesClaim =
    "every element of the request's blocks is written once, by the remote element that the oracle puts "
    "there, "
    "and nothing else is";

RunCase moves_with(const Planner& planner) {
  return [planner](Choices& choices, Domain domain) {
    return tried(kMovesName, kMovesClaim, make_plan_case(choices, plan_extent(domain)), planner,
                 moves_the_right_elements);
  };
}

Property moves() {
  Property property{.name = kMovesName,
                    .claim = kMovesClaim,
                    .run = moves_with(shipped_planner()),
                    .describe = describe_case,
                    .mutants = {}};
  for (const PlanFault& fault : plan_faults())
    property.mutants.push_back({fault.name, fault.what, moves_with(faulty_planner(fault))});
  return property;
}

// plan.pages_become_the_oracles_planes

const std::string kBecomeName = "plan.pages_become_the_oracles_planes";
const std::string kBecomeClaim =
    "pages that are read by halves and converted in place, or staged and converted out of place, are the "
    "oracle's planes, and no other byte of the pool changes";

RunCase become_with(const Planner& planner, const Converter& converter) {
  return [planner, converter](Choices& choices, Domain domain) {
    return tried(kBecomeName, kBecomeClaim, make_plan_case(choices, conversion_extent(domain)), planner,
                 [&converter](const PlanCase& c, const CasePair& pair, const plan::Plan& plan) {
                   return converts_to_the_oracles_planes(c, pair, plan, converter);
                 });
  };
}

Property become() {
  Property property{
      .name = kBecomeName,
      .claim = kBecomeClaim,
      .run = become_with(shipped_planner(), production()),
      .describe = describe_conversion,
      .mutants = {{"landing_taken_as_sides", "the converter takes the halves for K and V",
                   become_with(shipped_planner(), faulty_converter(Fault::landing_taken_as_sides))},
                  {"reads_after_writing", "the converter writes before it has read the block",
                   become_with(shipped_planner(), faulty_converter(Fault::reads_after_writing))}},
      .quick_cases = 150};
  for (const PlanFault& fault : plan_faults()) {
    const bool concerns = fault.name == "second_half_at_the_start" || fault.name == "halves_exchanged" ||
                          fault.name == "first_blocks_at_a_prefix_hit" ||
                          fault.name == "blocks_before_regions" || fault.name == "last_pair_forgotten" ||
                          fault.name == "length_for_stride";
    if (!concerns) continue;
    property.mutants.push_back({fault.name, fault.what, become_with(faulty_planner(fault), production())});
  }
  return property;
}

// plan.checker_sees_what_the_bytes_show

const std::string kSeesName = "plan.checker_sees_what_the_bytes_show";
const std::string kSeesClaim =
    "the checker refuses a plan, spoiled or not, exactly where carrying it out leaves an element wrong";

// A checker without one of its rules.
RunCase sees_without(std::optional<plan::Rule> dropped) {
  return [dropped](Choices& choices, Domain domain) {
    PlanCase c = make_plan_case(choices, plan_extent(domain));
    const std::uint64_t fault = choices.below(plan_faults().size() + 1);
    const Planner planner = fault == 0 ? shipped_planner() : faulty_planner(plan_faults()[fault - 1]);
    return tried(
        kSeesName, kSeesClaim, c, planner,
        [&](const PlanCase& made, const CasePair& pair, const plan::Plan& plan) -> Verdict {
          const auto shown = moves_the_right_elements(made, pair, plan);
          const auto found = plan::check(pair.planned.request, plan, made.staging);
          const bool refused = found && found->rule != dropped;
          if (refused == shown.has_value()) return {};
          const std::string spoiled = fault == 0 ? "" : "   spoiled by " + plan_faults()[fault - 1].name;
          return Refutation{(shown ? shown->where : "every element is right") + spoiled,
                            shown ? "refused" : "holds",
                            found ? std::string(to_string(found->rule)) + ": " + found->text : "holds"};
        });
  };
}

nlohmann::json describe_spoiled(Choices& choices, Domain domain) {
  nlohmann::json json = describe_case(choices, domain);
  json["fault"] = choices.below(plan_faults().size() + 1);
  return json;
}

Property sees() {
  Property property{.name = kSeesName,
                    .claim = kSeesClaim,
                    .run = sees_without({}),
                    .describe = describe_spoiled,
                    .mutants = {},
                    .has_small = false,
                    .quick_cases = 600};
  for (const plan::Rule rule :
       {plan::Rule::as_many_rows, plan::Rule::lengths_equal, plan::Rule::local_inside,
        plan::Rule::remote_inside, plan::Rule::destinations_apart, plan::Rule::bytes_total,
        plan::Rule::request_only, plan::Rule::right_source}) {
    property.mutants.push_back({std::string("without_") + to_string(rule),
                                std::string("the checker lets pass: not ") + claim(rule),
                                sees_without(rule)});
  }
  return property;
}

const RegisteredProperty kMoves(moves());
const RegisteredProperty kBecome(become());
const RegisteredProperty kSees(sees());

}  // namespace
}  // namespace pageproof::fuzz
