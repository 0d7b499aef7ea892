// The sections of the page that are words and tables; those with charts take the Drawer.
#pragma once

#include <string>
#include <vector>

#include "reports/page/content.hpp"
#include "reports/page/drawer.hpp"

namespace pageproof::page {

// Empty html: nothing to say, and no section.
struct Section {
  std::string id, title, html;
};

std::string verdict_html(const Content& content);  // the banner, and a line a setup

Section left_out(const Content& content);
Section map_section(const Content& content);
Section repeats(const Content& content, Drawer& drawer);
Section latency(const Content& content, Drawer& drawer);  // between tokens, and what an arrival costs
Section first_token(const Content& content, Drawer& drawer);
Section noise(const Content& content);
Section break_even(const Content& content, Drawer& drawer);
Section predicted(const Content& content, Drawer& drawer);
Section sensitivity(const Content& content, Drawer& drawer);
Section plan(const Content& content);
Section choices(const Content& content);
Section numbers(const Content& content);
Section words(const Content& content);  // what the names and letters of the page mean
Section reproduce(const Content& content);

}  // namespace pageproof::page
