#include "reports/silent/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace pageproof::silent {
namespace {

using nlohmann::ordered_json;

std::string conditions_of(const Cause& cause, std::string_view between) {
  std::vector<std::string> texts;
  for (const std::size_t i : cause.conditions) texts.push_back(conditions()[i].text);
  return fmt::format("{}", fmt::join(texts, between));
}

std::uint64_t accepted(const Counts& counts) {
  return counts.all() - counts[Fate::rejected];
}

std::string headline(const SilentSet& set) {
  const Counts& today = set.today;
  return fmt::format(
      "Of {} pairs of engines ({} distinct geometries) today's checks accept {}; {} of these read wrong "
      "bytes "
      "without a word, {} of them at default options. {} are right, {} raise at the first read, {} are "
      "refused.",
      grouped(set.pairs), grouped(set.geometries), grouped(accepted(today)), grouped(today[Fate::wrong]),
      grouped(set.today_by_flags[0][Fate::wrong]), grouped(today[Fate::right]), grouped(today[Fate::raises]),
      grouped(today[Fate::rejected]));
}

std::string proposed_line(const SilentSet& set) {
  std::uint64_t lost = 0;
  for (const auto& [rule, tally] : set.lost) lost += tally.pairs;
  std::uint64_t gained = 0;
  for (const auto& [sides, tally] : set.gained) gained += tally.pairs;
  return fmt::format(
      "Under the RFC's rules {} are accepted: {} right, {} wrong, {} raise. {} are gained, {} that are right "
      "today are lost.",
      grouped(accepted(set.proposed)), grouped(set.proposed[Fate::right]), grouped(set.proposed[Fate::wrong]),
      grouped(set.proposed[Fate::raises]), grouped(gained), grouped(lost));
}

ordered_json counts_json(const Counts& counts) {
  return {{"rejected", counts[Fate::rejected]},
          {"right", counts[Fate::right]},
          {"wrong", counts[Fate::wrong]},
          {"raises", counts[Fate::raises]}};
}

std::string counts_row(const char* name, const Counts& counts) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, grouped(counts[Fate::right]),
                     grouped(counts[Fate::wrong]), grouped(counts[Fate::raises]),
                     grouped(counts[Fate::rejected]));
}

std::string space_section(const SilentSet& set) {
  std::string text =
      "## The space\n\nA pair is a decode engine and a prefill engine of one model. Every engine of the list "
      "below is taken in all six\nKV-cache layouts and with every TP size and dtype of the model (bfloat16, "
      "float16, fp8). Block sizes are tokens,\nmanager/kernel where they differ; manager blocks are split "
      "alike for all backends.\n\n";
  for (const std::string& kind : kinds_of_engines()) text += "- " + kind + "\n";
  text += fmt::format(
      "\nThe decoder's pool has {} manager blocks, the prefill's {}; a request takes two blocks or more of "
      "either side, at\nscattered ids. `enable_permute_local_kv` and `enforce_handshake_compat` are counted "
      "both ways where they change\nsomething: layouts that differ with LBHNC on the prefill side; hashes "
      "that "
      "differ.\n\n",
      kDecodeBlocks, kPrefillBlocks);
  text +=
      "| model | decode engines | prefill engines | distinct geometries | pairs |\n|---|---|---|---|---|\n";
  for (const ModelCounts& model : set.models) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", model.name, model.decode, model.prefill,
                        grouped(model.geometries), grouped(model.pairs));
  }
  text += "\nNo engines, and so left out, of each side:\n\n";
  for (const auto& [why, engines] : set.left_out) text += fmt::format("- {}: {}\n", why, grouped(engines));
  return text;
}

std::string cause_lines(const SilentSet& set, const Cause& cause) {
  const Example example = example_of(set.extent, set.examples[cause.example]);
  std::string text =
      fmt::format("    prefill  {}\n    decode   {}\n", described(example.remote), described(example.local));
  text += fmt::format("    {}\n", story(example));
  if (example.bytes.wrong) {
    text += fmt::format("    first wrong byte: {}\n    gets {}\n", example.bytes.wrong->place,
                        example.bytes.wrong->got);
  }
  return text;
}

std::string mended_and_lost(const SilentSet& set) {
  std::string text = "## What becomes of them under the RFC's rules\n\n";
  text += proposed_line(set) + "\n\n| silent today | rule that refuses it | |\n|---|---|---|\n";
  for (const auto& [rule, tally] : set.mended) {
    text += fmt::format("| {} | `{}` | {} |\n", grouped(tally.pairs), rule, rule_in_words(rule));
  }
  text +=
      "\nA rule's name that is no reason (`match`, `convert`, `repack`) says that the pair is accepted and "
      "right.\n\n| right today, refused under the RFC | rule | |\n|---|---|---|\n";
  for (const auto& [rule, tally] : set.lost) {
    text += fmt::format("| {} | `{}` | {} |\n", grouped(tally.pairs), rule, rule_in_words(rule));
  }
  return text;
}

}  // namespace

std::string to_text(const SilentSet& set) {
  std::string text = headline(set) + "\n" + proposed_line(set) + "\n\n";
  for (const Cause& cause : set.cover.causes) {
    text += fmt::format("{}\n  {} pairs, {} by this cause alone\n", conditions_of(cause, ", and "),
                        grouped(cause.pairs), grouped(cause.alone));
    text += cause_lines(set, cause) + "\n";
  }
  for (const auto& [rule, tally] : set.lost) {
    text += fmt::format("lost    {:>9}  {}: {}\n", grouped(tally.pairs), rule, rule_in_words(rule));
  }
  for (const auto& [sides, tally] : set.gained) {
    const auto& [prefill, decode, how] = sides;
    text += fmt::format("gained  {:>9}  {} -> {} ({})\n", grouped(tally.pairs), prefill, decode, how);
  }
  text += fmt::format("\n{:.1f} s\n", set.seconds);
  return text;
}

std::string to_markdown(const SilentSet& set) {
  std::string text =
      "# Pairs that go wrong without a word\n\nGenerated by `pageproof handshake silent --markdown`. Right "
      "and "
      "wrong are decided on bytes: for every byte of a\nrequest's blocks, is it the byte that the decoder's "
      "reader looks for there? Tags are not asked.\n\n";
  text += headline(set) + "\n\n| today | right | wrong | raise | refused |\n|---|---|---|---|---|\n";
  text += counts_row("default options", set.today_by_flags[0]);
  text += counts_row("`enable_permute_local_kv`", set.today_by_flags[1]);
  text += counts_row("`enforce_handshake_compat` off", set.today_by_flags[2]);
  text += counts_row("both", set.today_by_flags[3]);
  text += counts_row("all", set.today);
  text +=
      "\n## Causes\n\nThe fewest conditions (a greedy cover) that are true of every silent pair and of no "
      "pair that is accepted and right.\n\n| conditions | silent pairs | by this cause alone "
      "|\n|---|---|---|\n";
  for (const Cause& cause : set.cover.causes) {
    text += fmt::format("| {} | {} | {} |\n", conditions_of(cause, "; "), grouped(cause.pairs),
                        grouped(cause.alone));
  }
  text += "\nOne pair of each, the plainest, and its first wrong byte:\n\n";
  for (const Cause& cause : set.cover.causes) {
    text += fmt::format("{}\n\n{}\n", conditions_of(cause, "; "), cause_lines(set, cause));
  }
  return text + mended_and_lost(set) + "\n" + space_section(set);
}

ordered_json to_json(const SilentSet& set) {
  ordered_json json = {{"extent", set.extent == Extent::full ? "full" : "quick"},
                       {"pairs", set.pairs},
                       {"geometries", set.geometries}};
  for (const ModelCounts& model : set.models) {
    json["models"].push_back({{"name", model.name},
                              {"decode", model.decode},
                              {"prefill", model.prefill},
                              {"geometries", model.geometries},
                              {"pairs", model.pairs}});
  }
  for (const auto& [why, engines] : set.left_out) json["left_out"][why] = engines;
  json["today"] = counts_json(set.today);
  json["today_at_default_options"] = counts_json(set.today_by_flags[0]);
  json["proposed"] = counts_json(set.proposed);
  json["proposed_without_backend_in_hash"] = counts_json(set.open);
  json["proposed_untagged_prefill"] = counts_json(set.untagged);
  json["inseparable"] = set.cover.inseparable;
  json["uncovered"] = set.cover.uncovered;
  for (const Cause& cause : set.cover.causes) {
    ordered_json texts = ordered_json::array();
    for (const std::size_t i : cause.conditions) texts.push_back(conditions()[i].text);
    json["causes"].push_back({{"conditions", texts}, {"pairs", cause.pairs}, {"alone", cause.alone}});
  }
  for (const auto& [rule, tally] : set.lost) json["lost"][rule] = tally.pairs;
  for (const auto& [rule, tally] : set.mended) json["mended"][rule] = tally.pairs;
  for (const auto& [name, gains] : {std::pair("gained", &set.gained), std::pair("opened", &set.opened)}) {
    for (const auto& [sides, tally] : *gains) {
      const auto& [prefill, decode, how] = sides;
      json[name].push_back({{"prefill", prefill}, {"decode", decode}, {"how", how}, {"pairs", tally.pairs}});
    }
  }
  return json;
}

}  // namespace pageproof::silent
