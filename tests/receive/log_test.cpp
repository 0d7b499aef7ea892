// The rules of logs, each with a log that breaks it and no other, and that log's right neighbour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/receive/names.hpp"
#include "reports/receive/log_rules.hpp"
#include "tests/receive/log_lines.hpp"

namespace pageproof::receive_log_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kSet = "setting layers=1 blocks=8; ";
const std::string kGive = kSet + "allocate A blocks=[3]; ";                              // lines 1 and 2
const std::string kRead = kGive + "post A handle=0 blocks=[3]; read_done A handle=0; ";  // 3 and 4
const std::string kReady = kRead + "convert A blocks=[3] layer=0 stream=s; ";            // 5
const std::string kLanded = kSet + "allocate A blocks=[3] convert=false; ";              // 1 and 2
const std::string kStep = "schedule A stream=s; step_done A; free A";
const std::string kFenced =
    "setting layers=1 blocks=8 fence_needed=true; allocate A blocks=[3]; "
    "post A handle=0 blocks=[3]; read_done A handle=0; ";  // 1 to 4
const std::string kTwoGroups =                             // 1 to 5
    "setting layers=2 blocks=8; allocate A blocks=[3] layers=[0]; allocate A blocks=[4] layers=[1]; "
    "post A handle=0 blocks=[3,4]; read_done A handle=0; ";
const std::string kLocal =  // 1 to 4; block 5: this engine's
    kSet + "allocate A blocks=[3] local=[5]; post A handle=0 blocks=[3]; read_done A handle=0; ";
const std::string kTwoBlocks =  // 1 to 4
    kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; ";
const std::string kOneOfTwo =  // 1 to 6
    "setting layers=1 blocks=8 workers=2; allocate A blocks=[3]; post A handle=0 blocks=[3]; "
    "read_done A handle=0; convert A blocks=[3] layer=0 stream=s; report A; ";
const std::string kTwoThreads =  // 1 to 4
    "setting layers=1 blocks=8 thread=S; allocate A blocks=[3] thread=S; send name=out thread=S; "
    "receive name=out thread=W; ";
const std::string kReadByW =  // 5 and 6
    kTwoThreads + "post A handle=0 blocks=[3] thread=W; read_done A handle=0 thread=W; ";

struct Row {
  std::string said;    // the rule and the lines that prove it
  std::string broken;  // a log
  std::string right;   // its neighbour that keeps every rule
};

std::vector<Row> rows() {
  return {
      // What a step reads is converted, and it waits for that.
      {"unconverted_scheduled 2 5", kRead + "schedule A stream=s", kReady + kStep},
      {"unconverted_scheduled 2 6", kRead + "allocate B blocks=[] shared=[3]; schedule B stream=s",
       kReady + "allocate B blocks=[] shared=[3]; schedule B stream=s"},
      {"unconverted_decoded 5 6", kReady + "schedule A stream=t",
       kReady + "record name=e stream=s; wait name=e stream=t; schedule A stream=t"},
      {"unconverted_decoded 5 8",
       kReady + "record name=e stream=s; sync name=e thread=Q; schedule A stream=t",
       kReady + "record name=e stream=s; sync name=e; schedule A stream=t"},
      {"unconverted_decoded 6 8",
       "setting layers=2 blocks=8; allocate A blocks=[3]; post A handle=0 blocks=[3]; read_done A handle=0; "
       "convert A blocks=[3] layer=0 stream=s; convert A blocks=[3] layer=1 stream=t; sync stream=s; "
       "schedule A stream=u",
       "setting layers=2 blocks=8; allocate A blocks=[3]; post A handle=0 blocks=[3]; read_done A handle=0; "
       "convert A blocks=[3] layer=0 stream=s; convert A blocks=[3] layer=1 stream=t; sync device=true; "
       "schedule A stream=u"},
      // It lies in a READ that has ended.
      {"unread_scheduled 2 3", kLanded + "schedule A stream=s",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; " + kStep},
      {"unread_scheduled 3 4", kLanded + "post A handle=0 blocks=[3]; schedule A stream=s",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; schedule A stream=s"},
      {"unread_scheduled 3 5",
       kLanded + "post A handle=0 blocks=[3]; allocate B blocks=[] shared=[3]; schedule B stream=s",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; allocate B blocks=[] shared=[3]; "
                 "schedule B stream=s"},
      {"unread_scheduled 5 6",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; schedule A stream=s; "
                 "post A handle=1 blocks=[3]; read_done A handle=1",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; post A handle=1 blocks=[3]; "
                 "read_done A handle=1; schedule A stream=s"},
      {"unread_converted 2 3", kGive + "convert A blocks=[3] layer=0 stream=s", kReady},
      {"unread_converted 2 5",  // block 4 is in no READ
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; read_done A handle=0; "
              "convert A blocks=[3,4] layer=0 stream=s",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3,4]; read_done A handle=0; "
              "convert A blocks=[3,4] layer=0 stream=s"},
      {"unread_converted 2 5",  // a READ of nothing
       kGive + "post A handle=0 blocks=[]; read_done A handle=0; convert A blocks=[3] layer=0 stream=s",
       kReady},
      // Conversions and READs of one block.
      {"converted_while_read 3 4",
       kGive + "post A handle=0 blocks=[3]; convert A blocks=[3] layer=0 stream=s", kReady},
      {"converted_while_read 5 6", kReady + "post A handle=1 blocks=[3]", kReady + kStep},
      {"converted_while_read 4 6",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; "
              "read_done A handle=0; convert A blocks=[4] layer=0 stream=s",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; "
              "read_done A handle=0; convert A blocks=[3] layer=0 stream=s"},
      {"converted_twice 5 6", kReady + "convert A blocks=[3] layer=0 stream=s", kReady},
      {"not_own_written 2 7",
       kReady + "allocate B blocks=[4] shared=[3]; convert B blocks=[3] layer=0 stream=s",
       kReady + "allocate B blocks=[4] shared=[3]; post B handle=0 blocks=[4]; read_done B handle=0; "
                "convert B blocks=[4] layer=0 stream=s; schedule B stream=s"},
      {"match_converted 2 5",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; convert A blocks=[3] layer=0 stream=s",
       kReady},
      {"local_converted 3 4", kGive + "recompute A stream=s; convert A blocks=[3] layer=0 stream=s",
       kGive + "recompute A stream=s; schedule A stream=s"},
      // Blocks of others.
      {"not_own_written 2 7", kReady + "allocate B blocks=[4] shared=[3]; post B handle=0 blocks=[3,4]",
       kReady + "allocate B blocks=[4] shared=[3]; post B handle=0 blocks=[4]"},
      {"not_own_written 2 5",
       kGive + "post A handle=0 blocks=[3]; allocate B blocks=[] shared=[3]; convert B blocks=[3] layer=0 "
               "stream=s",
       kGive + "post A handle=0 blocks=[3]; allocate B blocks=[] shared=[3]; read_done A handle=0; "
               "convert A blocks=[3] layer=0 stream=s; schedule B stream=s"},
      {"not_own_written 2 4", kGive + "allocate B blocks=[4]; post B handle=0 blocks=[3]",
       kGive + "allocate B blocks=[4]; post B handle=0 blocks=[4]"},
      {"not_own_written 2 7", kReady + "allocate B blocks=[] shared=[3]; zero B blocks=[3] stream=s",
       kReady + "allocate B blocks=[4] shared=[3]; zero B blocks=[4] stream=s"},
      // A prefix that this engine filled outside the log, by each line that writes.
      {"not_own_written 2 5", kLocal + "convert A blocks=[3,5] layer=0 stream=s",
       kLocal + "convert A blocks=[3] layer=0 stream=s"},
      {"not_own_written 2 5", kLocal + "zero A blocks=[5] stream=z", kLocal + "free A"},
      {"not_own_written 2 5", kLocal + "copy A blocks=[5] stream=z", kLocal + "free A"},
      {"not_own_written 2 5", kLocal + "post A handle=1 blocks=[5]", kLocal + "post A handle=1 blocks=[3]"},
      {"not_own_written 2 5", kLocal + "recompute A blocks=[5] stream=s", kLocal + "recompute A stream=s"},
      {"digest_of_converted 2 5", kLocal + "digest A blocks=[5] stream=s",
       kLocal + "digest A blocks=[3] stream=s"},
      {"unconverted_scheduled 2 5",  // the log shows what is in it
       kGive + "free A; allocate B blocks=[] local=[3]; schedule B stream=s",
       kReady + "allocate B blocks=[] local=[3]; schedule B stream=s"},
      {"reused_while_held 2 3", kGive + "allocate B blocks=[3]", kGive + "free A; allocate B blocks=[3]"},
      {"reused_while_held 2 3", kGive + "allocate A blocks=[3]", kGive + "allocate A blocks=[4]"},
      {"reused_while_held 3 4 missing line 3 (free) before line 4 (allocate)",
       kGive + "free A; allocate B blocks=[3] thread=S",
       kGive + "free A; send name=m; receive name=m thread=S; allocate B blocks=[3] thread=S"},
      {"reused_while_held 8 12 missing line 8 (free) before line 12 (allocate)",  // the first of two freeings
       kReady + "allocate B blocks=[] shared=[3]; sync stream=s; free A; send name=m thread=S; "
                "allocate C blocks=[4]; free B thread=S; allocate D blocks=[3] thread=S",
       kReady + "allocate B blocks=[] shared=[3]; sync stream=s; free A; send name=m; "
                "receive name=m thread=S; free B thread=S; allocate D blocks=[3] thread=S"},
      // Freed is freed.
      {"freed_while_touched 3 4", kGive + "post A handle=0 blocks=[3]; free A", kRead + "free A"},
      {"freed_while_touched 7 8", kReady + "sync stream=s; schedule A stream=s; free A", kReady + kStep},
      {"freed_while_zeroed 3 4", kGive + "zero A blocks=[3] stream=z; free A",
       kGive + "zero A blocks=[3] stream=z; sync stream=z; free A"},
      {"freed_while_touched 5 6", kRead + "free A; schedule A stream=s", kRead + "free A"},
      {"freed_while_touched 5 6", kRead + "free A; convert A blocks=[3] layer=0 stream=s", kRead + "free A"},
      {"freed_while_touched 5 6", kRead + "free A; post A handle=1 blocks=[3]", kRead + "free A"},
      {"freed_while_touched 5 6", kRead + "free A; zero A blocks=[3] stream=s", kRead + "free A; notify A"},
      {"freed_while_touched 5 6", kRead + "free A; recompute A stream=s", kRead + "free A"},
      {"freed_while_touched 5 6", kRead + "free A; free A", kRead + "free A; allocate A blocks=[3]; free A"},
      {"freed_while_touched 8 11",  // though another one holds the block by then
       kReady + kStep + "; allocate B blocks=[3]; post B handle=0 blocks=[3]; schedule A stream=s",
       kReady + kStep + "; allocate B blocks=[3]; post B handle=0 blocks=[3]; read_done B handle=0"},
      {"freed_while_touched 8 10",  // of a request that never had it
       kReady + kStep + "; allocate B blocks=[4]; post B handle=0 blocks=[3]",
       kReady + kStep + "; allocate B blocks=[4]; post B handle=0 blocks=[4]"},
      {"freed_while_touched 5 6", kRead + "free A; report A", kRead + "report A; free A"},
      // What one thread has waited for another one has not.
      {"freed_while_touched 3 8 missing line 3 (schedule) before line 8 (free)",
       kSet + "allocate A blocks=[3,4] read=false; schedule A stream=s; send name=m; "
              "receive name=m thread=S; step_done A; free A blocks=[3]; free A thread=S",
       kSet + "allocate A blocks=[3,4] read=false; schedule A stream=s; step_done A; send name=m; "
              "receive name=m thread=S; free A blocks=[3]; free A thread=S"},
      // Failures.
      {"failed_converted 4 5",
       kGive + "post A handle=0 blocks=[3]; read_failed A handle=0; convert A blocks=[3] layer=0 stream=s",
       kGive + "post A handle=0 blocks=[3]; read_failed A handle=0; report A ok=false; recompute A stream=s; "
               "schedule A stream=s"},
      {"failed_scheduled 3 4", kGive + "report A ok=false; schedule A stream=s",
       kGive + "report A ok=false; recompute A stream=s; schedule A stream=s"},
      {"failed_scheduled 4 7",  // its prefix block
       kLanded +
           "post A handle=0 blocks=[3]; read_failed A handle=0; free A; allocate B blocks=[] shared=[3]; "
           "schedule B stream=s",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; free A; allocate B blocks=[] shared=[3]; "
                 "schedule B stream=s"},
      {"failure_before_reads_end 4 6",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_failed A handle=0; report A "
               "ok=false",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_failed A handle=0; "
               "read_done A handle=1; report A ok=false"},
      {"failure_before_reads_end 6 7 missing line 6 (read_failed) before line 7 (report)",
       kTwoThreads + "post A handle=0 blocks=[3] thread=W; read_failed A handle=0 thread=W; "
                     "report A ok=false thread=S",
       kTwoThreads + "post A handle=0 blocks=[3] thread=W; read_failed A handle=0 thread=W; "
                     "report A ok=false thread=W"},
      {"reported_before_reads_end 3 4", kGive + "post A handle=0 blocks=[3]; report A", kRead + "report A"},
      {"reported_before_reads_end 3 4", kGive + "report A; post A handle=0 blocks=[3]", kRead + "report A"},
      {"reported_before_reads_end 6 7 missing line 6 (read_done) before line 7 (report)",
       kReadByW + "report A thread=S", kReadByW + "report A thread=W"},
      {"recomputed_while_touched 4 6",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_failed A handle=0; recompute A "
               "stream=s",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_failed A handle=0; "
               "read_done A handle=1; recompute A stream=s"},
      {"recomputed_while_touched 4 6",  // a read into another block
       kTwoBlocks + "read_failed A handle=0; recompute A blocks=[3] stream=s",
       kTwoBlocks + "read_failed A handle=0; read_done A handle=1; recompute A stream=s"},
      {"recomputed_while_touched 6 7 missing line 6 (read_failed) before line 7 (recompute)",
       kTwoThreads + "post A handle=0 blocks=[3] thread=W; read_failed A handle=0 thread=W; "
                     "recompute A stream=s thread=S",
       kTwoThreads + "post A handle=0 blocks=[3] thread=W; read_failed A handle=0 thread=W; "
                     "recompute A stream=s thread=W"},
      {"recomputed_while_touched 5 6", kRead + "recompute A stream=s; report A ok=false",
       kRead + "report A ok=false; recompute A stream=s"},
      {"recomputed_while_touched 2 7", kOneOfTwo + "recompute A stream=s",
       kOneOfTwo + "report A thread=other; send name=m thread=other; receive name=m; recompute A stream=s"},
      {"failure_before_reads_end 3 4", kGive + "report A ok=false; post A handle=0 blocks=[3]",
       kTwoBlocks + "read_failed A handle=0; post A handle=2 blocks=[3]; read_done A handle=1; "
                    "read_done A handle=2; report A ok=false"},
      {"policy_twice 3 4 5", kGive + "report A ok=false; recompute A stream=s; recompute A stream=s",
       kGive + "recompute A stream=s; recompute A stream=s"},
      {"scheduled_before_workers 2 7", kOneOfTwo + "schedule A stream=s",
       kOneOfTwo + "report A thread=other; send name=m thread=other; receive name=m; schedule A stream=s"},
      {"scheduled_before_workers 7 8 missing line 7 (report) before line 8 (schedule)",
       kOneOfTwo + "report A thread=other; schedule A stream=s",
       kOneOfTwo + "report A thread=other; send name=m thread=other; receive name=m; schedule A stream=s"},
      {"scheduled_before_workers 6 7", kReady + "schedule A stream=s; report A",
       kReady + "report A; schedule A stream=s"},
      {"freed_while_touched 2 8", kOneOfTwo + "sync stream=s; free A",
       kOneOfTwo + "sync stream=s; report A thread=other; send name=m thread=other; receive name=m; free A"},
      {"freed_while_touched 8 9 missing line 8 (report) before line 9 (free)",
       kOneOfTwo + "sync stream=s; report A thread=other; free A",
       kOneOfTwo + "sync stream=s; report A thread=other; send name=m thread=other; receive name=m; free A"},
      // The prefill.
      {"told_before_reads_end 3 4", kGive + "post A handle=0 blocks=[3]; notify A", kRead + "notify A"},
      {"told_before_reads_end 5 6", kRead + "notify A; post A handle=1 blocks=[3]", kRead + "notify A"},
      {"told_twice 5 6", kRead + "notify A; notify A", kRead + "notify A"},
      {"told_twice 5 7", kRead + "notify A; free A; notify A", kRead + "free A; notify A"},
      // What else writes into the block.
      {"zeroed_after_landing 3 4 missing line 3 (zero) before line 4 (post)",
       kGive + "zero A blocks=[3] stream=z; post A handle=0 blocks=[3]",
       kGive + "zero A blocks=[3] stream=z; sync stream=z; post A handle=0 blocks=[3]"},
      {"zeroed_after_landing 4 8 missing line 4 (zero) before line 8 (post)",  // another thread's post
       kGive + "send name=m; zero A blocks=[3] stream=z; receive name=m thread=W; sync stream=z; "
               "post A handle=0 blocks=[3]; post A handle=1 blocks=[3] thread=W",
       kGive + "zero A blocks=[3] stream=z; sync stream=z; send name=m; post A handle=0 blocks=[3]; "
               "receive name=m thread=W; post A handle=1 blocks=[3] thread=W"},
      {"zeroed_after_landing 3 6",  // a zero that the first READ need not wait for
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; zero A blocks=[4] stream=z; fence; "
              "zero A blocks=[3] stream=z",
       kSet +
           "allocate A blocks=[3,4]; zero A blocks=[4] stream=z; post A handle=0 blocks=[3]; sync stream=z; "
           "post A handle=1 blocks=[4]"},
      {"zeroed_after_landing 3 5", kRead + "copy A blocks=[3] stream=s",
       kGive + "copy A blocks=[3] stream=s; sync stream=s; post A handle=0 blocks=[3]; read_done A handle=0; "
               "convert A blocks=[3] layer=0 stream=s; schedule A stream=s"},
      {"overwritten_after_fill 3 4 missing line 3 (zero) before line 4 (recompute)",
       kGive + "zero A blocks=[3] stream=z; recompute A stream=s",
       kGive + "zero A blocks=[3] stream=s; recompute A stream=s"},
      {"overwritten_after_fill 3 4", kGive + "recompute A stream=s; zero A blocks=[3] stream=s",
       kGive + "zero A blocks=[3] stream=s; recompute A stream=s"},
      {"overwritten_after_fill 3 4 missing line 3 (recompute) before line 4 (recompute)",
       kGive + "recompute A stream=s; recompute A stream=t",
       kGive + "recompute A stream=s; recompute A stream=s"},
      {"recomputed_while_touched 5 6 missing line 5 (convert) before line 6 (recompute)",
       kReady + "recompute A stream=t", kReady + "recompute A stream=s"},
      {"overwritten_after_fill 3 4", kGive + "recompute A stream=s; post A handle=0 blocks=[3]", kRead},
      // What this engine fills itself.
      {"unfilled_decoded 3 4 missing line 3 (recompute) before line 4 (schedule)",
       kGive + "recompute A stream=s; schedule A stream=t",
       kGive + "recompute A stream=s; schedule A stream=s"},
      {"unfilled_decoded 2 4",
       kSet + "allocate A blocks=[3] read=false; allocate B blocks=[] shared=[3]; schedule B stream=s",
       kSet + "allocate A blocks=[3] read=false; schedule A stream=s; allocate B blocks=[] shared=[3]; "
              "schedule B stream=s"},
      {"unfilled_decoded 7 8 missing line 7 (copy) before line 8 (schedule)",
       kReady + "allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s; schedule B stream=t",
       kReady + "allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s; schedule B stream=s"},
      {"unconverted_scheduled 2 6", kRead + "allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s",
       kReady + "allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s"},
      // A source while it is copied.
      {"freed_while_touched 8 9 missing line 8 (copy) before line 9 (free)",
       kReady + "sync stream=s; allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s; free A",
       kReady + "sync stream=s; allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s; sync stream=s; "
                "free A"},
      {"freed_while_touched 7 8 missing line 7 (copy) before line 8 (free)",  // from one of its own
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; read_done A handle=0; "
              "convert A blocks=[3] layer=0 stream=s; sync stream=s; "
              "copy A blocks=[4] from=[3] stream=c; free A blocks=[3]",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; read_done A handle=0; "
              "convert A blocks=[3] layer=0 stream=s; sync stream=s; "
              "copy A blocks=[4] from=[3] stream=c; sync stream=c; free A blocks=[3]"},
      {"unread_scheduled 6 7",  // nothing is read into it any more
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; allocate B blocks=[4]; "
                 "copy B blocks=[4] from=[3] stream=s; post A handle=1 blocks=[3]",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; allocate B blocks=[4]; "
                 "copy B blocks=[4] from=[3] stream=s"},
      {"freed_while_touched 7 9",
       kReady + "sync stream=s; free A; allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s",
       kReady + "sync stream=s; allocate B blocks=[4]; copy B blocks=[4] from=[3] stream=s; sync stream=s; "
                "free A"},
      {"unfilled_decoded 7 8",  // ready once, and filled anew
       kGive + "recompute A stream=s; schedule A stream=s blocks=[3]; record name=e stream=s; "
               "wait name=e stream=t; recompute A stream=t; schedule A stream=s blocks=[3]",
       kGive + "recompute A stream=s; schedule A stream=s blocks=[3]; recompute A stream=s; "
               "schedule A stream=s blocks=[3]"},
      {"unfilled_decoded 7 8",
       kGive + "recompute A stream=s; schedule A stream=s; record name=e stream=s; wait name=e stream=t; "
               "recompute A stream=t; schedule A stream=s",
       kGive + "recompute A stream=s; schedule A stream=s; recompute A stream=s; schedule A stream=s"},
      // A part of a request is not all of it.
      {"unconverted_scheduled 2 8",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; read_done A "
              "handle=0; "
              "read_failed A handle=1; recompute A blocks=[4] stream=s; schedule A stream=s",
       kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; read_done A "
              "handle=0; "
              "read_failed A handle=1; recompute A stream=s; schedule A stream=s"},
      {"unconverted_scheduled 7 8",
       kReady + "schedule A stream=s; allocate A blocks=[4] read=true; schedule A stream=s",
       kReady + "schedule A stream=s; allocate A blocks=[4]; schedule A stream=s"},
      {"freed_while_touched 3 5",
       kSet + "allocate A blocks=[3,4] read=false; schedule A blocks=[4] stream=s; free A blocks=[3]; free A",
       kSet + "allocate A blocks=[3,4] read=false; schedule A blocks=[4] stream=s; free A blocks=[3]; "
              "step_done A; "
              "free A"},
      // Fences and digests.
      {"read_not_fenced 4 8",
       kFenced +
           "fence thread=W; send name=m thread=W; receive name=m; convert A blocks=[3] layer=0 stream=s",
       kFenced + "fence; convert A blocks=[3] layer=0 stream=s"},
      {"read_not_fenced 4 5 missing line 4 (read_done) before line 5 (convert)",
       kFenced + "convert A blocks=[3] layer=0 stream=s",
       kFenced + "fence; convert A blocks=[3] layer=0 stream=s"},
      {"read_not_fenced 4 6", kFenced + "fence stream=t; convert A blocks=[3] layer=0 stream=s",
       kFenced + "fence stream=s; convert A blocks=[3] layer=0 stream=s"},
      {"read_not_fenced 4 6",  // another request's prefix
       "setting layers=1 blocks=8 fence_needed=true; allocate A blocks=[3] convert=false; "
       "post A handle=0 blocks=[3]; read_done A handle=0; allocate B blocks=[] shared=[3]; schedule B "
       "stream=s",
       "setting layers=1 blocks=8 fence_needed=true; allocate A blocks=[3] convert=false; "
       "post A handle=0 blocks=[3]; read_done A handle=0; fence; allocate B blocks=[] shared=[3]; schedule B "
       "stream=s"},
      {"digest_of_converted 5 6", kReady + "digest A blocks=[3] stream=s",
       kRead + "digest A blocks=[3] stream=s; convert A blocks=[3] layer=0 stream=s"},
      {"digest_of_converted 5 6 missing line 5 (digest) before line 6 (convert)",
       kRead + "digest A blocks=[3] stream=t; convert A blocks=[3] layer=0 stream=s",
       kRead + "digest A blocks=[3] stream=t; sync stream=t; convert A blocks=[3] layer=0 stream=s"},
      {"digest_of_converted 5 8 missing line 5 (digest) before line 8 (convert)",  // the first of two
       kRead + "digest A blocks=[3] stream=t; digest A blocks=[3] stream=u; sync stream=u; "
               "convert A blocks=[3] layer=0 stream=s",
       kRead + "digest A blocks=[3] stream=t; digest A blocks=[3] stream=u; sync device=true; "
               "convert A blocks=[3] layer=0 stream=s"},
      {"digest_of_converted 5 6", kRead + "digest A blocks=[3] stream=t; post A handle=1 blocks=[3]",
       kRead + "post A handle=1 blocks=[3]; read_done A handle=1; digest A blocks=[3] stream=t"},
      {"digest_of_converted 3 4", kGive + "post A handle=0 blocks=[3]; digest A blocks=[3] stream=s",
       kRead + "digest A blocks=[3] stream=s"},
      {"digest_of_converted 2 3", kGive + "digest A blocks=[3] stream=s",
       kRead + "digest A blocks=[3] stream=s"},
      {"digest_of_converted 6 7 missing line 6 (read_done) before line 7 (digest)",
       kReadByW + "digest A blocks=[3] stream=s thread=S",
       kReadByW + "digest A blocks=[3] stream=s thread=W"},
      // Groups of layers with blocks of their own.
      {"unconverted_scheduled 3 7", kTwoGroups + "convert A blocks=[3] layer=0 stream=s; schedule A stream=s",
       kTwoGroups + "convert A blocks=[3] layer=0 stream=s; convert A blocks=[4] layer=1 stream=s; " + kStep},
      {"other_group_converted 3 6", kTwoGroups + "convert A blocks=[4] layer=0 stream=s",
       kTwoGroups + "convert A blocks=[4] layers=[1] stream=s"},
      // Two threads: a message is what orders them.
      {"freed_while_touched 2 3 missing line 2 (allocate) before line 3 (post)",
       kGive + "post A handle=0 blocks=[3] thread=W",
       kGive + "send name=m; receive name=m thread=W; post A handle=0 blocks=[3] thread=W"},
      {"freed_while_touched 6 7 missing line 6 (read_done) before line 7 (free)",
       kReadByW + "free A thread=S",
       kReadByW + "send name=back thread=W; receive name=back thread=S; free A thread=S"},
      {"told_before_reads_end 6 7 missing line 6 (read_done) before line 7 (notify)",
       kReadByW + "notify A thread=S", kReadByW + "notify A thread=W"},
      {"unread_scheduled 6 7 missing line 6 (read_done) before line 7 (schedule)",
       kLanded + "send name=m; receive name=m thread=S; post A handle=0 blocks=[3]; read_done A handle=0; "
                 "schedule A stream=s thread=S",
       kLanded + "post A handle=0 blocks=[3]; read_done A handle=0; send name=m; receive name=m thread=S; "
                 "schedule A stream=s thread=S"},
      {"converted_while_read 5 7 missing line 5 (read_done) before line 7 (convert)",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_done A handle=0 thread=W; "
               "read_done A handle=1; convert A blocks=[3] layer=0 stream=s",
       kGive + "post A handle=0 blocks=[3]; post A handle=1 blocks=[3]; read_done A handle=0 thread=W; "
               "read_done A handle=1; send name=m thread=W; receive name=m; convert A blocks=[3] layer=0 "
               "stream=s"},
      {"converted_while_read 6 7 missing line 6 (read_done) before line 7 (convert)",
       kReadByW + "convert A blocks=[3] layer=0 stream=s thread=S",
       kReadByW + "convert A blocks=[3] layer=0 stream=s thread=W"},
  };
}

TEST(ReceiveLog, EachRuleHasALogThatBreaksItAndANeighbourThatDoesNot) {
  std::set<std::string> broken;
  for (const Row& row : rows()) {
    EXPECT_THAT(judged(log_of(row.broken)), StartsWith(row.said)) << row.broken;
    EXPECT_EQ(judged(log_of(row.right)), "holds") << row.right;
    broken.insert(row.said.substr(0, row.said.find(' ')));
  }
  using receive::Rule;
  std::set<std::string> all;
  for (int rule = 0; rule < receive::kRules; ++rule) all.emplace(receive::to_string(static_cast<Rule>(rule)));
  // No line of a log says what the handshake found, what calls the agent, or when a lease ended.
  for (const Rule rule : {Rule::rejected_pair_posts, Rule::unknown_engine_posts, Rule::agent_calls_overlap,
                          Rule::stale_scheduled}) {
    EXPECT_EQ(all.erase(std::string(receive::to_string(rule))), 1U);
  }
  namespace log = receive_log;
  for (const log::Named& rule : {log::kReadNotFenced, log::kReportedBeforeReadsEnd, log::kDigestOfConverted,
                                 log::kUnreadConverted, log::kLocalConverted, log::kOtherGroupConverted,
                                 log::kNotOwnWritten, log::kOverwrittenAfterFill, log::kUnfilledDecoded}) {
    all.emplace(rule.name);
  }
  EXPECT_EQ(broken, all);
}

// Logs of right connectors that a simple reading of the rules would refuse.
TEST(ReceiveLog, RightLogsHold) {
  for (const std::string& log : {
           // further blocks while it decodes, also zeroed first
           kReady + "schedule A stream=s; step_done A; allocate A blocks=[4]; zero A blocks=[4] stream=s; "
                    "schedule A stream=s; step_done A; schedule A stream=s blocks=[4]; step_done A; free A",
           // a prefix that this engine computed: a request of the log, or before the log
           kSet +
               "allocate L blocks=[5] read=false; schedule L stream=s; step_done L; free L; "
               "allocate A blocks=[3] shared=[5]; post A handle=0 blocks=[3]; read_done A handle=0; "
               "convert A blocks=[3] layer=0 stream=s; " +
               kStep,
           kSet +
               "allocate L blocks=[5]; recompute L stream=s; step_done L; allocate A blocks=[] shared=[5]; " +
               kStep,
           kSet + "allocate A blocks=[] local=[5]; allocate B blocks=[] shared=[5]; schedule B stream=t; " +
               kStep,
           // an overwrite of a block that no READ fills
           kSet + "allocate A blocks=[3,4]; zero A blocks=[4] stream=z; post A handle=0 blocks=[3]; "
                  "read_done A handle=0; convert A blocks=[3] layer=0 stream=s; "
                  "schedule A stream=s blocks=[3]; step_done A; sync stream=z; free A",
           // the rest of the prefix is copied, the rest is read
           kSet +
               "allocate A blocks=[3,4]; copy A blocks=[4] stream=s; sync stream=s; post A handle=0 "
               "blocks=[3]; "
               "read_done A handle=0; convert A blocks=[3] layer=0 stream=s; " +
               kStep,
           // the layers in one launch
           "setting layers=3 blocks=8; allocate A blocks=[3]; post A handle=0 blocks=[3]; read_done A "
           "handle=0; "
           "convert A blocks=[3] layers=[0,1,2] stream=s; " +
               kStep,
           // a part is computed here after a failure
           kSet + "allocate A blocks=[3,4]; post A handle=0 blocks=[3]; post A handle=1 blocks=[4]; "
                  "read_done A handle=0; convert A blocks=[3] layer=0 stream=s; read_failed A handle=1; "
                  "report A ok=false; recompute A blocks=[4] stream=s; schedule A stream=s; step_done A; "
                  "step_done A; free A",
           // another worker's failure, which this one has not heard of when it converts
           std::string(
               "setting layers=1 blocks=8 workers=2; allocate A blocks=[3]; post A handle=0 blocks=[3]; "
               "read_done A handle=0; report A ok=false thread=other; convert A blocks=[3] layer=0 stream=s; "
               "report A"),
           // further blocks to read, which are reported anew
           kReady +
               "report A; allocate A blocks=[4] read=true; post A handle=1 blocks=[4]; "
               "read_done A handle=1; convert A blocks=[4] layer=0 stream=s; report A; " +
               kStep,
           // the end of a step is heard of behind the freeing that has waited for it
           kReady + "schedule A stream=s; sync stream=s; free A; step_done A",
           // preempted, and admitted again
           kReady +
               "schedule A stream=s; step_done A; free A; allocate A blocks=[3]; recompute A stream=s; "
               "step_done A; " +
               kStep,
       }) {
    EXPECT_EQ(judged(log_of(log)), "holds") << log;
  }
}

// What was reported of other engines and can be said in a log: a window that slides past a block which the
// step in flight, or a later one, still reads. (A copy for partial reuse, groups and digests stand in the
// table.)
TEST(ReceiveLog, AWindowThatSlidesTooEarly) {
  const std::string ready = kReady + "sync stream=s; ";
  EXPECT_EQ(judged(log_of(ready + "schedule A stream=s blocks=[3]; step_done A; free A blocks=[3]; free A")),
            "holds");
  EXPECT_THAT(judged(log_of(ready + "schedule A stream=s blocks=[3]; free A blocks=[3]")),
              StartsWith("freed_while_touched 7 8 missing line 7 (schedule) before line 8 (free)"));
  EXPECT_THAT(judged(log_of(kReady + "free A blocks=[3]")), StartsWith("freed_while_touched 5 6"));
  EXPECT_THAT(judged(log_of(ready + "schedule A stream=s blocks=[3]; step_done A; free A blocks=[3]; "
                                    "schedule A stream=s blocks=[3]")),
              StartsWith("freed_while_touched 9 10"));
}

// A rule is broken, and what comes of it is no bad line: a read, a step or a report of what was freed ends.
TEST(ReceiveLog, BehindABrokenRuleNothingIsRefusedForIt) {
  for (const std::string& log : {
           kGive + "post A handle=0 blocks=[3]; free A; read_done A handle=0; report A",
           kGive + "post A handle=0 blocks=[3]; free A; allocate A blocks=[4]; read_failed A handle=0",
           kGive + "free A; post A handle=0 blocks=[3]; read_done A handle=0",
           kGive + "free A; schedule A stream=s; step_done A; sync stream=s",
           kGive + "allocate B blocks=[4]; post A handle=0 blocks=[4]; read_done A handle=0",
           kReady + "allocate B blocks=[4]; schedule A stream=s; free A blocks=[3]; "
                    "schedule A stream=t blocks=[3]; step_done A; step_done A; sync stream=t",
       }) {
    const receive_log::Checked checked = receive_log::check_log(log_of(log), "log");
    EXPECT_TRUE(checked.broken) << log;
    EXPECT_TRUE(checked.complete()) << judged(log_of(log));
  }
}

TEST(ReceiveLog, TheEndSaysWhatIsOpen) {
  const auto end = [](const std::string& log) { return receive_log::check_log(log_of(log), "log"); };
  const receive_log::Checked leaks = end(kGive + "post A handle=0 blocks=[3]; allocate B blocks=[4]; free B");
  EXPECT_FALSE(leaks.broken);
  EXPECT_EQ(leaks.unfreed.count, 1U);
  EXPECT_EQ(leaks.unfreed.line, 2U);
  EXPECT_EQ(leaks.unended.count, 1U);
  EXPECT_EQ(leaks.unended.line, 3U);
  EXPECT_EQ(leaks.untold.count, 1U);
  EXPECT_EQ(leaks.untold.line, 4U);
  // One that comes again under its name does not make up for it; one that has nothing to read owes no notice.
  EXPECT_EQ(end(kGive + "free A; allocate A blocks=[3]; notify A; free A").untold.count, 1U);
  const receive_log::Checked none = end(kRead + "notify A; free A; allocate B blocks=[] shared=[3]; free B");
  EXPECT_EQ(none.unfreed.count + none.unended.count + none.untold.count, 0U);
}

TEST(ReceiveLog, BadInputIsOneLine) {
  struct Bad {
    std::string log;
    const char* said;
  };
  for (const Bad& bad : {
           Bad{kGive + "pots A", "line 3: event: pots: no such event"},
           Bad{kGive + "free X", "line 3: request: X: was never allocated"},
           Bad{kGive + "post A handle=0 blocks=[4]",
               "line 3: blocks: 4: was never allocated to this request"},
           Bad{kGive + "allocate B blocks=[4]; schedule A blocks=[4] stream=s",
               "line 4: blocks: 4: was never"},
           Bad{kGive + "post A handle=0 blocks=[9]", "line 3: blocks: 9: beyond the pool of 8"},
           Bad{kGive + "allocate B blocks=[4] shared=[5]", "line 3: shared: 5: was never allocated"},
           Bad{kGive + "allocate B blocks=[4] shared=[4]", "line 3: shared: 4: was never allocated"},
           Bad{kReady + "allocate B blocks=[3] shared=[3]", "line 6: blocks: 3: is a prefix block"},
           Bad{kGive + "wait name=x stream=s", "line 3: name: x: no event of this name"},
           Bad{kGive + "sync stream=mian", "line 3: stream: mian: nothing was enqueued on it before"},
           Bad{kGive + "receive name=x thread=W", "line 3: name: x: no message of this name was sent before"},
           Bad{kRead + "convert A blocks=[3] layer=1 stream=s", "line 5: layer: 1: beyond 1 layers"},
           Bad{kRead + "convert A blocks=[3] layers=[0] layer=0 stream=s", "line 5: layers: beside a layer"},
           Bad{kRead + "convert A blocks=[3] layers=[] stream=s", "line 5: layers: []: names no layer"},
           Bad{kGive + "copy A blocks=[3] from=[3,4] stream=s",
               "line 3: from: 2: not a source for each of the 1"},
           Bad{kGive + "copy A blocks=[3] from=[5] stream=s", "line 3: from: 5: was never allocated"},
           Bad{kGive + "zero A blocks=[3] stream=", "line 3: stream: \"\": empty"},
           Bad{kGive + "sync", "line 3: sync: one of"},
           Bad{kRead + "free A; read_done A handle=0", "line 6: request: A: is freed"},
           Bad{"setting layers=1 blocks=8 workers=65", "line 1: workers: 65: not 0 to 64"},
           Bad{"allocate A blocks=[3]", "line 1: event: allocate: before any setting"},
       }) {
    EXPECT_THAT(judged(log_of(bad.log)), StartsWith(std::string("refused: log: ") + bad.said)) << bad.log;
  }
  std::string threads = kSet;
  for (int i = 0; i < 64; ++i) threads += fmt::format("fence thread=t{}; ", i);
  EXPECT_THAT(judged(log_of(threads)),
              StartsWith("refused: log: line 65: thread: t63: more than 64 threads and"));
  const std::string log = log_of(kReady + kStep);
  EXPECT_THAT(judged(log + "{\"time\":1,\"event\":\"fence\"}\n"),
              HasSubstr("time: 1: before 7, time goes backwards"));
  EXPECT_EQ(judged(log + R"({"time":10,"ev)"), "truncated\n");
  EXPECT_EQ(judged(log + "12"), "truncated\n");
  EXPECT_THAT(judged(log + "{\"time\":10,\"ev\n"), StartsWith("refused: log: line 9"));
}

// Each line that cannot be used is named, and what it is not about is judged as ever.
TEST(ReceiveLog, TheRestIsCheckedBehindABadLine) {
  const auto judge = [](const std::string& brief) { return receive_log::check_log(log_of(brief), "log"); };
  // Another request's lines: neither they nor those of its blocks change the verdict over request A.
  const std::string other = kSet +
                            "allocate B blocks=[4]; pots B handle=0 blocks=[4]; read_done B handle=0; "
                            "schedule B stream=s; allocate A blocks=[3]; post A handle=0 blocks=[3]; "
                            "read_done A handle=0; convert A blocks=[3] layer=0 stream=s; ";
  const receive_log::Checked one = judge(other + kStep);
  EXPECT_EQ(one.refused_lines, 1U);  // what follows from it is not refused again
  EXPECT_EQ(one.doubted, 1U);
  EXPECT_FALSE(one.broken);
  EXPECT_EQ(one.steps, 1U);
  const receive_log::Checked broken = judge(other + "schedule A stream=t");
  ASSERT_TRUE(broken.broken);
  EXPECT_EQ(broken.broken->rule, "unconverted_decoded");
  EXPECT_EQ(broken.broken->unread, 3U);
  // Its blocks may be given to others.
  EXPECT_FALSE(judge(kGive + "zero A blocks=[3]; allocate B blocks=[3]").broken);
  // An id that was never allocated is named once.
  EXPECT_EQ(judge(kReady + kStep + "; notify X; notify X; notify X").refused_lines, 1U);
  // A line of which nothing is known may be about anybody.
  const receive_log::Checked unknown =
      receive_log::check_log(log_of(kSet) + "allocate A\n" + log_of("post A handle=0 blocks=[3]"), "log");
  EXPECT_EQ(unknown.refused_lines, 1U);
  EXPECT_EQ(unknown.doubted, 1U);
  EXPECT_FALSE(unknown.broken);
  // Any number of them takes room for the first only.
  std::string noise = log_of(kSet);
  for (int i = 0; i < 1000; ++i) noise += "{}\n";
  EXPECT_EQ(receive_log::check_log(noise, "log").refused_lines, 1000U);
  EXPECT_EQ(receive_log::check_log(noise, "log").refused.size(), receive_log::kShownRefusals);
}

}  // namespace
}  // namespace pageproof::receive_log_tests
