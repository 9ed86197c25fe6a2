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

void Summary::join(const Summary& other) {
    operations += other.operations;
    states += other.states;
    seconds += other.seconds;
    notable = notable || other.notable;
    if (not_all.empty())
        not_all = other.not_all;
}

} // namespace sim::protocol
