// What a log has said so far: of each block who holds it, how its bytes came there and what may still touch
// it, and of each request its reads and kernels. Everything that happened is a node of the order and a line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/receive/event.hpp"
#include "reports/receive/order.hpp"

namespace pageproof::receive_log {

// A kernel, a READ, or what a thread did, and the line that says so.
struct Touch {
  Order::Node node = 0;
  std::size_t line = 0;
  Kind kind = Kind::setting;
};

// Threads' newest sight of something: whoever has a path from all of them has one from every earlier one.
using Seen = std::map<Order::Chain, Touch>;

inline std::size_t last_line(const Seen& seen) {
  std::size_t line = 0;
  for (const auto& [thread, touch] : seen) line = std::max(line, touch.line);
  return line;
}
inline std::size_t first_line(const Seen& seen) {
  std::size_t line = seen.begin()->second.line;
  for (const auto& [thread, touch] : seen) line = std::min(line, touch.line);
  return line;
}

// A block of the pool since it was last given to a request to fill.
struct Block {
  std::set<std::string> holders = {};
  std::string filler = {};                     // the request that was given it to fill,
  Touch given = {};                            // and when
  Seen freed = {};                             // by whoever held it since
  std::size_t group = 0;                       // which layers it holds: an index of the checker's groups
  bool convert = true;                         // what lands in it has to be converted
  bool reads = true;                           // false: steps fill it, not READs
  std::vector<Touch> overwrites = {};          // zero or copy, that what fills the block has to wait for
  std::map<std::size_t, Touch> flying = {};    // READs on their way into it, by line
  std::optional<std::size_t> posted = {};      // the newest READ
  Seen seen = {};                              // READs that have ended
  std::optional<std::size_t> failed = {};      // one of them badly
  std::map<std::uint64_t, Touch> layers = {};  // that were converted
  std::vector<Touch> digests = {};
  std::optional<Touch> local = {};  // the kernel here that filled it: recompute, copy, schedule
  std::optional<Touch> used = {};   // the first step that uses it
  std::uint64_t ready = 0;          // chains that have a path from all that fills it
  bool unknown = false;             // a refused line has to do with it, or the log starts behind its filling
};

// That a request was given a block, to fill or filled.
struct Given {
  Touch allocated;
  bool own = true;
  Seen uses = {};  // the newest kernel of each stream that names it, and its reads that have ended
};

struct Read {
  Touch post;
  Order::Node landing = 0;
  Order::Chain thread = 0;            // that posted it
  std::vector<std::uint64_t> blocks;  // sorted
};

struct Report {
  Touch touch;
  bool ok = true;
};

// What is on its way for a request, and who has said what of it: its freeing changes nothing of that.
struct Pending {
  std::map<std::uint64_t, Read> outstanding = {};  // by handle
  std::deque<Touch> steps = {};                    // those that are not known to have ended
  std::map<std::string, Report> reported = {};     // by thread, since reads were last awaited
  bool awaits_reads = false;
  std::optional<std::size_t> told = {};
};

struct Request : Pending {
  Touch allocated;
  std::map<std::uint64_t, Given> given = {};
  std::map<std::uint64_t, std::size_t> gone = {};  // blocks that were freed before it, and the line
  std::map<std::uint64_t, Read> stale = {};        // reads that an earlier life under its name has left
  Seen seen = {};                                  // its reads that have ended
  Seen uses = {};                                  // likewise, of what uses all its blocks
  Seen failed = {};                                // a thread's first sight of a failure
  std::optional<std::size_t> recomputed = {};
  std::optional<Touch> started = {};  // its first step since reads were last awaited
  bool scheduled = false;
  std::set<std::string> ready = {};  // streams that have a path from all that fills its blocks
};

// What is left of a request when it is freed.
struct Freed : Pending {
  std::size_t line = 0;
  std::size_t allocated_line = 0;
};

using Blocks = std::unordered_map<std::uint64_t, Block>;
using Requests = std::map<std::string, Request, std::less<>>;

}  // namespace pageproof::receive_log
