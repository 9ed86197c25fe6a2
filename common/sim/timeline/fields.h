// How an estimate is written. Included where that is done; see base/fields.h.
#pragma once

#include "base/fields.h"
#include "sim/timeline/estimate.h"

template <>
inline constexpr auto base::names<sim::timeline::Bound::Limit> =
    std::to_array<std::string_view>({"bandwidth", "tensor", "latency", "fill", "issue"});

template <>
inline constexpr auto base::fields<sim::timeline::Bound> = std::tuple{
    Field{"limit", &sim::timeline::Bound::limit},         Field{"pipe", &sim::timeline::Bound::pipe},
    Field{"tensor", &sim::timeline::Bound::tensor},       Field{"measured", &sim::timeline::Bound::measured},
    Field{"computing", &sim::timeline::Bound::computing}, Field{"in_flight", &sim::timeline::Bound::in_flight},
    Field{"needed", &sim::timeline::Bound::needed},
};

template <>
inline constexpr auto base::fields<sim::timeline::Estimate> = std::tuple{
    Field{"cycles", &sim::timeline::Estimate::cycles},
    Field{"awaited", &sim::timeline::Estimate::awaited},
    Field{"bound", &sim::timeline::Estimate::bound},
};
