#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/golden/scratch.hpp"

namespace pageproof::cli_tests {
namespace {

void limit(int resource, const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return;
  const rlimit both{*bytes, *bytes};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

[[noreturn]] void become_program(std::vector<std::string> arguments, const Limits& limits,
                                 const std::string& out, const std::string& err) {
  arguments.insert(arguments.begin(), PAGEPROOF_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
  if (!limits.folder.empty() && ::chdir(limits.folder.c_str()) != 0) ::_exit(126);
  // A write beyond the limit then fails, as on a full disk, instead of ending the program.
  ::signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  ::execv(PAGEPROOF_PROGRAM, pointers.data());
  ::_exit(127);
}

}  // namespace

Outcome run(const std::vector<std::string>& arguments, const Limits& limits) {
  const golden::Scratch scratch;
  const std::string out = limits.out.empty() ? (scratch / "out").string() : limits.out;
  const std::string err = (scratch / "err").string();
  const pid_t child = ::fork();
  if (child == 0) become_program(arguments, limits, out, err);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          limits.out.empty() ? golden::contents(out) : "", golden::contents(err)};
}

nlohmann::json run_json(std::vector<std::string> arguments, int exit_code) {
  arguments.push_back("--json");
  const Outcome ran = run(arguments);
  EXPECT_EQ(ran.exit_code, exit_code) << ran.err;
  EXPECT_EQ(ran.err, "");
  nlohmann::json document = nlohmann::json::parse(ran.out, nullptr, false);
  EXPECT_TRUE(document.is_object()) << ran.out;
  return document;
}

void expect_refused(const Outcome& ran, const std::vector<std::string>& words) {
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("pageproof: ")) << ran.err;
  EXPECT_TRUE(std::ranges::count(ran.err, '\n') == 1 && ran.err.ends_with('\n')) << ran.err;
  for (const std::string& word : words) {
    EXPECT_NE(ran.err.find(word), std::string::npos) << "no \"" << word << "\" in: " << ran.err;
  }
}

}  // namespace pageproof::cli_tests
