// Shared parts of the HTML pages for a class and for one student.
#pragma once

#include <string>

#include "base/markup.h"
#include "grader/result/result.h"

namespace grader {

/// Nothing is loaded from anywhere, and there is no script: `details` opens a student's findings.
std::string page(const std::string& title, const base::Markup& body);

/// The findings in each lab of a result, with the source.
base::Markup findings(const Result& result);

} // namespace grader
