// The page that steps through a recording of the simulated device.
#pragma once

#include <string>
#include <string_view>

namespace drawing {

/// `recording`: what sim::stepper::json has made. `language`: "zh", or "" for English. The page is this recording in a
/// template, and needs nothing else.
std::string stepper_page(std::string_view title, std::string_view language, std::string_view recording);

} // namespace drawing
