#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "runner/context.h"

namespace runner {

StatusLine::StatusLine(std::string about) : about_(std::move(about)), terminal_(isatty(2)) {}

StatusLine::~StatusLine() {
    clear();
}

void StatusLine::show(std::string_view what) {
    using namespace std::chrono;
    const auto now = steady_clock::now();
    const double seconds = duration<double>(now - began_).count();
    if (!terminal_ || seconds < 1 || now - shown_at_ < milliseconds(100))
        return;
    shown_at_ = now;
    const std::string line =
        base::shortened(fmt::format("{}{}{:.0f} s, {}", about_, about_.empty() ? "" : ": ", seconds, what),
                        width_of(2) - 1); // a line that breaks cannot be taken back
    if (line == shown_)
        return;
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    shown_ = line;
}

void StatusLine::clear() {
    if (!shown_.empty())
        std::fputs("\r\033[K", stderr);
    shown_.clear();
}

} // namespace runner
