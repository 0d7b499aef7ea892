#include "reports/receive/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {

Checked Checker::run(std::string_view text) {
  Reader reader(text, subject_);
  while (const std::optional<Line> line = reader.next()) {
    std::optional<Error> refused = line->refused;
    bool usable = line->usable;
    if (usable) {
      ++checked_.events;
      if (auto also = one(line->event)) {
        refused = std::move(also);
        usable = false;
      }
    }
    if (refused) {
      ++checked_.refused_lines;
      if (checked_.refused.size() < kShownRefusals) checked_.refused.push_back(*std::move(refused));
    }
    if (usable) continue;
    if (unread_ == 0) unread_ = line->event.line;
    nobody_known_ = nobody_known_ || line->no_object;
    if (!line->event.request.empty()) doubt(line->event.request);
  }
  checked_.truncated = reader.truncated();
  sum_up();
  return std::move(checked_);
}

void Checker::sum_up() {
  const auto add = [](Open& open, std::size_t line) {
    open.line = open.count == 0 ? line : std::min(open.line, line);
    ++open.count;
  };
  checked_.doubted = doubted_.size();
  for (const auto& [id, request] : requests_) {
    add(checked_.unfreed, request.allocated.line);
    for (const auto& [handle, read] : request.outstanding) add(checked_.unended, read.post.line);
  }
  for (const auto& [id, freed] : freed_) {
    if (freed.awaits_reads && !freed.told) add(checked_.untold, freed.allocated_line);
  }
}

Checker::Refused Checker::refuse(const Event& event, const char* field, std::string value,
                                 std::string problem) const {
  return Error{fmt::format("{}: line {}", subject_, event.line), field, std::move(value), std::move(problem)};
}

void Checker::breaks(const Named& rule, const Event& event, std::string what, std::vector<std::size_t> lines,
                     std::string missing_edge) {
  if (checked_.broken) return;
  lines.push_back(event.line);
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  checked_.broken = Broken{std::string(rule.name),
                           std::string(rule.claim),
                           fmt::format("request {}: {}", event.request, std::move(what)),
                           std::move(missing_edge),
                           std::move(lines),
                           unread_};
}

std::string Checker::missing(const Touch& first, const Event& event, std::string_view how) const {
  return fmt::format("line {} ({}) before line {} ({}): {}", first.line, to_string(first.kind), event.line,
                     to_string(event.kind), how);
}

// What it holds is free for others, and its blocks hold nobody knows what.
void Checker::doubt(const std::string& id) {
  doubted_.insert(id);
  freed_.erase(id);
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  for (const auto& [number, given] : found->second.given) {
    Block& block = blocks_[number];
    block.holders.erase(id);
    if (given.own) block = Block{.holders = std::move(block.holders), .unknown = true};
  }
  requests_.erase(found);
}

Checked check_log(std::string_view text, const std::string& subject) {
  return Checker(subject).run(text);
}

}  // namespace pageproof::receive_log
