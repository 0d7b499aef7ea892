// Steps behind the last read: conversion layer by layer on one stream, or the bytes as they landed; and what
// this worker and the others report (§5.4, §5.5, RFC §4).
#pragma once

#include "model/receive/step.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_convert_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};
  const auto results = s.turn == 1;

  // Decided for the engine; where it is decided for the worker, another engine's flag is enough.
  visit(conversion_begins,
        (here.at(kReading) || here.at(kReported)) && results && (s.verdict == kConvert || engine.sticky == 1),
        std::array{G{reads_have_ended, s.outstanding == 0}, G{all_reads_posted, s.posted == s.reads},
                   G{no_read_failed, s.bad == 0}, G{no_loss_heard, s.heard == 0},
                   G{pair_converts, s.verdict == kConvert}, G{not_converted_before, here.at(kReading)}},
        [](auto& n, auto&) {
          put(n.phase, kConverting), put(n.launched, 0), put(n.retired, 0), put(n.event, 0);
          put_where(n.heard == 1, n.late, 1);
        });
  visit(launch_layer, here.at(kConverting) && s.launched < given.layers, unguarded,
        [](auto& n, auto&) { n.launched = n.launched + 1; });
  visit(retire_layer, s.retired < s.launched, unguarded, [](auto& n, auto&) { n.retired = n.retired + 1; });
  visit(record_event, here.at(kConverting), std::array{G{every_layer_launched, s.launched == given.layers}},
        [](auto& n, auto&) {
          put(n.phase, kRecorded);
          n.event = n.launched;
        });
  visit(use_as_landed, here.at(kReading) && results,
        std::array{G{as_landed_after_reads, s.outstanding == 0}, G{as_landed_all_posted, s.posted == s.reads},
                   G{as_landed_no_failure, s.bad == 0}, G{as_landed_pair_matches, s.verdict == kMatch}},
        [](auto& n, auto&) { put(n.phase, kReported); });
}

template <class Number, class Visit>
void visit_report_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};

  // On the side stream the event has to complete; on the step path the stream's order is enough.
  visit(report, here.at(kRecorded),
        std::array{G{event_completed, !(given.side == 1) || s.retired >= s.event}},
        [](auto& n, auto&) { put(n.phase, kReported); });
  // This worker failed, or has heard that the request is lost and gives up.
  visit(report_failure, (here.at(kWaiting) || here.at(kReading)) && (s.bad == 1 || s.heard == 1),
        std::array{G{failure_after_reads, s.outstanding == 0}}, [](auto& n, auto&) {
          put(n.phase, kFailed);
          put_where(n.outstanding > 0, n.early, 1);
        });
  // An abort, or another worker's failure, comes to this worker's ears: late, or never.
  visit(hear_of_loss,
        (s.aborted == 1 || s.others_bad == 1) && s.heard == 0 && here.between(kWaiting, kRecorded), unguarded,
        [](auto& n, auto&) { put(n.heard, 1); });
  visit(other_reports, s.others > 0 && here.between(kWaiting, kFreed), unguarded,
        [](auto& n, auto&) { n.others = n.others - 1; });
  visit(other_fails, s.others > 0 && here.between(kWaiting, kFreed), unguarded, [](auto& n, auto&) {
    n.others = n.others - 1;
    put(n.others_bad, 1);
  });
}

}  // namespace pageproof::receive
