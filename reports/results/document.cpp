#include "reports/results/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/results/pieces.hpp"

namespace pageproof::results {
namespace {

using nlohmann::json;

// Arrays of one entry a request, by the last key of their path.
constexpr std::array<std::string_view, 8> kColumns{"input_lens",  "output_lens", "ttfts",  "itls",
                                                   "start_times", "latencies",   "errors", "value"};

// Receives nlohmann's parse events: its parser keeps its own stack on the heap, and nothing is built but the
// table. The first event that breaks a rule stops the parse.
class Flattener {
 public:
  Flattener(std::string source, std::size_t number) : source_(std::move(source)) {
    document_.number = number;
  }

  bool null() { return scalar({Value::Kind::null, 0, "null"}); }
  bool boolean(bool v) { return scalar({Value::Kind::flag, v ? 1.0 : 0.0, v ? "true" : "false"}); }
  bool number_integer(json::number_integer_t v) {
    if (column_ != nullptr) return entry(static_cast<double>(v));
    return scalar({Value::Kind::number, static_cast<double>(v), std::to_string(v)});
  }
  bool number_unsigned(json::number_unsigned_t v) {
    if (column_ != nullptr) return entry(static_cast<double>(v));
    return scalar({Value::Kind::number, static_cast<double>(v), std::to_string(v)});
  }
  bool number_float(json::number_float_t v, const std::string& digits) {
    if (column_ != nullptr) return entry(v);
    return scalar({Value::Kind::number, v, digits});
  }
  bool string(std::string& v) {
    if (column_ != nullptr) return text_entry(v);
    return scalar({Value::Kind::text, 0, v.substr(0, kMostText)});
  }
  bool binary(json::binary_t&) { return refuse("binary", "JSON text has no binary values"); }

  bool key(std::string& name) {
    path_.resize(open_.back().prefix);
    if (!path_.empty()) path_ += '.';
    if (path_.size() + name.size() > kMostPath) {
      return refuse(name.substr(0, 80), fmt::format("a path of keys longer than {} bytes", kMostPath));
    }
    path_ += name;
    key_ = std::move(name);
    return true;
  }

  bool start_object(std::size_t) {
    if (column_ != nullptr) return refuse("{", "an object where numbers are listed");
    begin_value();
    if (open_.empty() || (list_ && open_.size() == 1)) path_.clear();
    return open(false);
  }
  bool end_object() {
    close();
    if (open_.size() == (list_ ? 1U : 0U)) {
      document_.of_list = list_;
      const std::size_t number = document_.number;
      if (documents_.size() == kMostListed) {
        return refuse("", fmt::format("a list of more than {} objects", kMostListed));
      }
      documents_.push_back(std::move(document_));
      document_ = Document{.number = number + 1};
      shown_ = nullptr;
      entries_ = 0;
      texts_ = 0;
    }
    return true;
  }
  bool start_array(std::size_t) {
    if (open_.empty()) {
      list_ = true;
      return open(true);
    }
    if (column_ != nullptr) {
      if (open_.size() != column_level_) return refuse("[", "a list of lists of lists");
      column_->row_begin.push_back(column_->values.size());
      return open(true);
    }
    begin_value();
    const bool of_object = !open_.back().array;
    if (of_object && std::ranges::find(kColumns, key_) != kColumns.end()) {
      const auto [place, fresh] = document_.columns.try_emplace(path_);
      if (!fresh) return refuse("[", "the key appears twice");
      column_ = &place->second;
      column_level_ = open_.size() + 1;
    } else if (of_object) {
      if (document_.lists.size() == kMostValues) return refuse("[", "lists without end");
      shown_ = &document_.lists[path_];
      *shown_ = "[";
      shown_level_ = open_.size() + 1;
    }
    return open(true);
  }
  bool end_array() {
    if (column_ != nullptr && open_.size() == column_level_) column_ = nullptr;
    if (shown_ != nullptr && open_.size() == shown_level_) {
      *shown_ += ']';
      shown_ = nullptr;
    }
    close();
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception& thrown) {
    constexpr int kNumberOverflow = 406;
    if (thrown.id == kNumberOverflow) return refuse(token.substr(0, 80), "larger than a number may be");
    return refuse(token.substr(0, 80), fmt::format("not JSON at byte {}", byte));
  }

  std::optional<Error>& error() { return error_; }
  std::vector<Document>& documents() { return documents_; }

 private:
  struct Level {
    std::size_t prefix;  // bytes of path_ that name this container
    std::size_t index;   // elements begun, of an array
    bool array;
  };

  // The path of an element of an array ends in its index.
  void begin_value() {
    if (open_.empty() || !open_.back().array) return;
    path_.resize(open_.back().prefix);
    path_ += fmt::format("[{}]", open_.back().index++);
  }
  bool open(bool array) {
    if (open_.size() == kDeepest) {
      return refuse(fmt::format("{} levels", kDeepest + 1),
                    fmt::format("nested deeper than {} levels", kDeepest));
    }
    open_.push_back({path_.size(), 0, array});
    return true;
  }
  void close() {
    path_.resize(open_.back().prefix);
    open_.pop_back();
  }
  bool scalar(Value value) {
    if (column_ != nullptr) {
      std::string none;
      return value.kind == Value::Kind::null ? text_entry(none)
                                             : refuse(value.text, "where numbers are listed");
    }
    if (open_.empty()) return refuse(value.text.substr(0, 80), "no JSON object");
    if (open_.back().array) {  // of a list that no reader needs
      show(value);
      return true;
    }
    if (document_.values.size() == kMostValues) {
      return refuse("", fmt::format("more than {} values in one object", kMostValues));
    }
    const auto [place, fresh] = document_.values.try_emplace(path_, std::move(value));
    return fresh || refuse(place->second.text.substr(0, 80), "the key appears twice");
  }
  // The first element of a list, and that there are more.
  void show(const Value& value) {
    constexpr std::string_view kMore = ", ...";
    if (shown_ == nullptr || open_.size() != shown_level_) return;
    if (*shown_ == "[") {
      const char* quote = value.kind == Value::Kind::text ? "\"" : "";
      *shown_ += fmt::format("{}{}{}", quote, value.text.substr(0, 40), quote);
    } else if (!shown_->ends_with(kMore)) {
      *shown_ += kMore;
    }
  }
  bool entry(double value) {
    if (++entries_ > kMostEntries) {
      return refuse("", fmt::format("more than {} numbers in the lists of one object", kMostEntries));
    }
    column_->values.push_back(value);
    return true;
  }
  bool text_entry(const std::string& text) {
    if (++texts_ > kMostTexts) {
      return refuse("", fmt::format("more than {} texts in the lists of one object", kMostTexts));
    }
    if (column_->texts++ == 0 || (column_->first_text.empty() && !text.empty())) {
      column_->first_text = text.substr(0, 80);
      column_->first_text_at = column_->values.size();
    }
    return entry(text.empty() ? 0 : 1);
  }
  bool refuse(std::string found, std::string problem) {
    error_ = Error{source_, path_.empty() ? "$" : path_, std::move(found), std::move(problem)};
    return false;
  }

  std::string source_;
  std::vector<Document> documents_;  // the finished ones
  Document document_;
  std::string path_;
  std::string key_;
  std::vector<Level> open_;
  Column* column_ = nullptr;
  std::size_t column_level_ = 0;  // open_.size() inside it
  std::string* shown_ = nullptr;  // the list that is open, of document_.lists
  std::size_t shown_level_ = 0;
  std::size_t entries_ = 0;  // of the columns of the object
  std::size_t texts_ = 0;
  bool list_ = false;
  std::optional<Error> error_;
};

constexpr std::size_t kMostRefusals = 8;  // of one file
constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

const Value* Document::find(std::string_view path) const {
  const auto found = values.find(path);
  return found == values.end() ? nullptr : &found->second;
}

std::string Document::text(std::string_view path) const {
  const Value* value = find(path);
  return value != nullptr && value->kind == Value::Kind::text ? value->text : "";
}

std::optional<double> Document::number_at(std::string_view path) const {
  const Value* value = find(path);
  if (value == nullptr || value->kind != Value::Kind::number) return {};
  return value->number;
}

void read_documents(std::string_view text, const std::string& source,
                    const std::function<bool(Document&&)>& take,
                    const std::function<void(Error&&)>& refused) {
  // nlohmann's lexer takes the first NUL for the end of the text, and what follows it for nothing.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return refused(Error{source, "$", "", fmt::format("not JSON at byte {}, a NUL", nul + 1)});
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t number = 1;
  std::size_t refusals = 0;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::string_view piece = first_piece(text.substr(at));
    const auto parse = [&](std::string_view json_text) {
      Flattener flattener(number == 1 ? source : fmt::format("{}#{}", source, number), number);
      json::sax_parse(json_text.begin(), json_text.end(), &flattener);
      return flattener;
    };
    Flattener flattener = parse(piece);
    if (flattener.error()) {
      if (const auto quoted = with_quoted_non_numbers(piece)) flattener = parse(*quoted);
    }
    if (!flattener.error() && flattener.documents().empty()) {
      flattener.error() = Error{source, "$", std::string(piece.substr(0, 80)), "no JSON object"};
    }
    if (flattener.error()) {
      refused(*std::move(flattener.error()));
      ++number;
      if (++refusals == kMostRefusals || number == 2) return;
    } else {
      number += flattener.documents().size();
      for (Document& document : flattener.documents()) {
        if (!take(std::move(document))) return;
      }
    }
    at += piece.size();
  }
}

}  // namespace pageproof::results
