// A Python process that is asked line by line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::plan::bench {

class Python {
 public:
  // Starts SCRIPT with the first of these programs that answers "ready VERSION NUMPY" with a NUMPY other than
  // "-", or with one that answers at all. Refused: none does.
  static Expected<Python> start(const std::vector<std::string>& programs, const std::string& script);

  Python(Python&& other) noexcept;
  Python& operator=(Python&&) = delete;
  ~Python();  // closes its input, which ends it, and waits

  const std::string& version() const { return version_; }  // "3.11.2"
  const std::string& numpy() const { return numpy_; }      // "1.24.2", or "-"

  // The answer's line. Nothing: it has ended, or has not answered within ten minutes.
  std::optional<std::string> ask(const std::string& line);

 private:
  Python(int socket, int process) : socket_(socket), process_(process) {}
  static std::optional<Python> started(const std::string& program, const std::string& script);
  std::optional<std::string> read_line();

  int socket_ = -1;
  int process_ = -1;
  std::string version_, numpy_, pending_;
};

}  // namespace pageproof::plan::bench
