// What `pageproof handshake check`, `decode` and `fetch` share: documents that were read from a file or over
// the wire, judged or shown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/commands.hpp"
#include "model/handshake/document.hpp"

namespace pageproof::cli {

// A document and what to call it in an error.
struct Named {
  handshake::Document document;
  std::string subject;
};

struct Judged {
  bool holds = false;
  std::string text;
  nlohmann::ordered_json json;
};
Expected<Judged> check_documents(const Named& local, const Named& remote,
                                 const HandshakeCheckOptions& options);

Expected<nlohmann::ordered_json> shown_document(const Named& named, bool s0);

}  // namespace pageproof::cli
