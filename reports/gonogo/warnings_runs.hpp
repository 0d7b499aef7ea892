// Warnings of the runs themselves, one kind each: files that contradict themselves, units, setups measured
// one after the other, mixed versions, tags that cannot be used.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

void disagreements(std::span<const Placed> runs, std::vector<Reason>& out);
std::optional<Reason> units(const Judgement& judgement);
std::optional<Reason> outliers(const Judgement& judgement);
std::optional<Reason> drift(std::span<const Placed> runs);
void mixed_versions(std::span<const Placed> runs, std::vector<Reason>& out);
void planned_batches(const Judgement& judgement, std::vector<Reason>& out);
void odd_tags(const Judgement& judgement, std::vector<Reason>& out);
void absent_keys(const Judgement& judgement, std::vector<Reason>& out);
std::optional<Reason> batches_apart(std::span<const Cell> cells);

}  // namespace pageproof::gonogo
