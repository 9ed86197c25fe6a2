// How a box is written, for another process of this program. Included where that is done; see base/fields.h.
#pragma once

#include "base/fields.h"
#include "isolation/isolation.h"

template <>
inline constexpr auto base::names<isolation::Level> = std::to_array<std::string_view>({
    "limits",
    "landlock",
    "user",
    "bubblewrap",
});

template <>
inline constexpr auto base::fields<isolation::Box> = std::tuple{
    Field{"level", &isolation::Box::level},       Field{"user", &isolation::Box::user},
    Field{"compiler", &isolation::Box::compiler}, Field{"readable", &isolation::Box::readable},
    Field{"writable", &isolation::Box::writable}, Field{"own_environment", &isolation::Box::own_environment},
};
