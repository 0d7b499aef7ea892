#include "golden/formats/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "golden/formats/fixture_json.hpp"
#include "golden/formats/tensors.hpp"

namespace pageproof::golden::formats {
namespace {

using oracle::EngineFormat;

// Stops at the first thing wrong; later calls do nothing.
class Validator {
 public:
  Validator(const Group& group, const SafetensorsFile& file, const std::string& subject)
      : group_(group), file_(file), subject_(subject) {}

  Expected<void> run() {
    // The file's own standard pages bound whatever the shape and the block count make a reader allocate.
    has_pages("standard pages", "standard", 0);
    for (const FormatPages& pages : group_.pages) check_pages(pages);
    for (const Test& test : group_.tests) check_test(test);
    if (!error_.problem.empty()) return std::unexpected(error_);
    return {};
  }

 private:
  void refuse(std::string field, std::string value, std::string problem) {
    if (error_.problem.empty()) error_ = {subject_, std::move(field), std::move(value), std::move(problem)};
  }

  void check_pages(const FormatPages& pages) {
    const std::string field = fmt::format("pages of {} in {}", pages.format, group_.file);
    const EngineFormat* format = oracle::engine_format(pages.format);
    if (format == nullptr) return refuse(field, pages.format, "no such page format");
    const auto axes = tensor_axes(*format, group_.shape, group_.blocks);
    if (pages.tensors.size() != axes.size()) {
      return refuse(field, fmt::format("{} tensors", pages.tensors.size()),
                    fmt::format("not {}", axes.size()));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) check_tensor(pages.tensors[i].tensor, axes[i]);
  }

  void check_tensor(const std::string& name, const std::vector<std::uint64_t>& axes) {
    const Tensor* found = file_.find(name);
    if (found == nullptr) return refuse("tensor", name, fmt::format("not in {}", file_.path().string()));
    if (found->dtype != group_.dtype) {
      refuse("dtype of " + name, std::string(golden::name(found->dtype)),
             fmt::format("the group's is {}", golden::name(group_.dtype)));
    }
    if (found->shape != axes) {
      refuse("shape of " + name, fmt::format("{}", found->shape), fmt::format("should be {}", axes));
    }
  }

  void check_test(const Test& test) {
    const auto of = [&](const char* field) { return fmt::format("tcId {}: {}", test.tc_id, field); };
    const auto member = [&](const char* field, bool present, bool wanted) {
      if (present == wanted) return;
      refuse(of(field), "",
             fmt::format("{} for the operation {}", wanted ? "missing" : "out of place",
                         to_string(test.operation)));
    };
    const bool find = test.operation == Operation::find;
    member("found", test.found.has_value(), find);
    member("difference", test.difference.has_value(), find);
    if (find) member("rule", test.rule.has_value(), false);
    if (test.valid != !(find || test.rule)) {
      refuse(of("result"), test.valid ? "valid" : "invalid",
             "a rule to refuse by, or pages in another format, is invalid");
    }
    for (const auto& [field, tag] : {std::pair("from", &test.from), std::pair("to", &test.to)}) {
      if (oracle::engine_format(*tag) == nullptr) return refuse(of(field), *tag, "no such page format");
    }
    if (test.rule) return;
    has_pages(of("from"), test.from, test.shift);
    has_pages(of("to"), test.to, test.shift);
    if (!test.found) return;
    has_pages(of("found"), *test.found, test.shift);
    const EngineFormat* found = oracle::engine_format(*test.found);
    if (found != nullptr && found->one_region != oracle::engine_format(test.to)->one_region) {
      refuse(of("found"), *test.found, fmt::format("not as many tensors as {}", test.to));
    }
  }

  void has_pages(std::string field, const std::string& format, std::uint64_t shift) {
    if (group_.find(format, shift) != nullptr) return;
    refuse(std::move(field), format, fmt::format("no pages of it with shift {} in {}", shift, group_.file));
  }

  const Group& group_;
  const SafetensorsFile& file_;
  const std::string& subject_;
  Error error_;
};

}  // namespace

Expected<void> validate_tests(const Group& group, const SafetensorsFile& file, const std::string& subject) {
  return Validator(group, file, subject).run();
}

}  // namespace pageproof::golden::formats
