// A program's headers, which compilers read again and again, and the rest of it.
#pragma once

#include <string>
#include <string_view>

namespace servers {

struct Parts {
    std::string headers; ///< one #include per line: those at the beginning that no edit of the program changes
    std::string rest;    ///< the same number of lines as the whole; those lines are empty
};

/// The leading `#include <…>` and `#include "lab.h"` of a source file. Only comments, blank lines and `#pragma once`
/// may stand between them: a macro could change their meaning. No headers: the file has none in front. `given`: those
/// that a compiler has read; everything behind them belongs to the rest.
Parts split(std::string_view source, std::string_view given = {});

} // namespace servers
