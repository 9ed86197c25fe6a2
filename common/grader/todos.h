// Which TODO of a lab's skeleton a line of a student's file belongs to, so that reports can name the parts at which
// most of a class fails.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/result/result.h"

namespace grader {

/// `// TODO(2)` to `// END TODO(2)`, or a function, in lines counted from 1.
struct Region {
    size_t first = 0, last = 0;
    bool holds(size_t line) const { return first <= line && line <= last; }
};

/// The parts that a file's text has.
struct Outline {
    explicit Outline(std::string_view text);
    std::map<int, Region> todos;
    std::map<int, std::string> bodies; ///< of each TODO, without blanks
    std::vector<std::pair<std::string, Region>> functions;
    /// Its name; empty: no function is there.
    std::string function_at(size_t line) const;
};

class Todos {
  public:
    /// `published`: the published skeleton.
    Todos(std::string_view published, std::string_view text) : published_(published), own_(text) {}

    /// "TODO(2)" if one of the finding's lines is inside that region. If none is, or if the student has removed the
    /// markers: the TODOs of the function that contains the line, as "TODO(1) or TODO(2)". Empty: there are none.
    std::string of(const Finding& finding) const;
    /// Those that are as they were published.
    std::vector<int> untouched() const;

  private:
    std::string region_at(size_t line) const;
    std::string function_at(size_t line) const;
    Outline published_, own_;
};

/// Adds the part of the skeleton to each finding, and lists the parts that are unchanged.
void add_todos(LabResult& lab, std::string_view published, std::string_view text);

} // namespace grader
