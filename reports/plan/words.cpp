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

// Text that goes to the sink in pieces, so that a long table needs no second copy of itself.
class Pieces {
 public:
  explicit Pieces(const PieceSink& sink) : sink_(sink) {}

  std::string& text() { return text_; }
  // Between two lines or entries.
  void pass() {
    if (text_.size() >= kPieceBytes) flush();
  }
  // False: some piece could not be written.
  bool finish() {
    flush();
    return written_;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

  void flush() {
    written_ = written_ && (text_.empty() || sink_(text_));
    text_.clear();
  }
  const PieceSink& sink_;
  std::string text_;
  bool written_ = true;
};

void append_tuples(Pieces& out, const char* name, const std::vector<Descriptor>& rows) {
  out.text() += fmt::format("  \"{}\": [", name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::format_to(std::back_inserter(out.text()), "{}({}, {}, {})", i == 0 ? "" : ", ", rows[i].address,
                   rows[i].bytes, rows[i].device);
    out.pass();
  }
  out.text() += "],\n";
}

void append_ids(Pieces& out, const char* name, const plan::BlockIds& ids, const char* end) {
  out.text() += fmt::format("  \"{}\": [", name);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    fmt::format_to(std::back_inserter(out.text()), "{}{}", i == 0 ? "" : ", ", ids[i]);
    out.pass();
  }
  out.text() += fmt::format("]{}\n", end);
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

bool write_csv(const PlanAnswer& answer, const PieceSink& sink) {
  Pieces out(sink);
  out.text() =
      "rank,position,local_id,local_address,local_device,remote_id,remote_address,remote_device,bytes,"
      "transfer\n";
  for (std::size_t s = 0; s < answer.plan().reads.size(); ++s) {
    const plan::Read& read = answer.plan().reads[s];
    const auto transfers = plan::posted(read.local, read.local_ids, read.remote, read.remote_ids);
    std::size_t transfer = 0;
    for (std::size_t i = 0; i < read.local_ids.size(); ++i) {
      while (transfer + 1 < transfers.size() && transfers[transfer + 1].position <= i) ++transfer;
      const Descriptor local = read.local.row(read.local_ids[i]),
                       remote = read.remote.row(read.remote_ids[i]);
      fmt::format_to(std::back_inserter(out.text()), "{},{},{},{},{},{},{},{},{},{}\n",
                     answer.pair.request.sources[s].rank, i, read.local_ids[i], local.address, local.device,
                     read.remote_ids[i], remote.address, remote.device, local.bytes, transfer);
      out.pass();
    }
  }
  return out.finish();
}

bool write_tuples(const PlanAnswer& answer, bool all_rows, const PieceSink& sink) {
  Pieces out(sink);
  out.text() = "[";
  for (std::size_t s = 0; s < answer.plan().reads.size(); ++s) {
    const plan::Read& read = answer.plan().reads[s];
    const List local = list_of(read.local, read.local_ids, all_rows);
    const List remote = list_of(read.remote, read.remote_ids, all_rows);
    out.text() +=
        fmt::format("{}{{\n  \"rank\": {},\n", s == 0 ? "" : ", ", answer.pair.request.sources[s].rank);
    append_tuples(out, "local_descs", local.rows);
    append_tuples(out, "remote_descs", remote.rows);
    append_ids(out, "local_ids", local.ids, ",");
    append_ids(out, "remote_ids", remote.ids, "}");
  }
  out.text() += "]\n";
  return out.finish();
}

}  // namespace pageproof::reports
