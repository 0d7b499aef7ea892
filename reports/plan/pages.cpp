#include "reports/plan/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/handshake/facts.hpp"
#include "model/handshake/hash.hpp"
#include "model/handshake/negotiate.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::reports {
namespace {

using handshake::AgentMetadata;
using handshake::EngineSide;
using handshake::Verdict;
using plan::Pages;
using plan::Strategy;

std::unexpected<Error> refuse_pair(std::string field, std::string value, std::string problem) {
  return std::unexpected(Error{"pair", std::move(field), std::move(value), std::move(problem)});
}

std::string names_of(const PlanParty& local, const PlanParty& remote) {
  return local.side.engine.engine_id + " reads " + remote.side.engine.engine_id;
}

// Two planes of half a page for each remote region.
bool are_planes_of(const EngineSide& local, const EngineSide& remote) {
  const auto &planes = local.registration.regions, &pages = remote.registration.regions;
  if (planes.size() != 2 * pages.size()) return false;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (2 * planes[i].block_len != pages[i / 2].block_len) return false;
  }
  return true;
}

// A plan is about bytes: hashes are a note.
EngineSide without_hash(EngineSide side) {
  side.engine.enforce_handshake_compat = false;
  return side;
}

// A shape whose planes have the decoder's block_len, where there is one: the number of heads does not matter.
void take_any_shape(EngineSide& decoder) {
  region::Engine& engine = decoder.engine;
  const std::uint64_t row_bytes = 2 * engine.kernel_block_size;
  const auto& lens = decoder.metadata.block_lens;
  if (lens.empty() || row_bytes == 0 || lens.front() % row_bytes != 0) return;
  engine.model.kv_heads = engine.tp_size;
  engine.model.head_dim = lens.front() / row_bytes;
}

// Backends share names: the one that shuffles has the name of one for CUDA.
void take_platform_of_shuffled(region::Engine& engine, const std::string& backend_name) {
  const region::BackendFacts& facts = region::facts_of(region::Backend::rocm_aiter_fa);
  if (facts.hash_name != backend_name) return;
  engine.backend = facts.backend;
  engine.platform = facts.platform;
}

// A captured decoder as one that would convert: shuffled where no tag says what it is, of the prefill's
// shape.
EngineSide completed(EngineSide decoder, const PlanParty& remote) {
  region::Engine& engine = decoder.engine;
  if (handshake::tag_of(decoder.metadata).empty()) engine.page_format = region::kShuffled;
  take_platform_of_shuffled(engine, decoder.metadata.attn_backend_name);
  const bool host = std::ranges::any_of(decoder.registration.regions, [](const region::Region& region) {
    return region.memory == region::MemoryType::dram;
  });
  if (host) engine.memory = region::MemoryType::dram;
  if (remote.described) {
    engine.model = remote.side.engine.model;
    engine.dtype = remote.side.engine.dtype;
    engine.cache_dtype = remote.side.engine.cache_dtype;
  } else {
    take_any_shape(decoder);
  }
  return decoder;
}

Verdict rfc_on_conversion(const PlanParty& local, const PlanParty& remote) {
  EngineSide decoder = without_hash(local.side);
  decoder.engine.convert_page_format = true;
  if (!local.described) decoder = completed(std::move(decoder), remote);
  if (remote.described) return handshake::meet_proposed(decoder, remote.side);
  const EngineSide& prefill = remote.side;
  if (const auto failed = handshake::parallel_config_today(decoder, prefill.metadata))
    return {.reason = handshake::Reason::todays_check, .rule = to_string(*failed)};
  AgentMetadata metadata = prefill.metadata;
  if (handshake::tag_of(metadata).empty()) {
    metadata.region_page_formats.emplace(metadata.kv_caches_base_addr.size(), std::string(region::kStandard));
  }
  // As if the hash had matched: what only the hash covers is the decoder's own.
  return handshake::negotiate(decoder, metadata,
                              {.tp_size = prefill.engine.tp_size, .hash_matched = true, .engine = {}});
}

// Of one format: nothing is taken for known that is not told.
Verdict rfc_on_match(const PlanParty& local, const PlanParty& remote) {
  const EngineSide decoder = without_hash(local.side);
  if (local.described && remote.described) return handshake::meet_proposed(decoder, remote.side);
  handshake::RemoteKnowledge known{
      .tp_size = remote.side.engine.tp_size, .hash_matched = false, .engine = {}};
  if (remote.described) known.engine = remote.side.engine;
  return handshake::negotiate(decoder, remote.side.metadata, known);
}

// A capture's factors are not told, only their hash.
std::optional<std::string> hash_note(const PlanParty& local, const PlanParty& remote, Pages pages) {
  if (!local.described || !remote.described) {
    const std::string &here = local.side.hash, &there = remote.side.hash;
    if (here.empty() || there.empty() || here == there) return std::nullopt;
    return "the compatibility hashes differ: a handshake that compares them refuses the pair";
  }
  // Once page formats are negotiated, the backend's name need not be a factor.
  const auto backend =
      pages == Pages::for_planes ? handshake::BackendInHash::no : handshake::BackendInHash::yes;
  const auto found = handshake::differences(handshake::hash_factors(local.side.engine, backend),
                                            handshake::hash_factors(remote.side.engine, backend));
  if (found.empty()) return std::nullopt;
  std::string text = "a handshake that compares the compatibility hashes refuses the pair:";
  for (const handshake::FactorDifference& one : found)
    text += fmt::format(" {} (local {}, remote {})", one.name, one.local, one.remote);
  return text;
}

void add_notes(const PlanParty& local, const PlanParty& remote, PagesFound& found) {
  if (const auto note = hash_note(local, remote, found.pages)) found.notes.push_back(*note);
  if (found.pages != Pages::for_planes) {
    const Verdict verdict = rfc_on_match(local, remote);
    if (!verdict.accepted()) found.notes.push_back("the RFC's handshake: " + handshake::to_string(verdict));
  }
  if (found.pages == Pages::for_planes && (local.described || remote.described)) {
    const std::uint64_t dims = (local.described ? local : remote).side.engine.model.head_dim;
    constexpr std::array converted = {64, 128, 256};  // kernels/convert/pageproof.h
    if (std::ranges::none_of(converted, [&](int known) { return std::cmp_equal(known, dims); }))
      found.notes.push_back(
          fmt::format("the converter that ships takes a head_dim of 64, 128 or 256, not {}", dims));
  }
  const auto has_mamba = [](const PlanParty& party) {
    const auto& [one, other] = party.side.metadata.ssm_sizes;
    return party.side.engine.model.mamba || one != 0 || other != 0;
  };
  if (has_mamba(local) || has_mamba(remote))
    found.notes.push_back("Mamba layers are not planned: the rows are those of attention layers alone");
}

// Where a tag is missing: what the regions fit. A format that is told and is not standard is no other side's
// for that: bytes would be taken for what nobody says they are.
Expected<PagesFound> pages_of_untagged(const std::string& here, const std::string& there, bool planes,
                                       bool latent, std::optional<Strategy> asked) {
  const std::string& told = here.empty() ? there : here;
  if (!planes && !latent && !told.empty() && told != region::kStandard) {
    const auto word = [](const std::string& tag) { return tag.empty() ? std::string("not told") : tag; };
    return refuse_pair("page format", fmt::format("{} -> {}", word(there), word(here)),
                       "pages that no tag names are not taken for these: send region_page_formats on both "
                       "sides");
  }
  PagesFound found;
  found.notes.push_back("page formats are not told: taken as what the regions fit");
  if (planes) {
    found.pages = Pages::for_planes;
  } else if (asked == Strategy::slots) {
    found.pages = Pages::two_slots;
  }
  found.words = planes ? "pages for two planes: converted after the read" : "taken as one format";
  return found;
}

// Standard pages for shuffled ones that are no planes of half a page: the RFC says what is wrong.
std::unexpected<Error> no_planes(const PlanParty& local, const PlanParty& remote,
                                 const std::string& formats) {
  if (region::is_block_contiguous(local.side.layout)) {
    return refuse_pair(
        "page format", formats + " in two slots",
        "pages are converted for a decoder with K and V planes alone: the RFC accepts no other, and the "
        "kernels that read converted pages need dense planes (VLLM_KV_CACHE_LAYOUT=LHBNC)");
  }
  if (const auto ok = judged(local, remote, Pages::for_planes); !ok) return std::unexpected(ok.error());
  return refuse_pair("page format", formats, "the regions are not two planes of half a page for each page");
}

Expected<PagesFound> found_pages(const PlanParty& local, const PlanParty& remote,
                                 std::optional<Strategy> asked) {
  const std::string here = tag_of(local), there = tag_of(remote);
  const bool planes = are_planes_of(local.side, remote.side);
  if (here.empty() || there.empty())
    return pages_of_untagged(here, there, planes, local.side.engine.model.latent, asked);
  if (here == there) {
    const Expected<bool> slots = region::has_two_slots(here, local.side.engine.engine_id);
    if (!slots) return std::unexpected(slots.error());
    const bool two_slots = *slots && region::is_block_contiguous(local.side.layout);
    return PagesFound{two_slots ? Pages::two_slots : Pages::same,
                      here + " on both sides" + (two_slots ? ", K and V in two slots" : ""),
                      {}};
  }
  const std::string formats = fmt::format("{} -> {}", there, here);
  if (there != region::kStandard || here != region::kShuffled) {
    return refuse_pair(
        "page format", formats,
        "no read brings these pages there: only standard pages, whole, for shuffled pages in K "
        "and V planes (VLLM_KV_CACHE_LAYOUT=LHBNC)");
  }
  if (!planes) return no_planes(local, remote, formats);
  return PagesFound{Pages::for_planes, formats + ": converted after the read", {}};
}

}  // namespace

std::string tag_of(const PlanParty& party) {
  return party.described ? region::page_format_of(party.side.engine) : handshake::tag_of(party.side.metadata);
}

Expected<PagesFound> pages_of(const PlanParty& local, const PlanParty& remote,
                              std::optional<Strategy> asked) {
  Expected<PagesFound> found = found_pages(local, remote, asked);
  if (found) add_notes(local, remote, *found);
  return found;
}

Expected<void> judged(const PlanParty& local, const PlanParty& remote, Pages pages) {
  if (pages == Pages::for_planes) {
    const Verdict verdict = rfc_on_conversion(local, remote);
    if (verdict.accepted()) return {};
    return refuse_pair("RFC", names_of(local, remote), handshake::to_string(verdict));
  }
  const handshake::Attempt attempt = handshake::meet_today(without_hash(local.side), remote.side);
  if (!attempt.accepted())
    return refuse_pair("today", names_of(local, remote), handshake::to_string(*attempt.rejection));
  const Verdict verdict = rfc_on_match(local, remote);
  if (verdict.reason != handshake::Reason::permute_transposes) return {};
  return refuse_pair("RFC", names_of(local, remote), handshake::to_string(verdict));
}

}  // namespace pageproof::reports
