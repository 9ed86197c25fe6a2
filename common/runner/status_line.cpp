#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "runner/command.h"

namespace runner {

StatusLine::StatusLine(std::string about) : about_(std::move(about)), terminal_(isatty(2)) {}

StatusLine::~StatusLine() {
    clear();
}

void StatusLine::show(std::string_view what) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (!terminal_ || seconds < 1)
        return;
    std::string line = fmt::format("{}{}{}, {:.0f} s", about_, about_.empty() ? "" : ": ", what, seconds);
    if (const size_t width = width_of(2); line.size() >= width) // a line that breaks cannot be taken back
        line.resize(width - 1);
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    visible_ = true;
}

void StatusLine::clear() {
    if (visible_)
        std::fputs("\r\033[K", stderr);
    visible_ = false;
}

} // namespace runner
