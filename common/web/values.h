// Numbers as the elements of buffers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "web/launch.h"

namespace web {

std::optional<Type> type_named(std::string_view name);
double load(Type type, const std::byte* from);
void store(Type type, double value, std::byte* to); ///< integers wrap around
/// The value that an element has once it has been stored.
double rounded(Type type, double value);
/// Floating-point numbers may differ by what a few roundings do.
bool same(Type type, double expected, double found);

} // namespace web
