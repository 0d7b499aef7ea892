#include "oracle/proof/recheck.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "oracle/proof/jobs.hpp"

extern char** environ;

namespace pageproof::proof {
namespace {

// A folder of our own under the system's temporary one, gone when this is.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pageproof-recheck-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// What the program printed; nothing when it could not be started.
std::optional<std::string> output_of(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (failed == 0) {
    char buffer[512];
    for (ssize_t n = read(ends[0], buffer, sizeof buffer); n > 0; n = read(ends[0], buffer, sizeof buffer)) {
      output.append(buffer, static_cast<std::size_t>(n));
    }
    int status = 0;
    waitpid(child, &status, 0);
  }
  close(ends[0]);
  return failed == 0 ? std::optional(output) : std::nullopt;
}

Answer answer_in(const std::string& output) {
  if (output.starts_with("unsat")) return Answer::unsat;
  return output.starts_with("sat") ? Answer::sat : Answer::unknown;
}

// "This is cvc5 version 1.0.3" -> "cvc5 1.0.3".
std::string version_in(const std::string& program, const std::string& output) {
  const std::size_t at = output.find("version ");
  if (at == std::string::npos) return program;
  const std::size_t from = at + std::string_view("version ").size();
  return program + " " + output.substr(from, output.find_first_of(" \n", from) - from);
}

struct Question {
  const Query* query;
  Answer z3;
};

// Each question once; the guards of assumptions are left out, Z3 has shown a model of them.
std::vector<Question> questions_of(std::span<const ObligationResult> results) {
  std::vector<Question> questions;
  std::unordered_set<std::string> asked;
  for (const ObligationResult& result : results) {
    std::unordered_map<std::string_view, Answer> answers;
    for (const QueryResult& query : result.queries) answers.emplace(query.name, query.answer);
    for (const Query& query : result.obligation.queries) {
      if (asked.insert(body(query)).second) questions.push_back({&query, answers.at(query.name)});
    }
  }
  return questions;
}

Failure failure_of(const RecheckRow& row, const std::string& solver, const std::string& expected) {
  return {.name = row.name,
          .claim = solver + " comes to Z3's answer",
          .example = fmt::format("{} query, Z3: {}", to_string(row.part), to_string(row.z3)),
          .expected = expected,
          .got = to_string(row.other),
          .replay = "pageproof prove --smtlib DIR, then run the solver on the file of this name"};
}

void judge(RecheckResult& result, bool all) {
  for (const RecheckRow& row : result.rows) {
    // A question that asks for a model is settled by sat.
    const Answer settled = row.part == Part::guard ? Answer::sat : Answer::unsat;
    result.proved += row.other == settled;
    result.refuted += row.other != settled && row.other != Answer::unknown;
    result.unknown += row.other == Answer::unknown;
    if (row.other != Answer::unknown && row.other != row.z3) {
      result.failures.push_back(failure_of(row, result.solver, to_string(row.z3)));
    } else if (row.other == Answer::unknown && row.part == Part::step) {
      result.failures.push_back(failure_of(row, result.solver, "unsat within 10 s, as for every step"));
    }
  }
  if (all && result.proved < kConfirmedByCvc5) {
    result.failures.push_back({.name = "recheck.count",
                               .claim = "the second solver settles as many questions as before",
                               .example = result.solver,
                               .expected = fmt::format("at least {}", kConfirmedByCvc5),
                               .got = std::to_string(result.proved),
                               .replay = "pageproof prove --recheck cvc5"});
  }
}

}  // namespace

RecheckResult recheck(std::span<const ObligationResult> results, const std::string& program, bool all,
                      std::uint32_t threads) {
  RecheckResult result{.solver = program, .rows = {}, .failures = {}};
  const ScratchFolder scratch;
  const std::optional<std::string> version = output_of({program, "--version"});
  if (!version || scratch.path().empty()) {
    result.failures.push_back({.name = "recheck." + program,
                               .claim = "a second solver confirms the proofs",
                               .example = program,
                               .expected = "the solver's program on PATH",
                               .got = version ? "no temporary folder" : "it cannot be started",
                               .replay = "pageproof prove --recheck " + program});
    return result;
  }
  result.solver = version_in(program, *version);
  const std::vector<Question> questions = questions_of(results);
  result.rows.resize(questions.size());
  std::vector<std::function<void()>> jobs;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    jobs.emplace_back([&, i] {
      const Query& query = *questions[i].query;
      const std::filesystem::path file = scratch.path() / fmt::format("{}.smt2", i);
      std::ofstream(file) << to_smtlib(query);
      const auto start = std::chrono::steady_clock::now();
      const std::optional<std::string> output = output_of(
          {program, "--lang=smt2", fmt::format("--tlimit={}", kRecheckMilliseconds), file.string()});
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      result.rows[i] = {query.name, query.part, questions[i].z3, answer_in(output.value_or("")),
                        elapsed.count()};
    });
  }
  run_jobs(jobs, threads);
  judge(result, all);
  return result;
}

Expected<std::size_t> export_smtlib(std::span<const Obligation> obligations,
                                    const std::filesystem::path& directory) {
  std::size_t written = 0;
  const auto write = [&](const std::filesystem::path& folder, const Query& query, bool mutant) {
    const std::filesystem::path path = folder / (query.name + ".smt2");
    std::ofstream file(path);
    const bool opened = file.is_open();
    file << to_smtlib(query, mutant);
    file.close();
    // No half of a script is left to be read as a whole one.
    std::error_code ignored;
    if (opened && file.fail()) std::filesystem::remove(path, ignored);
    ++written;
    return !file.fail();
  };
  for (const Obligation& obligation : obligations) {
    const std::filesystem::path folder = directory / obligation.name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    bool good = !error;
    for (const Query& query : with_guards(obligation)) good = good && write(folder, query, false);
    for (const Mutant& mutant : obligation.mutants) good = good && write(folder, mutant.query, true);
    if (!good) {
      return std::unexpected(Error{"prove", "--smtlib", folder.string(), "cannot be written"});
    }
  }
  return written;
}

}  // namespace pageproof::proof
