// The tokens of a C++ source, and the value of a constant expression in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim::ptx {

/// Words, numbers and single characters of punctuation ("::" is one token). Comments, literals and the preprocessor's
/// lines are left out.
struct SourceTokens {
    explicit SourceTokens(std::string_view text);

    std::vector<std::string_view> all;
    std::vector<std::pair<std::string_view, std::string_view>> macros; ///< #define NAME text

  private:
    size_t skipped(std::string_view text, size_t at);
    size_t directive(std::string_view text, size_t at);
};

bool is_name(std::string_view token);

/// A constant expression of integers.
class ConstantExpression {
  public:
    using Value = std::optional<int64_t>;
    using Lookup = std::function<Value(std::string_view)>;

    ConstantExpression(const std::string_view* first, const std::string_view* last, const Lookup& name,
                       const Lookup& size_of)
        : at_(first), end_(last), name_(name), size_of_(size_of) {}
    /// nullopt: it is not known, or there is something else.
    Value value();

  private:
    std::string_view peek() const { return at_ == end_ ? std::string_view{} : *at_; }
    std::string_view take() { return at_ == end_ ? std::string_view{} : *at_++; }
    Value binary(int level);
    Value operand();
    Value size();

    const std::string_view *at_, *end_;
    const Lookup &name_, &size_of_;
};

} // namespace sim::ptx
