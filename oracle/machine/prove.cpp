#include "oracle/machine/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "kernels/convert/code_objects.hpp"

namespace pageproof::machine {
namespace {

constexpr const char* kClaim = "run on symbols, output byte j is input byte pi(j), and every access is sound";

struct Job {
  const Image* image;
  std::string target;
  Kernel kernel;
  std::vector<Case> cases;
};

Failure failure_of(const Job& job, const Case& c, const std::string& expected, const Refuted& refuted) {
  const bool embedded = job.image->name == job.target;
  return {.name = "machine." + to_string(refuted.check),
          .claim = kClaim,
          .example = fmt::format("{} {}: {}", job.target, job.kernel.name, to_string(c)),
          .expected = expected,
          .got = fmt::format("{} ({})", refuted.what, refuted.where),
          .replay = fmt::format("pageproof prove-code {}{} --kernel {} --heads {} --pattern {}",
                                embedded ? "--target " : "", job.image->name, job.kernel.name, c.shape.heads,
                                to_string(c.pattern))};
}

// Kernels that are known to touch more, and how much: a bound that was measured, and why.
struct MoreLines {
  std::string_view kernels;  // beginnings of names
  double loads;
  double stores;
};
constexpr MoreLines kMoreLines[] = {
    // A page in place that no LDS holds is read, and written, tile by tile, a lane each: neighbouring lanes
    // lie a tile of
    // 128 or 256 bytes apart in the planes. 8 is a line a lane; 3.3 to 5.7 were measured.
    {"pageproof_orders_held", 8, 8},
};

void judge_traffic(const Job& job, KernelResult& result) {
  MoreLines most{"", kMostLines, kMostLines};
  for (const MoreLines& more : kMoreLines) {
    if (job.kernel.name.starts_with(more.kernels)) most = more;
  }
  struct Judged {
    const char* what;
    Traffic traffic;
    double bound;
  };
  for (const auto& [what, traffic, bound] : {Judged{"loads", result.total.loads, most.loads},
                                             Judged{"stores", result.total.stores, most.stores}}) {
    if (traffic.ratio() <= bound) continue;
    result.failures.push_back(
        {.name = "machine.lines",
         .claim = "an access instruction touches few more lines of 128 bytes than its bytes fill",
         .example = fmt::format("{} {}: {} of global memory", job.target, job.kernel.name, what),
         .expected = fmt::format("at most {} times the ideal", bound),
         .got =
             fmt::format("{:.2f} times ({} lines for {})", traffic.ratio(), traffic.touched, traffic.ideal),
         .replay = fmt::format("pageproof prove-code {}{} --kernel {}",
                               job.image->name == job.target ? "--target " : "", job.image->name,
                               job.kernel.name)});
  }
}

void add(Traffic& sum, const Traffic& more) {
  sum.touched += more.touched;
  sum.ideal += more.ideal;
}

KernelResult prove(Machine& machine, const Disassembler& disassembler, const Job& job) {
  const auto start = std::chrono::steady_clock::now();
  KernelResult result;
  result.target = job.target;
  result.kernel = job.kernel.name;
  const Program program = decode_program(disassembler, job.kernel);
  std::vector<bool> executed(program.at.size());
  Hooks hooks;
  hooks.executed = &executed;
  for (const Case& c : job.cases) {
    ++result.launches;
    const auto run = run_case(machine, program, c, {}, hooks);
    const bool twice = c.pattern == Pattern::duplicate;
    if (run && twice) {
      result.failures.push_back(failure_of(job, c, "two workgroups in conflict: a block is listed twice",
                                           {Check::workgroups, "not refuted", "-"}));
    } else if (!run && (!twice || run.error().check != Check::workgroups)) {
      result.failures.push_back(
          failure_of(job, c, twice ? "two workgroups in conflict: a block is listed twice" : "not refuted",
                     run.error()));
      if (result.failures.size() >= 3) break;
    }
    if (!run) {
      if (twice) ++result.refuted_as_expected;
      continue;
    }
    result.total.instructions += run->instructions;
    result.total.barriers += run->barriers;
    if (c.pattern != Pattern::near) continue;
    add(result.total.loads, run->loads);
    add(result.total.stores, run->stores);
  }
  judge_traffic(job, result);
  for (const std::uint32_t i : program.listing()) {
    result.code_bytes += program.at[i].bytes;
    if (executed[i]) result.executed_bytes += program.at[i].bytes;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

bool selected(const std::string& kernel, std::span<const std::string> filters) {
  return filters.empty() ||
         std::ranges::any_of(filters, [&](const std::string& f) { return kernel.starts_with(f); });
}

// The image's kernels with their cases. A kernel that no case launches is as bad as a case without a kernel.
Expected<std::vector<Job>> jobs_of(const Image& image, const ProveOptions& options) {
  Expected<CodeObject> object = read_code_object(image.elf, image.name);
  if (!object) return std::unexpected(object.error());
  std::vector<KernelCases> all = all_cases(options.quick);
  std::vector<Job> jobs;
  for (Kernel& kernel : object->kernels) {
    if (!selected(kernel.name, options.kernels)) continue;
    const auto found = std::ranges::find(all, kernel.name, &KernelCases::kernel);
    if (found == all.end())
      return std::unexpected(Error{image.name, "kernel", kernel.name, "no launch in scope runs it"});
    std::vector<Case> cases = found->cases;
    if (options.heads) std::erase_if(cases, [&](const Case& c) { return c.shape.heads != *options.heads; });
    if (options.pattern) std::erase_if(cases, [&](const Case& c) { return c.pattern != *options.pattern; });
    if (!cases.empty()) jobs.push_back({&image, object->target, std::move(kernel), std::move(cases)});
  }
  return jobs;
}

// Every kernel that is launched on a target is in one of its embedded images.
Expected<void> check_all_there(std::span<const Job> jobs) {
  const std::vector<KernelCases> all = all_cases(false);
  for (const Job& job : jobs) {
    if (job.image->name != job.target) continue;
    for (const KernelCases& c : all) {
      const auto is = [&](const Job& j) { return j.target == job.target && j.kernel.name == c.kernel; };
      if (std::ranges::none_of(jobs, is))
        return std::unexpected(Error{job.target, "kernel", c.kernel, "is launched and not there"});
    }
  }
  return {};
}

}  // namespace

std::vector<Image> embedded_images() {
  std::vector<Image> images;
  for (const convert::Family family : {convert::Family::convert, convert::Family::orders}) {
    for (const convert::CodeObject& object : convert::code_objects(family)) {
      images.push_back({std::string(object.target), object.elf});
    }
  }
  return images;
}

Expected<std::vector<KernelResult>> prove_images(std::span<const Image> images, const ProveOptions& options) {
  std::vector<Job> jobs;
  for (const Image& image : images) {
    Expected<std::vector<Job>> more = jobs_of(image, options);
    if (!more) return std::unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(jobs));
  }
  if (options.kernels.empty() && !options.heads && !options.pattern) {
    if (const auto all = check_all_there(jobs); !all) return std::unexpected(all.error());
  }
  std::vector<KernelResult> results(jobs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&] {
    Machine machine;
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const Expected<Disassembler> disassembler = Disassembler::of(jobs[i].target);
      if (!disassembler) {
        const std::lock_guard lock(mutex);
        error = disassembler.error();
        return;
      }
      results[i] = prove(machine, *disassembler, jobs[i]);
      const std::lock_guard lock(mutex);
      options.progress(++done, jobs.size());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 1; t < options.threads; ++t) threads.emplace_back(work);
    work();
  }
  if (error) return std::unexpected(*error);
  return results;
}

}  // namespace pageproof::machine
