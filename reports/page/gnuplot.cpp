#include "reports/page/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <thread>

#include "reports/page/html.hpp"
#include "reports/page/svg.hpp"

namespace pageproof::page {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close_now(); }
  void close_now() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_;
};

// One end is the process's standard input and output. It sees none of the caller's environment but the
// language of its messages.
Expected<pid_t> start(const std::string& program, int end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program, no_defaults = "-d", language = "LC_ALL=C.UTF-8";
  std::array<char*, 3> arguments{name.data(), no_defaults.data(), nullptr};
  std::array<char*, 2> environment{language.data(), nullptr};
  // A group of its own, so that what it starts ends with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  const int failed =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::unexpected(Error{"gnuplot", "program", program, "cannot be started"});
  return child;
}

std::string too_long(const GnuplotLimits& limits) {
  return fmt::format("not done within {} ms", limits.time.count());
}

// Its exit status once it has ended; nothing where it has not by the deadline.
std::optional<int> ended(pid_t child, Clock::time_point deadline) {
  int status = 0;
  while (true) {
    const pid_t found = waitpid(child, &status, WNOHANG);
    if (found == child) return status;
    // Somebody else has waited for it: its output alone can tell.
    if (found < 0 && errno == ECHILD) return 0;
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Sends the commands and collects the answer until its end. What stopped it before, or empty.
std::string exchange(Descriptor& ours, std::string_view commands, const GnuplotLimits& limits,
                     Clock::time_point deadline, std::string& answer) {
  std::array<char, 65536> buffer{};
  bool sending = true;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return too_long(limits);
    pollfd ready{.fd = ours.number(), .events = POLLIN, .revents = 0};
    if (sending) ready.events |= POLLOUT;
    if (poll(&ready, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return "poll failed";
    if (sending && (ready.revents & (POLLOUT | POLLERR | POLLHUP)) != 0) {
      const ssize_t sent = send(ours.number(), commands.data(), commands.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) commands.remove_prefix(static_cast<std::size_t>(sent));
      const bool gone = sent < 0 && errno != EAGAIN && errno != EINTR;
      if (commands.empty() || gone) {
        shutdown(ours.number(), SHUT_WR);
        sending = false;
      }
    }
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t got = recv(ours.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    // Reset: it ended with commands unread, after what it wrote.
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return {};
    if (got < 0 && errno != EAGAIN && errno != EINTR) return "its output cannot be read";
    if (got < 0) continue;
    answer.append(buffer.data(), static_cast<std::size_t>(got));
    if (answer.size() > limits.bytes) return fmt::format("more than {} bytes of output", limits.bytes);
  }
}

}  // namespace

Expected<std::string> drawn(const std::string& program, std::string_view commands,
                            const GnuplotLimits& limits) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::unexpected(Error{"gnuplot", "program", program, "no socket for it"});
  }
  Descriptor ours(ends[0]), theirs(ends[1]);
  const Expected<pid_t> child = start(program, theirs.number());
  if (!child) return std::unexpected(child.error());
  theirs.close_now();
  const Clock::time_point deadline = Clock::now() + limits.time;
  std::string answer;
  std::string stopped = exchange(ours, commands, limits, deadline, answer);
  std::optional<int> done;
  if (stopped.empty()) done = ended(*child, deadline);
  if (!done) {
    kill(-*child, SIGKILL);
    waitpid(*child, nullptr, 0);
    if (stopped.empty()) stopped = too_long(limits);
  }
  if (!stopped.empty()) return std::unexpected(Error{"gnuplot", "program", program, stopped});
  const int status = *done;
  if (WIFSIGNALED(status)) {
    return std::unexpected(Error{"gnuplot", "signal", std::to_string(WTERMSIG(status)), "it was ended"});
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return std::unexpected(
        Error{"gnuplot", "exit status", std::to_string(WEXITSTATUS(status)), "it refused the commands"});
  }
  const std::size_t begin = answer.find("<svg");
  const std::size_t end = answer.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos) {
    return std::unexpected(Error{"gnuplot", "output", answer.substr(0, 60), "no SVG"});
  }
  std::string svg = answer.substr(begin, end + 6 - begin);
  // It leaves every '>' of a text as it is; XML forbids the one that would end a CDATA section.
  for (std::size_t at = svg.find("]]>"); at != std::string::npos; at = svg.find("]]>", at)) {
    svg.replace(at, 3, "]]&gt;");
  }
  if (const std::string broken = malformed(svg); !broken.empty()) {
    return std::unexpected(Error{"gnuplot", "output", broken, "no well-formed SVG"});
  }
  return svg;
}

std::string quoted(std::string_view text, std::size_t most) {
  std::string out = "'";
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == most) {
      out += "\u2026";
      break;
    }
    const std::size_t bytes = character_bytes(text);
    const char c = text[0];
    if (c == '\'') {
      out += "\u2019";
    } else if (bytes == 0 || c == '\n' || c == '\t') {
      out += ' ';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + "'";
}

}  // namespace pageproof::page
