// How a summary is written. Included where that is done; see base/fields.h.
#pragma once

#include "base/fields.h"
#include "sim/protocol/summary.h"

namespace sim::protocol::written {

struct IsEmpty {
    nlohmann::json write(const std::string& text) const { return text.empty(); }
    void read(const nlohmann::json&, std::string&) const {}
};

} // namespace sim::protocol::written

template <>
inline constexpr auto base::fields<sim::protocol::Summary> = std::tuple{
    Field{"operations", &sim::protocol::Summary::operations},
    Field{"every_order", &sim::protocol::Summary::not_all, sim::protocol::written::IsEmpty{}},
    Field{"not_all", &sim::protocol::Summary::not_all},
    Field{"states", &sim::protocol::Summary::states},
    Field{"seconds", &sim::protocol::Summary::seconds},
};
