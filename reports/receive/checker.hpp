// The checker of one log, line after line. A line that makes no sense is refused; one that does is carried
// into the state, and what it breaks is kept, the first only. Steps in check.cpp, the rules where their
// events are: blocks.cpp, reads.cpp, kernels.cpp.
#pragma once

#include "reports/receive/check.hpp"
#include "reports/receive/log_rules.hpp"
#include "reports/receive/state.hpp"

namespace pageproof::receive_log {

// Of a line about blocks.
inline bool writes(Kind kind) {
  return kind == Kind::post || kind == Kind::zero || kind == Kind::copy || kind == Kind::convert ||
         kind == Kind::recompute;
}

class Checker {
 public:
  explicit Checker(const std::string& subject) : subject_(subject) {}
  Checked run(std::string_view text);

 private:
  using Refused = std::optional<Error>;

  // dispatch.cpp
  Refused one(const Event& event);
  Refused of_nobody(const Event& event);  // no request is named
  Refused of_request(const Event& event);
  Refused dispatch(const Event& event, Request& request);

  // check.cpp
  void doubt(const std::string& id);
  void sum_up();
  Refused refuse(const Event& event, const char* field, std::string value, std::string problem) const;
  void breaks(const Named& rule, const Event& event, std::string what, std::vector<std::size_t> lines,
              std::string missing = {});
  void breaks(receive::Rule rule, const Event& event, std::string what, std::vector<std::size_t> lines,
              std::string missing = {}) {
    breaks(named(rule), event, std::move(what), std::move(lines), std::move(missing));
  }

  // blocks.cpp: given, shared; who holds what
  Refused allocate(const Event& event);
  Refused share(const Event& event, Request& request, std::uint64_t id, const Touch& now, bool local);
  Refused know_blocks(const Event& event, Request& request, bool& usable);
  bool given(const Event& event, const Request& request, std::uint64_t id, Order::Chain chain);
  bool writes_own(const Event& event, const Request& request, std::uint64_t id, Order::Chain chain);
  std::size_t group_of(const std::vector<std::uint64_t>& layers);
  void changed(Block& block);  // whoever holds it has to look again whether it is ready

  // free.cpp
  void use(Request& request, const Touch& now, Order::Chain chain, const std::vector<std::uint64_t>& blocks);
  std::optional<Touch> not_waited_for(const Request& request, const std::vector<std::uint64_t>& blocks) const;
  Refused free_blocks(const Event& event, Request& request);
  Refused behind_free(const Event& event, Freed& freed);
  void follow(const Event& event, Pending& pending);
  bool step_ends(Pending& pending);

  // reads.cpp
  Refused overwrite(const Event& event, Request& request);
  Refused post(const Event& event, Request& request);
  Refused read_ends(const Event& event, Request& request);
  Refused report(const Event& event, Request& request);
  void behind_reports(const Event& event, const Request& request, receive::Rule rule, Order::Chain chain);
  Refused notify(const Event& event, Request& request);
  void fence(const Event& event);
  void needs_fence(const Event& event, std::uint64_t id, const Block& block, Order::Chain chain);

  // kernels.cpp
  Refused digest(const Event& event, Request& request);
  Refused convert(const Event& event, Request& request);
  void convert_block(const Event& event, const Request& request, std::uint64_t id, const Touch& now);
  void recompute_block(const Event& event, std::uint64_t id, const Touch& now);
  Refused recompute(const Event& event, Request& request);
  Refused schedule(const Event& event, Request& request);

  // ready.cpp
  bool reads_block(const Event& event, std::uint64_t id, Block& block, Order::Chain chain);
  bool is_filled_before(const Event& event, std::uint64_t id, const Block& block, Order::Chain chain);
  void behind_overwrites(const Event& event, std::uint64_t id, Block& block, Order::Chain chain);

  Touch touch(const Event& event, Order::Node node) const { return {node, event.line, event.kind}; }
  Touch kernel(const Event& event, Request& request);
  std::string missing(const Touch& first, const Event& event, std::string_view how) const;

  std::string subject_;
  Checked checked_;
  Order order_;
  std::uint64_t layers_ = 0;  // 0: no setting was read
  std::uint64_t workers_ = 0;
  bool fence_needed_ = false;
  bool unset_ = false;         // that there is no setting was said
  std::size_t unread_ = 0;     // the first line that could not be used; 0: none
  bool nobody_known_ = false;  // some such line may be about anybody
  Requests requests_;
  std::map<std::string, Freed, std::less<>> freed_;
  std::set<std::string, std::less<>> doubted_;
  Blocks blocks_;
  std::vector<std::vector<std::uint64_t>> groups_{{}};  // layers of a block; the first: all
  std::map<std::vector<std::uint64_t>, std::size_t> group_numbers_;
  std::map<std::pair<Order::Chain, std::string>, std::vector<Order::Node>> fences_;  // by thread and stream
};

inline constexpr std::string_view kByEvent =
    "record an event behind the one, wait for it or sync it before the other";
inline constexpr std::string_view kByMessage =
    "a send behind the one in its thread, its receive before the other";
inline constexpr std::string_view kBySync = "sync its stream first";

}  // namespace pageproof::receive_log
