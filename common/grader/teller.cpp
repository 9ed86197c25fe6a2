#include "grader/teller.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "grader/accounting.h"
#include "grader/formats/escape.h"

namespace grader {

using nlohmann::json;

void Teller::tell(const std::string& id, const std::string& outcome, double seconds) {
    ++done_;
    const double per_one =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() / static_cast<double>(done_);
    const double left = per_one * static_cast<double>(all_ - done_);
    const std::string rest = all_ == done_ ? ""
                             : left < 90   ? fmt::format("   about {:.0f} s left", left)
                                           : fmt::format("   about {:.0f} min left", left / 60);
    fmt::print("{} of {}  {}  {}   {:.1f} s{}\n", done_, all_, plain(id), outcome, seconds, rest);
    std::fflush(stdout);
}

std::string outcome(const std::filesystem::path& file) {
    const json result = json::parse(base::read_file(file));
    size_t not_judged = 0, incomplete = 0;
    for (const auto& lab : result.at("labs"))
        for (const auto& item : lab.at("cases")) {
            not_judged += item.at("verdict") == "internal";
            incomplete += item.at("verdict") == "incomplete";
        }
    const std::string used = taken(result);
    return fmt::format("{} of {}{}{}{}{}", number(result.at("score")), number(result.at("possible")),
                       not_judged ? fmt::format("; in {} cases the checker itself failed", not_judged) : "",
                       incomplete ? fmt::format("; {} cases were not judged to their end", incomplete) : "",
                       used.empty() ? "" : "   ", used);
}

} // namespace grader
