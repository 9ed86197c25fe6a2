// How verdicts are written. Included where that is done; see base/fields.h.
#pragma once

#include "check/verdict.h"
#include "sim/protocol/fields.h"
#include "sim/report/fields.h"
#include "sim/timeline/fields.h"

template <>
inline constexpr auto base::names<check::Verdict> = std::to_array<std::string_view>({
    "internal",
    "not-supported",
    "hazard",
    "crash",
    "timeout",
    "cuda-error",
    "wrong",
    "mechanism",
    "unearned",
    "incomplete",
    "passed",
    "not-run",
    "compile-error",
    "missing",
    "not-given",
});
