// A file's __has_include questions, which it asks the preprocessor besides its #include lines.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace compile {

struct Questions {
    std::set<std::string> headers; ///< __has_include(<name>) and macros of a similar name ask whether these exist
    bool unknown = false;          ///< it asks for a header that a macro names, or takes in a file without #include
};

Questions questions(std::string_view text);

/// Quickly: can there be a question for a header in the text?
bool mentions_headers(std::string_view text);

} // namespace compile
