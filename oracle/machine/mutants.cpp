#include "oracle/machine/mutants.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <expected>
#include <mutex>
#include <thread>
#include <utility>

#include "oracle/machine/survivor.hpp"

namespace pageproof::machine {
namespace {

struct Job {
  std::string target;
  Program program;
  std::vector<Case> few;  // small ones that reach everything that any launch reaches
  std::vector<Case> all;  // by size
  Limits limits;          // of the few
};

// What a proof says of a case: nothing is refuted, or, where a block is listed twice, two workgroups are in
// conflict. The check that failed otherwise, also where that conflict was not found.
std::optional<Check> failed(const Case& c, const std::expected<Statistics, Refuted>& run) {
  if (c.pattern != Pattern::duplicate) return run ? std::nullopt : std::optional(run.error().check);
  if (run) return Check::workgroups;
  return run.error().check == Check::workgroups ? std::nullopt : std::optional(run.error().check);
}

// The original's traces in all its cases, made when a mutant is first compared with it.
class Traces {
 public:
  const std::vector<std::uint64_t>& of(const Job& job) {
    std::call_once(made, [&] {
      Machine machine;
      for (const Case& c : job.all) {
        const auto run = run_case(machine, job.program, c);
        traces.push_back(run ? run->trace : 0);  // 0 where a block is listed twice: compared with 0
      }
    });
    return traces;
  }

 private:
  std::once_flag made;
  std::vector<std::uint64_t> traces;
};

std::uint64_t size_of(const Case& c) {
  return std::uint64_t{c.shape.heads} * (c.pattern == Pattern::far || c.pattern == Pattern::wide ? 6 : 4);
}

// Cases by size: three small ones of different patterns, then what adds code that was not reached. Refuted
// where the kernel is, without any flipped bit.
std::expected<std::vector<Case>, Refuted> few_of(Machine& machine, const Program& program,
                                                 std::span<const Case> all, Limits& limits) {
  const std::size_t instructions = program.listing().size();
  std::vector<Case> few;
  std::vector<bool> reached(program.at.size());
  std::size_t count = 0;
  std::uint64_t most = 0;
  for (const Case& c : all) {
    if (c.pattern == Pattern::duplicate) continue;
    if (few.size() >= 3 && count == instructions) break;
    const bool wanted =
        few.size() < 3 &&
        std::ranges::none_of(
            few, [&](const Case& f) { return f.pattern == c.pattern || f.shape.heads == c.shape.heads; });
    std::vector<bool> now = reached;
    Hooks hooks;
    hooks.executed = &now;
    const auto run = run_case(machine, program, c, {}, hooks);
    if (!run) return std::unexpected(run.error());
    most = std::max(most, run->instructions);
    const auto reaches = static_cast<std::size_t>(std::ranges::count(now, true));
    if (!wanted && reaches == count) continue;
    few.push_back(c);
    reached = now;
    count = reaches;
  }
  // One wave of a mutant executes more than all waves of the original together only in a loop without end.
  limits.most_instructions = 2 * most;
  return few;
}

std::uint32_t instruction_of(const Program& program, std::uint64_t bit) {
  const std::vector<std::uint32_t> begins = program.listing();
  const auto after = std::ranges::upper_bound(begins, bit / 32);
  return 4 * *std::prev(after);
}

// The first check that fails in one of the cases. `ran` is told of each that is proved.
template <class Ran>
std::optional<Check> first_failed(Machine& machine, const Program& program, std::span<const Case> cases,
                                  const Limits& limits, const Hooks& hooks, const Ran& ran) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto run = run_case(machine, program, cases[i], limits, hooks);
    if (const auto check = failed(cases[i], run)) return check;
    ran(i, run);
  }
  return std::nullopt;
}

// What became of a flipped bit: one of the two, or neither.
struct Verdict {
  std::optional<Check> refuted;
  std::optional<Rule> rule;
};

Verdict verdict_on(Machine& machine, const Job& job, Traces& traces, const Program& mutant,
                   std::uint32_t at) {
  const Survivor survivor{job.program, mutant, at};
  if (const auto rule = explain_by_text(survivor)) return {std::nullopt, rule};
  const auto nothing = [](std::size_t, const auto&) {};
  if (const auto check = first_failed(machine, mutant, job.few, job.limits, {}, nothing)) return {check, {}};
  const std::vector<std::uint64_t>& original = traces.of(job);
  Launches launches{std::vector<bool>(mutant.at.size()), true, {}};
  Hooks watch;
  watch.executed = &launches.executed;
  const auto compare = [&](std::size_t i, const std::expected<Statistics, Refuted>& run) {
    launches.alike = launches.alike && (run ? run->trace : 0) == original[i];
  };
  if (const auto check = first_failed(machine, mutant, job.all, {}, watch, compare)) return {check, {}};
  launches.proved = [&](const Hooks& hooks) {
    return !first_failed(machine, mutant, job.all, {}, hooks, nothing).has_value();
  };
  return {std::nullopt, explain_by_launches(survivor, launches)};
}

void judge(Machine& machine, const Disassembler& disassembler, const Job& job, Traces& traces,
           Program& mutant, std::uint64_t bit, MutantResult& result) {
  ++result.bits;
  flip_bit(disassembler, mutant, bit);
  const std::uint32_t at = instruction_of(job.program, bit);
  const Verdict verdict = verdict_on(machine, job, traces, mutant, at);
  if (verdict.refuted) {
    ++result.refuted[*verdict.refuted];
  } else if (verdict.rule) {
    ++result.explained[*verdict.rule];
  } else {
    result.unexplained.push_back({bit, job.program.at[at / 4].text, mutant.at[at / 4].text});
  }
  flip_bit(disassembler, mutant, bit);
}

Expected<std::vector<Job>> jobs_of(const Image& image, const MutantOptions& options) {
  Expected<CodeObject> object = read_code_object(image.elf, image.name);
  if (!object) return std::unexpected(object.error());
  const Expected<Disassembler> disassembler = Disassembler::of(object->target);
  if (!disassembler) return std::unexpected(disassembler.error());
  const std::vector<KernelCases> all = all_cases(false);
  Machine machine;
  std::vector<Job> jobs;
  for (Kernel& kernel : object->kernels) {
    const auto wanted = [&](const std::string& name) { return kernel.name.starts_with(name); };
    if (!options.kernels.empty() && std::ranges::none_of(options.kernels, wanted)) continue;
    const auto found = std::ranges::find(all, kernel.name, &KernelCases::kernel);
    if (found == all.end())
      return std::unexpected(Error{image.name, "kernel", kernel.name, "no launch in scope runs it"});
    Job job{object->target, decode_program(*disassembler, std::move(kernel)), {}, found->cases, {}};
    std::ranges::sort(job.all, {}, [](const Case& c) { return std::pair(size_of(c), c.pattern); });
    auto few = few_of(machine, job.program, job.all, job.limits);
    if (!few) {
      return std::unexpected(Error{image.name, "kernel", job.program.kernel.name,
                                   "is refuted without any flipped bit: " + few.error().what});
    }
    job.few = *std::move(few);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace

std::string to_string(Rule rule) {
  switch (rule) {
    case Rule::same:
      return "same";
    case Rule::hint:
      return "hint";
    case Rule::idle:
      return "idle";
    case Rule::wait:
      return "wait";
    case Rule::unread:
      return "unread";
    case Rule::alike:
      return "alike";
    case Rule::never:
      break;
  }
  return "never";
}

Expected<std::vector<MutantResult>> flip_bits(std::span<const Image> images, const MutantOptions& options) {
  std::vector<MutantResult> results;
  for (const Image& image : images) {
    const Expected<std::vector<Job>> jobs = jobs_of(image, options);
    if (!jobs) return std::unexpected(jobs.error());
    for (const Job& job : *jobs) {
      const auto start = std::chrono::steady_clock::now();
      MutantResult sum;
      sum.target = job.target;
      sum.kernel = job.program.kernel.name;
      const std::uint64_t bits = job.program.kernel.code.size() * 8;
      Traces traces;
      std::atomic<std::uint64_t> next = options.first;
      std::mutex mutex;
      std::optional<Error> error;
      const auto work = [&] {
        Machine machine;
        Program mutant = job.program;
        MutantResult mine;
        const Expected<Disassembler> disassembler = Disassembler::of(job.target);
        for (std::uint64_t bit = next.fetch_add(options.every); disassembler && bit < bits;
             bit = next.fetch_add(options.every)) {
          judge(machine, *disassembler, job, traces, mutant, bit, mine);
          if (mine.bits % 256 == 0) options.progress(bit, bits);
        }
        const std::lock_guard lock(mutex);
        if (!disassembler) error = disassembler.error();
        sum.bits += mine.bits;
        for (const auto& [check, n] : mine.refuted) sum.refuted[check] += n;
        for (const auto& [rule, n] : mine.explained) sum.explained[rule] += n;
        std::ranges::copy(mine.unexplained, std::back_inserter(sum.unexplained));
      };
      {
        std::vector<std::jthread> threads;
        for (std::uint32_t t = 1; t < options.threads; ++t) threads.emplace_back(work);
        work();
      }
      if (error) return std::unexpected(*error);
      std::ranges::sort(sum.unexplained, {}, &Unexplained::bit);
      sum.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      results.push_back(std::move(sum));
    }
  }
  return results;
}

}  // namespace pageproof::machine
