#include "golden/formats/notes.hpp"

namespace pageproof::golden::formats {

const std::map<std::string, Note>& all_notes() {
  static const std::map<std::string, Note> notes{
      {"BetweenEngines",
       {"BASIC", "from one engine's format straight to another's, neither of them standard",
        "a converter that knows standard pages alone needs two steps"}},
      {"ElementsMissing",
       {"INPUT_CHECK", "one format holds no V, so the two do not hold the same elements",
        "V is made up, or a K plane is taken for a page"}},
      {"FromStandard", {"BASIC", "standard pages into another engine's format", "the basic case"}},
      {"HighIndex",
       {"BASIC", "the index fill's higher part: element i of standard holds i >> shift",
        "with shift 0 it names every element"}},
      {"KeyOnly",
       {"BASIC", "the format holds K only: the K side of standard pages, nothing of V",
        "a consumer that expects a V plane reads beyond the pool"}},
      {"OddHeads", {"EDGE_CASE", "an odd head count above 1", "half a page is no whole number of heads"}},
      {"OneByteElements",
       {"EDGE_CASE", "1-byte elements: x = 16", "a format written for x = 8 mixes granules"}},
      {"OneHead",
       {"EDGE_CASE", "1 head: token and head strides fall together in some formats",
        "a swap of heads and tokens stays unseen, and comes out with the next model"}},
      {"OtherFormat",
       {"WRONG_FORMAT", "the pages are in another format with the same tensors and sizes",
        "shapes and byte counts agree, attention reads other elements"}},
      {"ShapeDoesNotFit",
       {"INPUT_CHECK", "the shape breaks a precondition of the format",
        "tiles are cut short, elements fall upon each other"}},
      {"ToStandard", {"BASIC", "another engine's format into standard pages", "the basic case"}},
      {"TokensOfManyTiles",
       {"EDGE_CASE", "64 tokens or more: one tile of N tokens is not N/16 tiles of 16",
        "page-16-in-a-block and a 128-token tile are taken for each other"}},
      {"TokensNoPowerOfTwo",
       {"EDGE_CASE", "48 tokens", "a converter that shifts and masks instead of dividing misses"}},
  };
  return notes;
}

}  // namespace pageproof::golden::formats
