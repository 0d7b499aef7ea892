#include "reports/receive/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "model/receive/names.hpp"
#include "reports/receive/order.hpp"

namespace pageproof::receive_log {
namespace {

using receive::Rule;

constexpr const char* kDigestRule = "digest_of_converted";
constexpr const char* kDigestClaim =
    "a digest that the sender's is compared with is taken between the reads and the conversion";
using Node = Order::Node;

// A kernel or a READ, and the line that says so.
struct Touch {
  Node node = 0;
  std::size_t line = 0;
};

struct Overwrite {
  Touch touch;
  Kind kind = Kind::zero;  // or copy
};

struct Kernel {
  Touch touch;
  std::vector<std::uint64_t> blocks;  // empty: all of the request's
};

// Who filled a block, and how far: one entry a layer.
struct Filled {
  bool convert = true;
  std::map<std::uint64_t, Touch> layers = {};
  std::optional<Touch> local = {};
  std::optional<std::size_t> posted = {};  // the newest READ into it
  std::optional<Touch> digest = {};
  std::set<std::string> holders = {};
  bool unknown = false;  // a refused line has to do with it
};

struct Request {
  std::size_t line = 0;
  std::vector<std::uint64_t> own = {};
  std::vector<std::uint64_t> shared = {};
  std::map<std::uint64_t, Touch> outstanding = {};
  std::size_t last_post = 0;
  std::optional<Touch> last_read = {};  // the thread's node that saw the newest read end
  std::optional<std::size_t> failed = {};
  std::optional<std::size_t> told = {};
  bool recomputed = false;
  std::vector<Overwrite> overwrites = {};          // until a post has waited for them
  std::vector<Kernel> kernels = {};                // all that use its blocks
  std::map<std::uint64_t, std::size_t> gone = {};  // blocks that were freed before it, and the line
  std::deque<Touch> steps = {};                    // those that are not known to have ended
  std::map<std::string, std::uint64_t> ready =
      {};  // streams that wait for all of it, and the recomputes then
};

class Checker {
 public:
  explicit Checker(const std::string& subject) : subject_(subject) {}

  Checked run(std::string_view text) {
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
    checked_.doubted = doubted_.size();
    for (const auto& [request, told] : freed_) checked_.untold += told ? 0 : 1;
    return std::move(checked_);
  }

 private:
  using Refused = std::optional<Error>;

  Refused refuse(const Event& event, const char* field, std::string value, std::string problem) const {
    return Error{fmt::format("{}: line {}", subject_, event.line), field, std::move(value),
                 std::move(problem)};
  }
  void breaks(Rule rule, const Event& event, std::string what, std::vector<std::size_t> lines,
              std::string missing = {}) {
    breaks(std::string(receive::to_string(rule)), std::string(receive::claim_of(rule)), event,
           std::move(what), std::move(lines), std::move(missing));
  }
  void breaks(std::string rule, std::string claim, const Event& event, std::string what,
              std::vector<std::size_t> lines, std::string missing) {
    if (checked_.broken) return;
    lines.push_back(event.line);
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    checked_.broken = Broken{
        std::move(rule),    std::move(claim), fmt::format("request {}: {}", event.request, std::move(what)),
        std::move(missing), std::move(lines), unread_};
  }

  // What it holds is free for others, and its blocks hold nobody knows what.
  void doubt(const std::string& id) {
    doubted_.insert(id);
    freed_.erase(id);
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;
    for (const std::uint64_t block : found->second.own) blocks_[block] = Filled{.unknown = true};
    for (const std::uint64_t block : found->second.shared) blocks_[block].holders.erase(id);
    requests_.erase(found);
  }

  Refused one(const Event& event) {
    if (layers_ == 0 && event.kind != Kind::setting) {
      if (unset_ || unread_ != 0) {  // the line that could not be used may be the setting
        unset_ = true;
        return {};
      }
      unset_ = true;
      return refuse(event, "event", std::string(to_string(event.kind)),
                    "before any setting: the first line says the layers; no rule can be judged");
    }
    if (!event.stream.empty() && !order_.knows(event.stream)) {
      return refuse(event, "stream", event.stream, fmt::format("more than {} streams", kMostStreams));
    }
    switch (event.kind) {
      case Kind::setting:
        if (layers_ != 0 || unset_) return refuse(event, "event", "setting", "stands in the first line only");
        layers_ = event.layers;
        fence_ = event.fence;
        return {};
      case Kind::allocate:
        return allocate(event);
      case Kind::record:
        order_.record(event.name, event.stream);
        return {};
      case Kind::wait:
        if (!order_.wait(event.name, event.stream)) {
          return refuse(event, "name", event.name, "no event of this name was recorded");
        }
        return {};
      case Kind::sync:
        if (!event.name.empty() && !order_.sync_event(event.name)) {
          return refuse(event, "name", event.name, "no event of this name was recorded");
        }
        if (!event.stream.empty()) order_.sync_stream(event.stream);
        return {};
      case Kind::fence:
        last_fence_ = order_.thread();
        return {};
      default:
        break;
    }
    if (doubted_.contains(event.request)) return {};
    const auto found = requests_.find(event.request);
    if (found == requests_.end() && event.kind == Kind::notify && freed_.contains(event.request)) {
      return notify_late(event);
    }
    if (found == requests_.end() && nobody_known_) {  // its allocation may be what could not be read
      doubted_.insert(event.request);
      return {};
    }
    if (found == requests_.end()) {
      return refuse(event, "request", event.request, "was never allocated, or is freed");
    }
    Request& request = found->second;
    for (const std::uint64_t block : event.blocks) {
      const bool owns = std::ranges::find(request.own, block) != request.own.end();
      const bool shares = std::ranges::find(request.shared, block) != request.shared.end();
      if (const auto gone = request.gone.find(block); !owns && !shares && gone != request.gone.end()) {
        breaks(Rule::freed_while_touched, event,
               fmt::format("block {} was freed before this use of it", block), {gone->second});
      } else if (!owns && !shares) {
        return refuse(event, "blocks", std::to_string(block), "was never allocated to this request");
      }
    }
    switch (event.kind) {
      case Kind::zero:
      case Kind::copy:
        return overwrite(event, request);
      case Kind::digest:
        return digest(event, request);
      case Kind::post:
        return post(event, request);
      case Kind::read_done:
      case Kind::read_failed:
        return read_ends(event, request);
      case Kind::convert:
        return convert(event, request);
      case Kind::report:
        order_.thread();
        if (event.ok) return {};
        request.failed = event.line;
        if (!request.outstanding.empty()) {
          const Touch& read = request.outstanding.begin()->second;
          breaks(Rule::failure_before_reads_end, event,
                 fmt::format("handle {} is outstanding", request.outstanding.begin()->first), {read.line});
        }
        return {};
      case Kind::recompute: {
        const Touch kernel{order_.kernel(event.stream), event.line};
        ++recomputes_;
        request.recomputed = true;
        request.kernels.push_back({kernel, {}});
        request.steps.push_back(kernel);
        for (const std::uint64_t block : request.own) blocks_[block].local = kernel;
        return {};
      }
      case Kind::schedule:
        return schedule(event, request);
      case Kind::step_done:
        if (request.steps.empty()) {
          return refuse(event, "request", event.request, "has no step on the device");
        }
        order_.thread_after(request.steps.front().node);
        request.steps.pop_front();
        return {};
      case Kind::notify:
        order_.thread();
        if (request.told) {
          breaks(Rule::told_twice, event, "the prefill was told before", {*request.told});
        } else if (!request.outstanding.empty()) {
          breaks(Rule::told_before_reads_end, event,
                 fmt::format("handle {} is outstanding", request.outstanding.begin()->first),
                 {request.outstanding.begin()->second.line});
        }
        request.told = event.line;
        return {};
      case Kind::free:
        return free_blocks(event, request);
      default:
        return {};
    }
  }

  Refused allocate(const Event& event) {
    if (doubted_.contains(event.request)) {
      for (const std::uint64_t block : event.blocks) blocks_[block] = Filled{.unknown = true};
      return {};
    }
    if (requests_.contains(event.request)) {
      return refuse(event, "request", event.request, "has blocks already");
    }
    order_.thread();
    freed_.erase(event.request);
    Request& request = requests_[event.request];
    request.line = event.line;
    request.own = event.blocks;
    request.shared = event.shared;
    ++checked_.requests;
    for (const std::uint64_t block : event.shared) {
      const auto [filled, never] = blocks_.try_emplace(block, Filled{.unknown = true});
      if (never && unread_ == 0) {
        blocks_.erase(filled);
        return refuse(event, "shared", std::to_string(block), "was never allocated");
      }
      if (std::ranges::find(event.blocks, block) != event.blocks.end()) {
        return refuse(event, "shared", std::to_string(block), "is in blocks, too");
      }
      filled->second.holders.insert(event.request);
    }
    for (const std::uint64_t block : event.blocks) {
      Filled& filled = blocks_[block];
      if (!filled.holders.empty()) {
        const std::string holder = *filled.holders.begin();
        breaks(Rule::reused_while_held, event, fmt::format("block {} is held by request {}", block, holder),
               {requests_.at(holder).line});
      }
      filled = Filled{.convert = event.convert, .holders = {event.request}};
    }
    return {};
  }

  // A kernel that writes into blocks what was not received.
  Refused overwrite(const Event& event, Request& request) {
    const Touch kernel{order_.kernel(event.stream), event.line};
    request.overwrites.push_back({kernel, event.kind});
    request.kernels.push_back({kernel, event.blocks});
    for (const std::uint64_t block : event.blocks) {
      const Filled& filled = blocks_[block];
      if (!filled.posted) continue;
      breaks(Rule::zeroed_after_landing, event,
             fmt::format("this {} may run after a read has landed in block {}", to_string(event.kind), block),
             {*filled.posted});
    }
    return {};
  }

  // The sender took its digest of standard pages.
  Refused digest(const Event& event, Request& request) {
    const Touch kernel{order_.kernel(event.stream), event.line};
    request.kernels.push_back({kernel, event.blocks});
    if (!request.outstanding.empty()) {
      breaks(kDigestRule, kDigestClaim, event,
             fmt::format("handle {} is outstanding", request.outstanding.begin()->first),
             {request.outstanding.begin()->second.line}, {});
    }
    for (const std::uint64_t block : event.blocks) {
      Filled& filled = blocks_[block];
      filled.digest = kernel;
      if (filled.layers.empty()) continue;
      breaks(kDigestRule, kDigestClaim, event, fmt::format("block {} is converted already", block),
             {filled.layers.begin()->second.line}, {});
    }
    needs_fence(event, request);
    return {};
  }

  Refused post(const Event& event, Request& request) {
    const Node posted = order_.thread();
    for (const std::uint64_t block : event.blocks) blocks_[block].posted = event.line;
    for (const Overwrite& one : request.overwrites) {
      if (order_.before_thread(one.touch.node)) continue;
      breaks(Rule::zeroed_after_landing, event, "nothing waits for the kernel that overwrites",
             {one.touch.line},
             fmt::format("line {} ({}) before line {} (post): sync its stream first", one.touch.line,
                         to_string(one.kind), event.line));
    }
    request.overwrites.clear();
    if (request.outstanding.contains(event.handle)) {
      return refuse(event, "handle", std::to_string(event.handle), "is outstanding already");
    }
    if (request.failed) {
      breaks(Rule::failure_before_reads_end, event, "was reported as failed", {*request.failed});
    }
    request.outstanding[event.handle] = {order_.landing(posted), event.line};
    ++checked_.reads;
    return {};
  }

  Refused read_ends(const Event& event, Request& request) {
    const auto read = request.outstanding.find(event.handle);
    if (read == request.outstanding.end()) {
      return refuse(event, "handle", std::to_string(event.handle), "was never posted, or has ended");
    }
    const Node seen = order_.thread_after(read->second.node);
    request.last_read = {seen, event.line};
    request.outstanding.erase(read);
    if (event.kind == Kind::read_failed) request.failed = event.line;
    return {};
  }

  // A kernel that uses received bytes where the thread alone has seen the read end.
  void needs_fence(const Event& event, const Request& request) {
    if (!fence_ || !request.last_read) return;
    if (last_fence_ && *last_fence_ > request.last_read->node) return;
    breaks("read_not_fenced", "a kernel uses received bytes behind a fence", event,
           "nothing makes the received bytes visible to the device", {request.last_read->line},
           fmt::format("line {} ({}) before line {} ({}): a fence between them", request.last_read->line,
                       "read_done", event.line, to_string(event.kind)));
  }

  Refused convert(const Event& event, Request& request) {
    if (event.layer >= layers_) {
      return refuse(event, "layer", std::to_string(event.layer), fmt::format("beyond {} layers", layers_));
    }
    const Touch kernel{order_.kernel(event.stream), event.line};
    request.kernels.push_back({kernel, event.blocks});
    ++checked_.conversions;
    if (!request.outstanding.empty()) {
      breaks(Rule::converted_while_read, event,
             fmt::format("handle {} is outstanding", request.outstanding.begin()->first),
             {request.outstanding.begin()->second.line});
    }
    if (request.failed) breaks(Rule::failed_converted, event, "a read of it failed", {*request.failed});
    for (const std::uint64_t block : event.blocks) {
      Filled& filled = blocks_[block];
      if (!filled.convert) {
        breaks(Rule::match_converted, event, fmt::format("block {} is used as it lands", block),
               {request.line});
      }
      if (filled.digest && !order_.before_stream(filled.digest->node, event.stream)) {
        breaks(kDigestRule, kDigestClaim, event,
               fmt::format("the conversion may overtake it in block {}", block), {filled.digest->line},
               fmt::format("line {} (digest) before line {} (convert)", filled.digest->line, event.line));
      }
      const auto [entry, fresh] = filled.layers.try_emplace(event.layer, kernel);
      if (!fresh) {
        breaks(Rule::converted_twice, event, fmt::format("block {} layer {}", block, event.layer),
               {entry->second.line});
      }
    }
    needs_fence(event, request);
    return {};
  }

  Refused schedule(const Event& event, Request& request) {
    const Touch step{order_.kernel(event.stream), event.line};
    ++checked_.steps;
    request.steps.push_back(step);
    request.kernels.push_back({step, event.blocks});
    if (!request.recomputed) {
      if (!request.outstanding.empty()) {
        breaks(Rule::unread_scheduled, event,
               fmt::format("handle {} is outstanding", request.outstanding.begin()->first),
               {request.outstanding.begin()->second.line});
      }
      if (request.failed) breaks(Rule::failed_scheduled, event, "it failed", {*request.failed});
      needs_fence(event, request);
    }
    const bool all = event.blocks.empty();
    const auto ready = request.ready.find(event.stream);
    if (all && ready != request.ready.end() && ready->second == recomputes_) return {};
    std::optional<Touch> early;  // the first that this step does not wait for
    const auto waits_for = [&](const Touch& touch) {
      if (order_.before_stream(touch.node, event.stream)) return;
      if (!early || touch.node < early->node) early = touch;
    };
    static const std::vector<std::uint64_t> kNone;
    for (const auto* list : {all ? &request.own : &event.blocks, all ? &request.shared : &kNone}) {
      for (const std::uint64_t block : *list) {
        const Filled& filled = blocks_[block];
        if (filled.local) waits_for(*filled.local);
        if (filled.local || filled.unknown) continue;
        for (std::uint64_t layer = 0; filled.convert && layer < layers_; ++layer) {
          const auto found = filled.layers.find(layer);
          if (found == filled.layers.end()) {
            breaks(Rule::unconverted_scheduled, event,
                   fmt::format("block {} layer {} was not converted", block, layer), {request.line});
            return {};
          }
          waits_for(found->second);
        }
      }
    }
    if (all) request.ready[event.stream] = recomputes_;
    if (!early) return {};
    breaks(
        Rule::unconverted_decoded, event, "the decode step does not wait for the conversion", {early->line},
        fmt::format("line {} (convert) before line {} (schedule): record an event behind the one, wait for "
                    "it or sync it before the other",
                    early->line, event.line));
    return {};
  }

  // The notice of an abort may come behind the freeing.
  Refused notify_late(const Event& event) {
    order_.thread();
    const auto told = freed_.find(event.request);
    if (told->second) breaks(Rule::told_twice, event, "the prefill was told before", {*told->second});
    told->second = event.line;
    return {};
  }

  Refused free_blocks(const Event& event, Request& request) {
    order_.thread();
    if (!request.outstanding.empty()) {
      breaks(Rule::freed_while_touched, event,
             fmt::format("handle {} may still write", request.outstanding.begin()->first),
             {request.outstanding.begin()->second.line});
    }
    const auto may_use = [&](const Kernel& kernel) {
      if (event.blocks.empty() || kernel.blocks.empty()) return true;
      return std::ranges::find_first_of(kernel.blocks, event.blocks) != kernel.blocks.end();
    };
    for (const Kernel& kernel : request.kernels) {
      if (order_.before_thread(kernel.touch.node) || !may_use(kernel)) continue;
      breaks(Rule::freed_while_touched, event, "a kernel may still use the blocks", {kernel.touch.line},
             fmt::format("line {} before line {} (free): nothing here waits for it", kernel.touch.line,
                         event.line));
    }
    if (!event.blocks.empty()) {  // the others stay
      std::erase_if(request.kernels, [&](const Kernel& k) { return order_.before_thread(k.touch.node); });
      for (const std::uint64_t block : event.blocks) {
        std::erase(request.own, block);
        std::erase(request.shared, block);
        blocks_[block].holders.erase(event.request);
        request.gone[block] = event.line;
      }
      return {};
    }
    for (const auto* list : {&request.own, &request.shared}) {
      for (const std::uint64_t block : *list) blocks_[block].holders.erase(event.request);
    }
    freed_[event.request] = request.told;
    requests_.erase(event.request);
    return {};
  }

  std::string subject_;
  Checked checked_;
  Order order_;
  std::uint64_t layers_ = 0;   // 0: no setting was read
  bool unset_ = false;         // and that was said
  std::size_t unread_ = 0;     // the first line that could not be used; 0: none
  bool nobody_known_ = false;  // some such line may be about anybody
  std::uint64_t recomputes_ = 0;
  bool fence_ = false;
  std::optional<Node> last_fence_;
  std::map<std::string, Request, std::less<>> requests_;
  std::map<std::string, std::optional<std::size_t>, std::less<>>
      freed_;  // and the line that told the prefill
  std::set<std::string, std::less<>> doubted_;
  std::map<std::uint64_t, Filled> blocks_;
};

}  // namespace

Checked check_log(std::string_view text, const std::string& subject) {
  return Checker(subject).run(text);
}

}  // namespace pageproof::receive_log
