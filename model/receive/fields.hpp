// Every field of the receive model with its name, so that a solver's variables, a search's keys and a trace
// need no list of their own.
#pragma once

#include "model/receive/life.hpp"

namespace pageproof::receive {

template <class Of, class Visit>
void visit_fields_of_setting(Of& setting, Visit&& visit) {
  visit("side", setting.side);
  visit("deferred", setting.deferred);
  visit("layers", setting.layers);
}
template <class Of, class Visit>
void visit_fields_of_engine(Of& engine, Visit&& visit) {
  visit("state", engine.state);
  visit("losses", engine.losses);
  visit("strangers", engine.strangers);
  visit("inside", engine.inside);
  visit("sticky", engine.sticky);
  visit("overlaps", engine.overlaps);
}
template <class Of, class Visit>
void visit_fields_of_life(Of& life, Visit&& visit) {
  visit("phase", life.phase);
  visit("verdict", life.verdict);
  visit("turn", life.turn);
  visit("zero", life.zero);
  visit("reads", life.reads);
  visit("posted", life.posted);
  visit("outstanding", life.outstanding);
  visit("bad", life.bad);
  visit("stale", life.stale);
  visit("early", life.early);
  visit("blind", life.blind);
  visit("launched", life.launched);
  visit("retired", life.retired);
  visit("event", life.event);
  visit("heard", life.heard);
  visit("late", life.late);
  visit("others", life.others);
  visit("others_bad", life.others_bad);
  visit("policy", life.policy);
  visit("resolved", life.resolved);
  visit("recomputed", life.recomputed);
  visit("decode", life.decode);
  visit("steps", life.steps);
  visit("aborted", life.aborted);
  visit("given_back", life.given_back);
  visit("prefill", life.prefill);
  visit("frees", life.frees);
  visit("told", life.told);
  visit("duplicate", life.duplicate);
}
template <class Of, class Visit>
void visit_fields_of_tie(Of& tie, Visit&& visit) {
  visit("own", tie.own);
  visit("shares", tie.shares);
  visit("holds", tie.holds);
}
template <class Of, class Visit>
void visit_fields_of_page(Of& page, Visit&& visit) {
  visit("layer", page.layer);
  visit("refs", page.refs);
  visit("published", page.published);
  visit("started", page.started);
  visit("finished", page.finished);
  visit("wanted", page.wanted);
  visit("local", page.local);
}

}  // namespace pageproof::receive
