// One run of the playground: a launch as JSON goes in, everything that a page shows of it comes out.
#pragma once

#include <string>
#include <string_view>

namespace web {

/// The answer, also to a request that cannot be carried out (docs/playground.md describes both). Never throws.
std::string run(std::string_view request);

} // namespace web
