// JSON text as result files hold it: one object, several without a comma between them, one a line, or one
// list of them. Each object becomes a flat table from path to value ("run_info.trial", "results[3].mode");
// the long arrays, one entry a request, become columns of numbers and are never held as JSON. Python's NaN
// and Infinity, which are no JSON, are read as the texts "NaN", "Infinity" and "-Infinity", so that a reader
// can name the key.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::results {

inline constexpr std::size_t kMostValues = 200'000;  // of one object, beside its columns
inline constexpr std::size_t kDeepest = 24;          // arrays and objects open at once
inline constexpr std::size_t kMostText = 4096;       // bytes kept of a string
inline constexpr std::size_t kMostPath = 512;        // bytes of a path
inline constexpr std::size_t kMostListed = 100'000;  // objects of one list

struct Value {
  enum class Kind : std::uint8_t { null, flag, number, text };
  Kind kind = Kind::null;
  double number = 0;      // of a flag: 0 or 1
  std::string text = {};  // of a number: its digits
};

inline constexpr std::size_t kMostEntries = 50'000'000;  // of the columns of one object, numbers
inline constexpr std::size_t kMostTexts = 10'000'000;    // and texts

// A text in a column is 1, an empty one or null 0 (as `errors` needs it); only `faults` tells that it was
// one.
struct Column {
  std::vector<double> values = {};
  std::vector<std::size_t> row_begin = {};  // of a list of lists: where each begins in `values`
  std::size_t texts = 0;
  std::string first_text = {};    // and nulls
  std::size_t first_text_at = 0;  // in values
};

struct Document {
  std::size_t number = 1;  // from 1, in its file
  bool of_list = false;    // an element of a list
  std::map<std::string, Value, std::less<>> values = {};
  std::map<std::string, Column, std::less<>> columns = {};
  // Lists that are no columns, by their path, each as far as it can be shown: "[9.4, ...]".
  std::map<std::string, std::string, std::less<>> lists = {};

  const Value* find(std::string_view path) const;
  bool has(std::string_view path) const { return find(path) != nullptr; }
  // A text; empty where it is missing or no text.
  std::string text(std::string_view path) const;
  std::optional<double> number_at(std::string_view path) const;
};

// Hands every object of the text to `take`, in order, until it says false: what follows is not looked at.
// What is refused goes to `refused`, with the key that was read last and the place: no JSON, a key twice,
// nesting or values without end. The objects behind it are read, unless it is the file's first, or the
// eighth.
void read_documents(std::string_view text, const std::string& source,
                    const std::function<bool(Document&&)>& take, const std::function<void(Error&&)>& refused);

}  // namespace pageproof::results
