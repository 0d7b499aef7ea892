// The JSON documents of other commands, into the content of a page. Each document says by its key "command"
// what it is; keys that the page does not show are not looked at. docs/report.md lists which are.
#pragma once

#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"
#include "reports/page/content.hpp"

namespace pageproof::page {

// Adds what one document says. `name` is what errors and the page call it. Refuses, naming the key: what is
// no JSON, a document of another command, a missing key, a value of another type, a number that is not
// finite, a list that is longer than the page takes, a second judgement.
Expected<void> read_document(std::string_view text, const std::string& name, Content& content);

}  // namespace pageproof::page
