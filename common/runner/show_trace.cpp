#include "runner/show_trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "runner/terminal.h"
#include "sim/timeline/render.h"

namespace runner {
void show_trace(std::FILE* terminal, const std::string& title, const sim::timeline::Recording& recording,
                const fs::path& out) {
    if (recording.events.empty())
        throw Problem{fmt::format("there is nothing to draw: block {} of no launch has run", recording.block),
                      "does the program launch a kernel? --block chooses another block"};
    const auto view = sim::timeline::make_view(title, recording);
    const int fd = terminal == stdout ? 1 : 2;
    const size_t width = width_of(fd);
    fmt::print(terminal, "{}",
               sim::timeline::terminal(view, {width ? width : 100, isatty(fd) && !std::getenv("NO_COLOR"), utf8()}));
    fs::path json = out, html = out;
    json.replace_extension(".json");
    html.replace_extension(".html");
    std::error_code problem;
    if (out.has_parent_path())
        fs::create_directories(out.parent_path(), problem);
    write_file(json, sim::timeline::chrome(view).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    write_file(html, sim::timeline::page(view));
    fmt::print(terminal, "\npage: {}\nfor https://ui.perfetto.dev: {}\n", shown(html), shown(json));
}

} // namespace runner
