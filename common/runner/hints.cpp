#include "runner/hints.h"

#include "base/files.h"
#include "runner/markdown.h"

namespace runner {

using base::Paths;

namespace {

/// The card of the calls that the lab's solution needs, from its README; empty for an exercise, which has none.
std::string card(const Paths& paths, std::string_view name, bool chinese) {
    const fs::path readme = paths.lab(name) / (chinese ? "README.zh.md" : "README.md");
    std::error_code problem;
    return fs::exists(readme, problem) ? section(base::read_file(readme), chinese ? "调用" : "Calls") : "";
}

} // namespace

std::vector<Hint> read_hints(const Paths& paths, std::string_view name, std::string_view language) {
    std::vector<Hint> hints = read_texts(paths, name, language).hints;
    const bool chinese = language == "zh";
    if (const std::string calls = card(paths, name, chinese); !calls.empty())
        hints.insert(hints.end() - 1, Hint{chinese ? "名称与签名" : "Names and signatures", calls});
    return hints;
}

} // namespace runner
