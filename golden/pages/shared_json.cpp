#include "golden/pages/shared_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace pageproof::golden {

using nlohmann::ordered_json;

ordered_json json_of(const std::map<std::string, Note>& notes) {
  ordered_json out;
  for (const auto& [flag, note] : notes) {
    out[flag] = {{"bugType", note.bug_type}, {"description", note.description}, {"effect", note.effect}};
  }
  return out;
}

std::map<std::string, Note> read_notes(Fields fields) {
  std::map<std::string, Note> notes;
  for (const std::string& flag : fields.keys()) {
    Fields note = fields.object(flag);
    notes[flag] = {note.text("bugType"), note.text("description"), note.text("effect")};
    note.finish();
  }
  return notes;
}

ordered_json json_of(const Shape& shape, Dtype dtype) {
  return {{"heads", shape.heads},
          {"tokens", shape.tokens},
          {"head_dim", shape.head_dim},
          {"element_bytes", shape.element_bytes},
          {"dtype", name(dtype)}};
}

std::pair<Shape, Dtype> read_shape(Fields fields) {
  const Shape shape{fields.number("heads"), fields.number("tokens"), fields.number("head_dim"),
                    fields.number("element_bytes")};
  const std::string text = fields.text("dtype");
  const auto dtype = dtype_from_name(text);
  if (!dtype) fields.refuse("dtype", text, "no type of the safetensors format");
  fields.finish();
  return {shape, dtype.value_or(Dtype::bf16)};
}

ordered_json json_of(const Difference& difference) {
  const Coordinate& c = difference.first;
  return {{"first",
           {{"block", c.block},
            {"side", to_string(c.side)},
            {"head", c.head},
            {"token", c.token},
            {"dim", c.dim}}},
          {"bytes", difference.bytes}};
}

Difference read_difference(Fields fields) {
  Fields first = fields.object("first");
  Difference difference;
  difference.first.block = first.number("block");
  difference.first.side = first.one_of("side", std::array{"K", "V"}) == 0 ? Side::key : Side::value;
  difference.first.head = first.number("head");
  difference.first.token = first.number("token");
  difference.first.dim = first.number("dim");
  first.finish();
  difference.bytes = fields.number("bytes");
  fields.finish();
  return difference;
}

}  // namespace pageproof::golden
