#include "grader/progress.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/escape.h"
#include "grader/accounting.h"
#include "grader/result/text.h"

namespace grader {

void Progress::graded(const std::string& id, const std::string& outcome, double seconds) {
    ++done_;
    const double per_one =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() / static_cast<double>(done_);
    const double left = per_one * static_cast<double>(all_ - done_);
    const std::string rest = all_ == done_ ? ""
                             : left < 90   ? fmt::format("   about {:.0f} s left", left)
                                           : fmt::format("   about {:.0f} min left", left / 60);
    fmt::print("{} of {}  {}  {}   {:.1f} s{}\n", done_, all_, base::plain(id), outcome, seconds, rest);
    std::fflush(stdout);
}

std::string outcome(const std::filesystem::path& file) {
    const Result result = read_result(file);
    size_t not_judged = 0, incomplete = 0;
    for (const auto& lab : result.labs)
        for (const auto& item : lab.cases) {
            not_judged += item.verdict == check::Verdict::internal;
            incomplete += item.verdict == check::Verdict::incomplete;
        }
    const std::string used = taken(result);
    return fmt::format("{} of {}{}{}{}{}{}", result.undecided() ? "no score" : number(result.score),
                       number(result.possible),
                       not_judged ? fmt::format("; in {} cases the checker itself failed", not_judged) : "",
                       incomplete ? fmt::format("; {} cases were not judged to their end", incomplete) : "",
                       result.undecided() ? "; these files name no lab: " +
                                                base::plain(fmt::format("{}", fmt::join(result.unrecognised, ", ")))
                                          : "",
                       used.empty() ? "" : "   ", used);
}

} // namespace grader
