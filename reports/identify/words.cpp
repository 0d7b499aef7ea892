// How an identification reads: the verdict in a sentence, then what it rests on.
#include <fmt/format.h>

#include <algorithm>

#include "reports/identify/identify.hpp"

namespace pageproof::reports {
namespace {

constexpr std::size_t kRows = 12;  // of a list; the JSON document has all

// Never 100 where a byte is out of place.
double percent(double share) {
  return share < 1 ? std::min(99.9999, 100 * share) : 100;
}

std::string arrangement_note(const Identification& found, const Candidate& candidate) {
  if (found.two_tensors || candidate.format->regions == page::Regions::page) return "";
  return candidate.arrangement == Arrangement::side_by_side ? " (planes side by side in each block)"
                                                            : " (all K blocks, then all V blocks)";
}

std::string label(const Identification& found, const Answer& answer) {
  const Candidate& candidate = found.candidates[answer.candidate];
  std::string text = candidate.words + arrangement_note(found, candidate);
  if (!candidate.detail.empty()) text += fmt::format(" ({})", candidate.detail);
  return text;
}

std::string likeness_note(const Identification& found, Likeness likeness) {
  switch (likeness) {
    case Likeness::same_order:
      return "another name of the same order";
    case Likeness::same_place:
      return fmt::format("every element at the same byte for {} x={}{}", to_string(found.shape),
                         found.shape.granule_elements(),
                         found.compared_blocks == 1 && found.file_blocks == 1 ? " and one block" : "");
    case Likeness::same_data:
      return "other places, but this data holds equal bytes there";
    case Likeness::first:
      break;
  }
  return "";
}

bool plain(const Identification& found, const Answer& answer) {
  return found.candidates[answer.candidate].plain();
}

// The labels of the formats among the answers (or of the accidents), other names of one order left out,
// joined by "or".
std::string joined(const Identification& found, std::span<const Answer> answers, bool formats) {
  std::vector<std::string> labels;
  for (const Answer& answer : answers) {
    if (answer.likeness == Likeness::same_order) continue;
    if (plain(found, answer) == formats) labels.push_back(label(found, answer));
  }
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(labels.size(), kMost); ++i) text += (i == 0 ? "" : " or ") + labels[i];
  if (labels.size() > kMost) text += fmt::format(" or {} more", labels.size() - kMost);
  return text;
}

std::string order_of(const Candidate& candidate, Side side) {
  return bracketed(side == Side::key ? candidate.format->key : candidate.format->value);
}

// Is that side where the expected format has it?
bool is_right(const Identification& found, Side side) {
  if (found.expected == nullptr) return false;
  return std::ranges::any_of(found.side_answers[static_cast<std::size_t>(side)], [&](const Answer& answer) {
    return plain(found, answer) && found.candidates[answer.candidate].format->tag == found.expected->tag;
  });
}

// "0xA5" where all bytes of the element are that; else the element.
std::string constant_text(std::uint16_t element, std::uint64_t element_bytes) {
  const bool one_byte = element_bytes == 1 || element >> 8 == (element & 0xFF);
  return one_byte ? fmt::format("0x{:02X}", element & 0xFF) : fmt::format("0x{:04X}", element);
}

// "written [H, D, N] (classic-paged)"; an accident in its own words.
std::string side_words(const Identification& found, Side side) {
  const std::size_t s = static_cast<std::size_t>(side);
  const std::vector<Answer>& answers = found.side_answers[s];
  if (answers.empty()) {
    if (found.constant_side[s]) {
      return fmt::format("{} holds {} throughout: never written, or cleared", to_string(side),
                         constant_text(*found.constant_side[s], found.shape.element_bytes));
    }
    if (!found.closest_of_side[s]) return fmt::format("{} is in no format", to_string(side));
    const Candidate& closest = found.candidates[*found.closest_of_side[s]];
    return fmt::format("{} is in no format (closest: {}, {:.4f} % of its bytes in place)", to_string(side),
                       closest.words, percent(closest.of(side).share()));
  }
  const Candidate& first = found.candidates[answers.front().candidate];
  if (!first.plain()) return fmt::format("{}: {}", to_string(side), label(found, answers.front()));
  const bool right =
      found.expected != nullptr && std::ranges::any_of(answers, [&](const Answer& answer) {
        return plain(found, answer) && found.candidates[answer.candidate].format->tag == found.expected->tag;
      });
  if (right) return fmt::format("{} is right", to_string(side));
  return fmt::format("{} was written {}, as in {}", to_string(side), order_of(first, side),
                     joined(found, answers, true));
}

std::string compared(const Identification& found) {
  const std::uint64_t bytes = found.compared_blocks * found.shape.page_bytes();
  return fmt::format("{} blocks, {} bytes", found.compared_blocks, bytes);
}

// "Not aiter-shuffled as expected: K is right, V was written [H, D, N]. "
std::string unexpected_prefix(const Identification& found) {
  if (found.expected == nullptr || found.as_wanted()) return "";
  std::array<bool, 2> right{};
  for (const Side side : {Side::key, Side::value})
    right[static_cast<std::size_t>(side)] = is_right(found, side);
  if (found.answers.empty() || right[0] == right[1]) {
    return fmt::format("Not {} as expected. ", found.expected->tag);
  }
  const Side wrong = right[0] ? Side::value : Side::key;
  const Candidate& first = found.candidates[found.answers.front().candidate];
  return fmt::format("Not {} as expected: {} is right, {} was written {}. ", found.expected->tag,
                     to_string(right[0] ? Side::key : Side::value), to_string(wrong), order_of(first, wrong));
}

std::string misplaced_text(const Identification& found, std::size_t index) {
  const auto out = first_out_of_place(found, index);
  if (!out) return "";
  const char* tensor = !found.two_tensors ? "pages" : out->tensor == 0 ? "k_plane" : "v_plane";
  return fmt::format(
      "{}, byte {} of the element, should lie at byte {} of {}: expected 0x{:02X}, got 0x{:02X}",
      to_string(out->coordinate), out->byte_of_element, out->file_byte, tensor, out->expected, out->got);
}

bool matched_by_id(const Identification& found) {
  return !found.file.block_ids.empty();
}

std::string share_text(const Finding& finding) {
  if (!finding.judged) return "-";
  if (finding.holds()) return "all";
  // A share below 1 never reads as 100 %.
  const std::string text = fmt::format("{:.2f} %", std::min(100 * finding.share(), 99.99));
  return finding.all_bytes ? text : "~" + text;
}

}  // namespace

std::string to_sentence(const Identification& found) {
  const std::string prefix = unexpected_prefix(found);
  switch (found.verdict) {
    case Verdict::identified:
      return fmt::format("{}The pages are {}: every byte of K and V is in place ({}).", prefix,
                         label(found, found.answers.front()), compared(found));
    case Verdict::ambiguous: {
      std::string which = joined(found, found.answers, true);
      const auto hidden = std::ranges::count_if(found.answers, [&](const Answer& answer) {
        return !plain(found, answer) && answer.likeness == Likeness::same_data;
      });
      if (hidden != 0) which += fmt::format(", or one of {} accidents that this data hides", hidden);
      return fmt::format(
          "{}The pages may be {}: every byte is in place for each, and they cannot be told "
          "apart ({}).",
          prefix, which, compared(found));
    }
    case Verdict::sides_differ:
      return fmt::format("{}{}; {}. No catalogue format has both ({}).", prefix, side_words(found, Side::key),
                         side_words(found, Side::value), compared(found));
    case Verdict::accident: {
      if (found.answers.empty()) {
        return fmt::format("{}No catalogue format, but an accident: {}; {} ({}).", prefix,
                           side_words(found, Side::key), side_words(found, Side::value), compared(found));
      }
      const double written = found.candidates[found.answers.front().candidate].written;
      return fmt::format(
          "{}No catalogue format, but an accident: {}; every byte{} is explained ({}).", prefix,
          joined(found, found.answers, false),
          written < 1 ? fmt::format(" that it writes ({:.2f} % of the dump)", 100 * written) : "",
          compared(found));
    }
    case Verdict::unexplained:
      break;
  }
  std::string text = prefix + "No catalogue format maps the reference onto the file. ";
  const auto says_something = [&](std::size_t s) {
    return !found.side_answers[s].empty() || found.constant_side[s].has_value();
  };
  if (says_something(0) || says_something(1)) {
    text += fmt::format("{}; {}. ", side_words(found, Side::key), side_words(found, Side::value));
  }
  if (found.closest) {
    const Candidate& closest = found.candidates[*found.closest];
    const Count& key = closest.of(Side::key).count;
    const Count& value = closest.of(Side::value).count;
    const std::uint64_t tested = key.tested + value.tested;
    const std::uint64_t in_place = key.in_place + value.in_place;
    text += fmt::format("Closest: {}, {} of {} bytes out of place ({:.4f} % in place).", closest.words,
                        tested - in_place, tested,
                        percent(static_cast<double>(in_place) / static_cast<double>(tested)));
  }
  return text;
}

std::string to_text(const Identification& found) {
  std::string text = to_sentence(found) + "\n";
  if (found.closest) {
    text += fmt::format("First byte out of place: {}\n", misplaced_text(found, *found.closest));
  }
  text += fmt::format("\nPages      {} x={}, {} blocks in the file, {} in the reference, {} compared {}\n",
                      to_string(found.shape), found.shape.granule_elements(), found.file_blocks,
                      found.reference_blocks, found.compared_blocks,
                      matched_by_id(found) ? "by id" : "by position");
  const std::uint64_t alone = found.file_blocks - found.compared_blocks;
  if (alone != 0) text += fmt::format("Untested   {} blocks of the file have no counterpart\n", alone);
  if (!found.data_can_tell) {
    text += "Data       every block holds one value throughout: no order can be told from it\n";
  }
  std::size_t also = 0;
  for (const Answer& answer : found.answers) {
    if (answer.likeness == Likeness::first || ++also > kRows) continue;
    text += fmt::format("Also       {}: {}\n", label(found, answer), likeness_note(found, answer.likeness));
  }
  if (also > kRows) text += fmt::format("Also       {} more\n", also - kRows);
  if (found.shape.heads == 1) {
    text += "Invisible  with one head, a store that misses the head term leaves the same bytes\n";
  }
  if (found.file_blocks == 1) {
    text += "Invisible  with one block, a wrong block stride leaves the same bytes\n";
  }

  text += fmt::format("\n{:>9}  {:>9}  candidate\n", "K", "V");
  const std::vector<std::size_t> order = by_share(found);
  for (std::size_t row = 0; row < std::min(order.size(), kRows); ++row) {
    const Candidate& candidate = found.candidates[order[row]];
    text += fmt::format("{:>9}  {:>9}  {}{}\n", share_text(candidate.found[0]),
                        share_text(candidate.found[1]), candidate.words, arrangement_note(found, candidate));
  }
  if (order.size() > kRows) text += fmt::format("{:>9}  {:>9}  {} more\n", "", "", order.size() - kRows);
  for (const NotApplicable& other : found.not_applicable) {
    text += fmt::format("{:>20}  {}: {}\n", "not applicable", other.tag, other.rule);
  }
  text += "all: every byte of every compared block; a share with ~ is of a sample, others of all bytes\n";
  return text;
}

}  // namespace pageproof::reports
