// The pairs of handshake_v1.json that are given, not searched for, and what each flag means.
#pragma once

#include <map>

#include "golden/handshake/pair.hpp"
#include "golden/pages/fixture.hpp"

namespace pageproof::golden {

struct Given {
  std::string comment;
  std::vector<std::string> flags;
  Documents documents;
  // What must come out.
  handshake::Outcome outcome = handshake::Outcome::rejected;
  handshake::Reason reason = handshake::Reason::none;
  bool accepted_today = false;
};

std::vector<Given> given_pairs();

const std::map<std::string, Note>& handshake_notes();

}  // namespace pageproof::golden
