// The field lists of everything that the grader writes into files and pipes. Include it only there; see base/fields.h.
#pragma once

#include "base/fields.h"
#include "grader/result/student.h"
#include "grader/result/time.h"

namespace grader::written {

/// RFC 3339.
struct AsTime {
    nlohmann::json write(Time time) const { return text_of(time); }
    void read(const nlohmann::json& json, Time& time) const {
        const auto read = time_from(json.get<std::string>());
        if (!read)
            throw std::out_of_range("no time: " + json.get<std::string>());
        time = *read;
    }
};

} // namespace grader::written

template <>
inline constexpr auto base::fields<grader::Student> = std::tuple{
    Field{"id", &grader::Student::id},
    Field{"name", &grader::Student::name},
    Field{"email", &grader::Student::email},
};
