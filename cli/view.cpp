// pageproof view: what a shuffle writer does to a view [B, N, H, D] with these strides.
#include "model/page/view.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"

namespace pageproof::cli {

Result view(const ViewOptions& options) {
  const auto shape = checked(options.shape, "view");
  if (!shape) return std::unexpected(shape.error());
  const auto& s = options.strides;
  const page::ViewStrides strides{s[0], s[1], s[2], s[3]};
  const auto verdict = page::judge_view(*shape, strides);
  if (!verdict) return std::unexpected(verdict.error());
  nlohmann::ordered_json json{{"command", "view"},
                              {"holds", verdict->is_dense_plane()},
                              {"shape", json_of(*shape)},
                              {"strides", s},
                              {"plane", verdict->is_plane()},
                              {"dense_plane", verdict->is_dense_plane()},
                              {"first_block_that_wraps_signed", verdict->first_signed_wrap},
                              {"first_block_that_wraps_unsigned", verdict->first_unsigned_wrap}};
  if (const auto& at = verdict->not_dense) {
    json["not_dense"] = {{"token", at->token},
                         {"head", at->head},
                         {"dim", at->dim},
                         {"byte", at->byte},
                         {"dense_byte", at->dense_byte}};
  }
  if (const auto& at = verdict->stray) {
    json["stray"] = {
        {"block", at->block}, {"byte", at->byte}, {"falls_in", at->falls_in}, {"right_byte", at->right_byte}};
  }
  return Report{verdict->is_dense_plane(),
                fmt::format("View      [B, {}, {}, {}] of {} bytes an element, strides ({}, {}, {}, {})\n{}",
                            shape->tokens, shape->heads, shape->head_dim, shape->element_bytes, s[0], s[1],
                            s[2], s[3], page::to_string(*verdict, *shape, strides)),
                one_document(json)};
}

}  // namespace pageproof::cli
