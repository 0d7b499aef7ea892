#include "kernels/plan/bench/python.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <utility>

extern char** environ;

namespace pageproof::plan::bench {

Python::Python(Python&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      process_(std::exchange(other.process_, -1)),
      version_(std::move(other.version_)),
      numpy_(std::move(other.numpy_)),
      pending_(std::move(other.pending_)) {}

Python::~Python() {
  if (socket_ >= 0) close(socket_);
  if (process_ >= 0) waitpid(process_, nullptr, 0);
}

std::optional<Python> Python::started(const std::string& program, const std::string& script) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  const timeval limit{.tv_sec = 600, .tv_usec = 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = program, path = script;
  char* arguments[] = {name.data(), path.data(), nullptr};
  pid_t process = -1;
  const int failed = posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Python python(ends[0], failed == 0 ? process : -1);
  if (failed != 0) return std::nullopt;
  const std::optional<std::string> hello = python.read_line();
  std::istringstream words(hello.value_or(""));
  std::string ready;
  if (!(words >> ready >> python.version_ >> python.numpy_) || ready != "ready") return std::nullopt;
  return python;
}

Expected<Python> Python::start(const std::vector<std::string>& programs, const std::string& script) {
  std::optional<Python> without_numpy;
  for (const std::string& program : programs) {
    std::optional<Python> python = started(program, script);
    if (python && python->numpy_ != "-") return *std::move(python);
    if (python && !without_numpy) without_numpy.emplace(*std::move(python));
  }
  if (without_numpy) return *std::move(without_numpy);
  return std::unexpected(
      Error{"python", "", fmt::format("{}", fmt::join(programs, ", ")), fmt::format("none runs {}", script)});
}

std::optional<std::string> Python::ask(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t bytes = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (bytes <= 0) return std::nullopt;
    sent += static_cast<std::size_t>(bytes);
  }
  return read_line();
}

std::optional<std::string> Python::read_line() {
  while (true) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t bytes = recv(socket_, buffer, sizeof buffer, 0);
    if (bytes <= 0) return std::nullopt;
    pending_.append(buffer, static_cast<std::size_t>(bytes));
  }
}

}  // namespace pageproof::plan::bench
