// The one function of the fmt library that our code calls across object files, compiled in, so that programs need not
// be linked with it.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace sim::cuda {

[[gnu::used]] std::string (*const format_inside)(fmt::string_view, fmt::format_args) = &fmt::vformat;

} // namespace sim::cuda
