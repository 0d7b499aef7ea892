// The catalogue as a table that a project can paste into its docs.
#pragma once

#include <string>

namespace pageproof::page {

// Three GitHub tables: the page formats (tag, orders of digits, regions, what the shape must satisfy,
// readers, source), the six KV-cache layouts, and what is no order of digits with the reason.
std::string catalogue_markdown();

// "N % 32 == 0, D % 16 == 0, e == 2"; "any" where a format asks for nothing.
struct Needs;
std::string to_string(const Needs& needs);

}  // namespace pageproof::page
