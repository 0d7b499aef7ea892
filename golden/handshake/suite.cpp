#include "golden/handshake/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/container/atomic_file.hpp"
#include "golden/handshake/given.hpp"
#include "golden/handshake/realise.hpp"
#include "model/handshake/wire.hpp"

namespace pageproof::golden {
namespace {

using handshake::Reason;
using nlohmann::ordered_json;

constexpr std::size_t kMostWireRegions = 8;

ordered_json names_of(const std::vector<Reason>& reasons) {
  ordered_json names = ordered_json::array();
  for (const Reason reason : reasons) names.push_back(handshake::to_string(reason));
  return names;
}

bool captured(const ordered_json& document) {
  return !document.contains("backend");
}

// The command line that judges the pair: files in place of the two documents.
ordered_json arguments_of(const Documents& documents) {
  ordered_json words = ordered_json::array();
  if (captured(documents.local)) {
    words.push_back("--kv-heads");
    words.push_back(std::to_string(documents.kv_heads));
  }
  return words;
}

struct PairTest {
  std::string comment;
  std::vector<std::string> flags;
  Documents documents;
  Judged judged;
};

ordered_json json_of(const PairTest& test, std::size_t id) {
  const handshake::Verdict& verdict = test.judged.verdict;
  const handshake::Attempt& today = test.judged.today;
  const bool accepted = verdict.accepted();
  // Where the tags are equal or absent on a standard decoder, the conversion table is not asked.
  const bool asked = verdict.outcome == handshake::Outcome::convert ||
                     (verdict.reason >= handshake::kFirstConversionReason &&
                      verdict.reason <= handshake::kLastConversionReason);
  ordered_json out = {{"tcId", id},
                      {"comment", test.comment},
                      {"flags", test.flags},
                      {"local", test.documents.local},
                      {"remote", test.documents.remote},
                      {"arguments", arguments_of(test.documents)},
                      {"result", accepted ? "accepted" : "rejected"},
                      {"outcome", handshake::to_string(verdict.outcome)},
                      {"reason", handshake::to_string(verdict.reason)},
                      {"sentence", handshake::to_string(verdict)},
                      {"change", verdict.change},
                      {"failing", asked ? names_of(failing(test.judged.facts)) : ordered_json::array()},
                      {"today",
                       {{"result", today.accepted() ? "accepted" : "rejected"},
                        {"sentence", today.accepted() ? "accepted" : to_string(*today.rejection)}}}};
  if (test.judged.remote.registration.regions.size() <= kMostWireRegions) {
    out["metadata"] = {{"local", handshake::to_json(test.judged.local.metadata, region::Behaviour::s2)},
                       {"remote", handshake::to_json(test.judged.remote.metadata, region::Behaviour::s2)}};
  }
  return out;
}

ordered_json facts_json(const proof::Values& values) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : values) {
    if (name.find("quotient") == std::string::npos && name.find("remainder") == std::string::npos &&
        name.find("product") == std::string::npos) {
      out[name] = value;
    }
  }
  return out;
}

// Of a reason that no two documents can have: why.
std::string why_unreachable(Reason reason) {
  if (reason == Reason::latent_attention)
    return "an MLA model has no K and V, so no page format that could differ: the rule is met on facts alone";
  if (reason == Reason::dims_not_granules)
    return "no engine has shuffled pages whose head_dim is no multiple of a granule: the rule is met on "
           "facts alone";
  return "no document that was tried has these facts";
}

Error contradiction(const std::string& what, const std::string& value, const std::string& problem) {
  return {kHandshakeFile, what, value, problem};
}

PairTest test_of(const Realised& found, Reason reason) {
  std::vector<std::string> flags;
  if (reason == Reason::none) {
    flags.push_back("Accepted");
  } else {
    flags.push_back(found.sole ? "SoleReason" : "FirstReason");
  }
  if (reason == Reason::tag_missing) flags.push_back("TagAbsent");
  if (found.kind != Kind::described) flags.push_back("Captured");
  if (found.judged.today.accepted() && reason != Reason::none) flags.push_back("AcceptedToday");
  const std::string comment = reason == Reason::none
                                  ? "the smallest pair that is accepted"
                                  : fmt::format("the smallest pair of which {} is the {} reason",
                                                handshake::to_string(reason), found.sole ? "only" : "first");
  return {comment, std::move(flags), found.documents, found.judged};
}

ordered_json group(const char* type, const char* comment, const std::vector<PairTest>& tests,
                   std::size_t& id) {
  ordered_json list = ordered_json::array();
  for (const PairTest& test : tests) list.push_back(json_of(test, ++id));
  return {{"type", type},
          {"comment", comment},
          {"source", {{"name", "pageproof"}, {"version", "1"}}},
          {"tests", std::move(list)}};
}

Expected<std::vector<PairTest>> given_tests() {
  std::vector<PairTest> tests;
  for (const Given& given : given_pairs()) {
    Expected<Judged> judged = judge(given.documents);
    if (!judged) return std::unexpected(judged.error());
    const auto& verdict = judged->verdict;
    if (verdict.reason != given.reason || verdict.outcome != given.outcome ||
        judged->today.accepted() != given.accepted_today) {
      return std::unexpected(contradiction(given.comment, handshake::to_string(verdict),
                                           "is not the verdict that the pair is given for"));
    }
    tests.push_back({given.comment, given.flags, given.documents, *std::move(judged)});
  }
  return tests;
}

}  // namespace

Expected<std::string> handshake_suite() {
  std::vector<PairTest> rejected;
  ordered_json unreachable = ordered_json::object();
  for (auto i = static_cast<int>(handshake::kFirstConversionReason);
       i <= static_cast<int>(handshake::kLastConversionReason); ++i) {
    const auto reason = static_cast<Reason>(i);
    if (const std::optional<Realised> found = smallest_pair(reason)) {
      rejected.push_back(test_of(*found, reason));
    } else {
      unreachable[std::string(handshake::to_string(reason))] = {
          {"why", why_unreachable(reason)}, {"facts", facts_json(smallest_facts(reason))}};
    }
  }
  const std::optional<Realised> accepted = smallest_pair(Reason::none);
  if (!accepted) return std::unexpected(contradiction("accepted", "none", "no pair of engines is accepted"));
  const Expected<std::vector<PairTest>> given = given_tests();
  if (!given) return std::unexpected(given.error());

  std::size_t id = 0;
  ordered_json groups = ordered_json::array();
  groups.push_back(
      group("RejectedPair", "for each reason the smallest pair, as the solver finds it", rejected, id));
  groups.push_back(
      group("AcceptedPair", "the smallest accepted pair", {test_of(*accepted, Reason::none)}, id));
  groups.push_back(group("GivenPair",
                         "pairs that are met in practice, and those that today's checks judge otherwise",
                         *given, id));
  ordered_json notes = ordered_json::object();
  for (const auto& [flag, note] : handshake_notes())
    notes[flag] = {{"bugType", note.bug_type}, {"description", note.description}, {"effect", note.effect}};
  const ordered_json out = {
      {"algorithm", "kv-page-format-negotiation"},
      {"schema", kHandshakeSchemaFile},
      {"numberOfTests", id},
      {"header",
       {"Pairs of a decoder (local) and a prefill (remote), and what a connector that negotiates page "
        "formats must say.",
        "local and remote are documents that `pageproof handshake check LOCAL REMOTE` takes: an engine "
        "description, or a "
        "captured NixlHandshakePayload as JSON with bytes as base64; arguments are to be added to its "
        "command line.",
        "metadata is NixlAgentMetadata of both sides as JSON, where there are few regions; of two "
        "descriptions the "
        "negotiation also sees region_page_formats, here included.",
        "SoleReason: without its rule the pair would be accepted. FirstReason: no two documents have it as "
        "the only one; as "
        "few others fail as can.",
        "failing lists all rules of the conversion table that fail, in their order; the first is the reason. "
        "It is empty "
        "where that table is not asked.",
        "Smallest: lexicographically by heads, tokens, dims, element bytes, regions, blocks per manager "
        "block, TP and "
        "context-parallel size, of the decoder first, after holding all of them to the least power of two."}},
      {"notes", notes},
      {"unreachable", unreachable},
      {"testGroups", groups}};
  return out.dump(1) + "\n";
}

Expected<std::size_t> write_handshake_suite(const std::filesystem::path& folder) {
  const Expected<std::string> text = handshake_suite();
  if (!text) return std::unexpected(text.error());
  const Expected<void> written = write_file_atomically(folder / kHandshakeFile, *text);
  if (!written) return std::unexpected(written.error());
  return ordered_json::parse(*text)["numberOfTests"].get<std::size_t>();
}

}  // namespace pageproof::golden
