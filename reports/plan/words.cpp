#include "reports/plan/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/posted.hpp"

namespace pageproof::reports {
namespace {

using plan::Descriptor;

constexpr std::size_t kShownRows = 8;

// "1 block", "2 blocks".
std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3f}", seconds * 1e3);
}

std::string cost_line(const plan::Option& option) {
  if (!option.plan)
    return fmt::format("  {:<10}  not planned: {}\n", to_string(option.strategy), option.not_chosen);
  const plan::Cost& c = option.plan->cost;
  return fmt::format("  {:<10} {:>10} {:>10} {:>14} {:>14} {:>9} {:>9} {:>9} {:>9}{}\n",
                     to_string(option.strategy), c.planned, c.posted, c.bytes, c.staging_bytes,
                     milliseconds(c.post_seconds), milliseconds(c.link_seconds),
                     milliseconds(c.convert_seconds), milliseconds(c.seconds()),
                     option.not_chosen.empty() ? "" : "  " + option.not_chosen);
}

std::string rows_text(const plan::Source& source, const plan::Read& read) {
  const plan::Rows rows = rows_of(read);
  std::string text = fmt::format("rank {}: {} of rows, in the order in which NIXL pairs them\n", source.rank,
                                 counted(read.local_ids.size(), "pair"));
  const std::size_t shown = std::min(kShownRows, read.local_ids.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("  {:>10} {:#x} <- {:>10} {:#x}  {} B\n", read.local_ids[i], rows.local[i].address,
                        read.remote_ids[i], rows.remote[i].address, rows.local[i].bytes);
  }
  if (shown < read.local_ids.size())
    text += fmt::format("  and {} more (--csv, --json, --tuples)\n", read.local_ids.size() - shown);
  return text;
}

// Which posted transfer carries each pair.
std::vector<std::size_t> transfer_of(const plan::Read& read) {
  std::vector<std::size_t> transfers(read.local_ids.size());
  const auto list = plan::posted(read.local, read.local_ids, read.remote, read.remote_ids);
  for (std::size_t t = 0; t < list.size(); ++t) {
    for (std::uint64_t i = 0; i < list[t].pairs; ++i) transfers[list[t].position + i] = t;
  }
  return transfers;
}

void append_tuples(std::string& text, const char* name, const std::vector<Descriptor>& rows) {
  text += fmt::format("  \"{}\": [", name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}({}, {}, {})", i == 0 ? "" : ", ", rows[i].address,
                   rows[i].bytes, rows[i].device);
  }
  text += "],\n";
}

void append_ids(std::string& text, const char* name, const plan::BlockIds& ids, const char* end) {
  text += fmt::format("  \"{}\": [", name);
  for (std::size_t i = 0; i < ids.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : ", ", ids[i]);
  text += fmt::format("]{}\n", end);
}

struct List {
  std::vector<Descriptor> rows;
  plan::BlockIds ids;
};

List list_of(const plan::DescriptorTable& table, const plan::BlockIds& ids, bool all_rows) {
  if (all_rows) {
    List list{std::vector<Descriptor>(table.rows()), ids};
    table.fill(0, list.rows);
    return list;
  }
  plan::BlockIds used = ids;
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  List list{std::vector<Descriptor>(used.size()), {}};
  table.gather(used, list.rows);
  for (const std::uint64_t id : ids)
    list.ids.push_back(static_cast<std::uint64_t>(std::ranges::lower_bound(used, id) - used.begin()));
  return list;
}

std::uint64_t blocks_of(const plan::Request& request) {
  std::uint64_t count = 0;
  for (const plan::BlockIds& group : request.blocks.local) count += group.size();
  return count;
}

}  // namespace

std::string plan_text(const PlanAnswer& answer) {
  const plan::Request& request = answer.pair.request;
  std::string text =
      fmt::format("local    {}\nremote   {}\npages    {}\n", answer.local, answer.remote, answer.pair.pages);
  for (const std::string& note : answer.pair.notes) text += fmt::format("note     {}\n", note);
  if (request.blocks.empty()) {
    return text + "request  empty: every block is here already (full prefix hit); nothing is posted\n";
  }
  text +=
      fmt::format("request  {} in {}, {} of consecutive blocks, {}\n", counted(blocks_of(request), "block"),
                  counted(request.blocks.local.size(), "group"), counted(answer.plan().cost.runs, "run"),
                  counted(request.sources.size(), "source rank"));
  text +=
      fmt::format("\n  {:<10} {:>10} {:>10} {:>14} {:>14} {:>9} {:>9} {:>9} {:>9}\n", "strategy", "planned",
                  "posted", "bytes", "staging B", "post ms", "link ms", "conv. ms", "total ms");
  for (const plan::Option& option : answer.choice.options) text += cost_line(option);
  text += fmt::format("\nchosen   {}: {}\n", to_string(answer.plan().strategy), answer.because);
  for (std::size_t i = 0; i < request.sources.size(); ++i)
    text += rows_text(request.sources[i], answer.plan().reads[i]);
  return text + fmt::format("checked  {} rules hold\n", plan::kRules);
}

std::string plan_csv(const PlanAnswer& answer) {
  std::string text =
      "rank,position,local_id,local_address,local_device,remote_id,remote_address,remote_device,bytes,"
      "transfer\n";
  for (std::size_t s = 0; s < answer.plan().reads.size(); ++s) {
    const plan::Read& read = answer.plan().reads[s];
    const plan::Rows rows = rows_of(read);
    const std::vector<std::size_t> transfers = transfer_of(read);
    for (std::size_t i = 0; i < read.local_ids.size(); ++i) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n",
                     answer.pair.request.sources[s].rank, i, read.local_ids[i], rows.local[i].address,
                     rows.local[i].device, read.remote_ids[i], rows.remote[i].address, rows.remote[i].device,
                     rows.local[i].bytes, transfers[i]);
    }
  }
  return text;
}

std::string plan_tuples(const PlanAnswer& answer, bool all_rows) {
  std::string text = "[";
  for (std::size_t s = 0; s < answer.plan().reads.size(); ++s) {
    const plan::Read& read = answer.plan().reads[s];
    const List local = list_of(read.local, read.local_ids, all_rows);
    const List remote = list_of(read.remote, read.remote_ids, all_rows);
    text += fmt::format("{}{{\n  \"rank\": {},\n", s == 0 ? "" : ", ", answer.pair.request.sources[s].rank);
    append_tuples(text, "local_descs", local.rows);
    append_tuples(text, "remote_descs", remote.rows);
    append_ids(text, "local_ids", local.ids, ",");
    append_ids(text, "remote_ids", remote.ids, "}");
  }
  return text + "]\n";
}

}  // namespace pageproof::reports
