#include "grader/result/time.h"

#include <cstdio>
#include <string>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace grader {

std::optional<Time> time_from(std::string_view text) {
    int year, month, day, hour, minute, second = 0, used = 0;
    const std::string s(text);
    if (std::sscanf(s.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d%n:%2d%n", &year, &month, &day, &hour, &minute, &used, &second,
                    &used) < 5)
        return {};
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour > 23 || minute > 59 || second > 60)
        return {};
    Time time = std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                std::chrono::seconds(second);
    std::string_view zone = std::string_view(s).substr(static_cast<size_t>(used));
    while (!zone.empty() && (zone[0] == '.' || zone[0] == ' ' || (zone[0] >= '0' && zone[0] <= '9')))
        zone.remove_prefix(1);
    int hours = 0, minutes = 0;
    if (!zone.empty() && (zone[0] == '+' || zone[0] == '-') &&
        (std::sscanf(std::string(zone.substr(1)).c_str(), "%2d:%2d", &hours, &minutes) == 2 ||
         std::sscanf(std::string(zone.substr(1)).c_str(), "%2d%2d", &hours, &minutes) >= 1)) {
        const auto offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
        time += zone[0] == '+' ? -offset : offset;
    }
    return time;
}

std::string text_of(Time time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time.time_since_epoch().count()));
}

} // namespace grader
