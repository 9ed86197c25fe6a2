// What a hunt asks before it shows the report: which rule, at which line?
#pragma once

#include <string>

#include "judge/checker.h"

namespace runner {

/// Says whether the guess is right. `guess`: "RULE:LINE", or empty: it is read from stdin. false: there is no guess.
bool ask_about(const judge::LabReport& report, const std::string& guess, size_t width);

} // namespace runner
