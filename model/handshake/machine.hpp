// A handshake as a table of steps. One small executor runs the table; its outline, the same table without the
// functions, is what a graph of states is built from. So what is drawn and what is executed cannot differ.
//
//   effect    does something, cannot fail
//   check     may end the handshake: there is an arc to `rejected`
//   choice    goes on at one of several named steps
//   within    a check that runs a machine of its own, whose outline stands inside this one
//
// A step that says nothing else goes on at the step below it; behind the last is the end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pageproof::handshake {

// What a step can leave behind in what outlives the handshake: the worker's parts, or the RFC's record.
enum class Mark : std::uint8_t {
  topology,
  mapping,
  loaded_agent,
  recorded_regions,
  bases,
  permute,
  repack,
  local_handle,
  split_handle,
  remote_handle,
  ready,
  acceptance,
};
std::string_view to_string(Mark mark);  // "permute flag (worker-global, never cleared)"

inline constexpr const char* kReady = "ready";
inline constexpr const char* kRejected = "rejected";
inline constexpr const char* kEnd = "";  // as the target of an arc: behind the last step

struct Arc {
  std::string on;  // why: empty for "and then"
  std::string to;  // a step's name, or kEnd

  friend bool operator==(const Arc&, const Arc&) = default;
};

struct Outline;
struct StepOutline {
  std::string name;
  bool can_fail = false;
  std::vector<Arc> arcs = {};  // where it goes when it does not fail
  std::vector<Mark> leaves = {};
  // Of a step that runs another machine.
  std::shared_ptr<const Outline> inner = {};
  std::string prefix = {};  // of the inner steps' names
  bool scratch = false;     // the inner steps work on a copy that is thrown away: their marks are none
};
struct Outline {
  std::vector<StepOutline> steps;
};

// `Context` has a type Failure and a function enter(const std::string& step).
template <class Context>
class Machine {
 public:
  using Failure = typename Context::Failure;
  using Outcome = std::optional<Failure>;

  Machine& effect(std::string name, std::vector<Mark> leaves, std::function<void(Context&)> run) {
    add(std::move(name), std::move(leaves), false).effect = std::move(run);
    return *this;
  }
  Machine& check(std::string name, std::vector<Mark> leaves, std::function<Outcome(Context&)> run) {
    add(std::move(name), std::move(leaves), true).check = std::move(run);
    return *this;
  }
  // `run` answers with the index of an arc.
  Machine& choice(std::string name, std::vector<Arc> arcs, std::function<std::size_t(const Context&)> run) {
    add(std::move(name), {}, false).choose = std::move(run);
    outline_->steps.back().arcs = std::move(arcs);
    return *this;
  }
  template <class Inner>
  Machine& within(std::string name, const Machine<Inner>& machine, std::string prefix, bool scratch,
                  std::function<Outcome(Context&, const Machine<Inner>&, const std::string&)> run) {
    add(std::move(name), {}, true).check = [&machine, prefix, run = std::move(run)](Context& context) {
      return run(context, machine, prefix);
    };
    StepOutline& step = outline_->steps.back();
    step.inner = machine.outline();
    step.prefix = std::move(prefix);
    step.scratch = scratch;
    return *this;
  }
  // The last step goes on at another one than that below it.
  Machine& then(std::string name) {
    outline_->steps.back().arcs = {{"", std::move(name)}};
    return *this;
  }

  std::shared_ptr<const Outline> outline() const { return outline_; }

  // Names become places. To be called once, after the last step.
  Machine& finished() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::vector<Arc>& arcs = outline_->steps[i].arcs;
      if (arcs.empty()) arcs = {{"", i + 1 < runs_.size() ? outline_->steps[i + 1].name : kEnd}};
      for (const Arc& arc : arcs) runs_[i].next.push_back(place_of(arc.to));
    }
    return *this;
  }

  // Runs from the first step to the end or to the check that fails.
  Outcome run(Context& context) const {
    std::size_t at = 0;
    while (at < runs_.size()) {
      const Runs& step = runs_[at];
      context.enter(outline_->steps[at].name);
      std::size_t arc = 0;
      if (step.check) {
        if (Outcome failed = step.check(context)) return failed;
      } else if (step.choose) {
        arc = step.choose(context);
      } else {
        step.effect(context);
      }
      at = step.next.at(arc);
    }
    return {};
  }

 private:
  // Exactly one of the three is set: what a step can do follows from which.
  struct Runs {
    std::function<void(Context&)> effect = {};
    std::function<Outcome(Context&)> check = {};
    std::function<std::size_t(const Context&)> choose = {};
    std::vector<std::size_t> next = {};
  };

  Runs& add(std::string name, std::vector<Mark> leaves, bool can_fail) {
    outline_->steps.push_back(
        {.name = std::move(name), .can_fail = can_fail, .arcs = {}, .leaves = std::move(leaves)});
    return runs_.emplace_back();
  }
  std::size_t place_of(const std::string& name) const {
    if (name == kEnd) return runs_.size();
    const auto found = std::ranges::find(outline_->steps, name, &StepOutline::name);
    assert(found != outline_->steps.end());
    return static_cast<std::size_t>(found - outline_->steps.begin());
  }

  std::vector<Runs> runs_;
  std::shared_ptr<Outline> outline_ = std::make_shared<Outline>();
};

}  // namespace pageproof::handshake
