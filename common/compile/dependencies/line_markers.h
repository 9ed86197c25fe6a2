// Which files a preprocessor has read, as the line markers in its output say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace compile {

/// A line `# 12 "file" 1 3`.
struct LineMarker {
    std::string file;
    bool entered = false; ///< the file begins here; else it goes on, or a #line directive names it
};

/// In linear time, whatever the text: programs may name their lines as they like. Without "<built-in>" and the like.
std::vector<LineMarker> line_markers(std::string_view preprocessed);

} // namespace compile
