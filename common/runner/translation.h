// What the device, the checks and the runner say, in the language that is set. They say it in English; the tables in
// common/runner/zh hold each text as the source has it, with {} for what it is filled with, and its Chinese.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/report/finding.h"

namespace runner {

/// A text that is already filled in: line by line and sentence by sentence. Sentences that no table has stay English.
std::string translated(std::string_view text);
/// The message, the remedy and what happened at each place.
sim::hazards::Finding translated(sim::hazards::Finding finding);
/// The format string in the language that is set; `english` itself if no table has it.
std::string_view wording(std::string_view english);

/// fmt::format() in the language that is set.
template <class... T>
std::string said(std::string_view english, const T&... arguments) {
    return fmt::vformat(wording(english), fmt::make_format_args(arguments...));
}

/// Sentences of a text without Chinese, for the tests.
std::string untranslated(std::string_view text);

} // namespace runner
