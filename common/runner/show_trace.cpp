#include "runner/show_trace.h"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/timeline/render.h"

namespace runner {
namespace {

size_t width_of(int fd) {
    winsize size{};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char* columns = std::getenv("COLUMNS");
    const long width = columns ? std::atol(columns) : 0;
    return width > 0 ? size_t(width) : 100;
}

bool utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value && *value)
            return std::strstr(value, "UTF-8") || std::strstr(value, "utf8") || std::strstr(value, "UTF8");
    return true; // nothing is said: most terminals are
}

} // namespace

void show_trace(std::FILE* terminal, const std::string& title, const sim::timeline::Recording& recording,
                const fs::path& out) {
    if (recording.events.empty())
        throw Problem{fmt::format("there is nothing to draw: block {} of no launch has run", recording.block),
                      "does the program launch a kernel? --block chooses another block"};
    const auto view = sim::timeline::make_view(title, recording);
    const int fd = fileno(terminal);
    fmt::print(terminal, "{}",
               sim::timeline::terminal(view, {width_of(fd), isatty(fd) && !std::getenv("NO_COLOR"), utf8()}));
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
