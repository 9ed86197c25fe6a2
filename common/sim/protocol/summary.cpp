#include "sim/protocol/summary.h"

#include <fmt/format.h>

namespace sim::protocol {

std::string Summary::text() const {
    if (not_all.empty())
        return fmt::format("every order of {} barrier operation{} was explored", operations,
                           operations == 1 ? "" : "s");
    return fmt::format("not all orders of {} barrier operation{} were explored: {}", operations,
                       operations == 1 ? "" : "s", not_all);
}

} // namespace sim::protocol
