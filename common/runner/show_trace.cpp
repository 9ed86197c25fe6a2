#include "runner/show_trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "drawing/render.h"
#include "runner/language.h"
#include "runner/terminal.h"
#include "runner/translation.h"
#include "sim/timeline/facts.h"

namespace runner {

using base::Problem, base::shown, base::write_file;

namespace {

// The picture fits already; the sentences around it need not.
std::string fitted(const std::string& text, size_t width) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        out += line.find('\033') == std::string::npos ? base::wrapped(line + "\n", "", width) : line + "\n";
        at = end + 1;
    }
    return out;
}

} // namespace

nlohmann::json show_trace(std::FILE* terminal, const std::string& title, const sim::timeline::Recording& recording,
                          const fs::path& out, const sim::timeline::Model& model) {
    if (recording.events.empty())
        throw Problem{fmt::format("there is nothing to draw: block {} of no launch has run", recording.block),
                      "check that the program launches a kernel; --block chooses another block"};
    auto view = drawing::make_view(title, recording, model);
    if (!language().empty()) {
        view.language = language();
        view.translation = [](std::string english) { return translated(english); };
    }
    fs::path json = out, html = out;
    json.replace_extension(".json");
    html.replace_extension(".html");
    std::error_code problem;
    if (out.has_parent_path())
        fs::create_directories(out.parent_path(), problem);
    write_file(json, drawing::chrome(view).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    write_file(html, drawing::page(view));
    if (terminal) {
        const int fd = terminal == stdout ? 1 : 2;
        const size_t width = width_of(fd);
        const drawing::TerminalStyle style{width ? width : 100, isatty(fd) && !std::getenv("NO_COLOR"), utf8()};
        fmt::print(terminal, "{}\n{}\n{}\n", fitted(drawing::terminal(view, style), width),
                   fmt::format(fmt::runtime(wording("page: {}")), shown(html)),
                   fmt::format(fmt::runtime(wording("for https://ui.perfetto.dev: {}")), shown(json)));
    }
    const auto facts = sim::timeline::facts(recording, view.own);
    const auto bound = sim::timeline::bound(recording, view.model, view.own);
    auto waits = nlohmann::json::array();
    for (const auto& wait : facts.waits)
        waits.push_back({{"for", wait.name},
                         {"where", sim::timeline::where(recording, wait.place)},
                         {"count", wait.count},
                         {"cycles", wait.cycles}});
    return {{"page", fs::absolute(html).string()},
            {"perfetto", fs::absolute(json).string()},
            {"cycles", view.own.cycles},
            {"cycles_if_synchronous", view.awaited.cycles},
            {"bytes_copied", facts.bytes},
            {"in_flight", facts.in_flight},
            {"hidden", facts.hidden},
            {"bound", {{"by", bound.name()}, {"why", bound.why()}}},
            {"waits", waits}};
}

} // namespace runner
