#include "runner/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace runner {
namespace {

constexpr std::pair<std::string_view, std::string_view> plain[] = {
    {"…", "..."}, {"–", "-"}, {"—", "-"}, {"✓", "+"}, {"✗", "x"}, {"→", "->"}, {"≥", ">="}, {"≤", "<="},
    {"×", "x"},   {"·", "."}, {"“", "'"}, {"”", "'"}, {"’", "'"}, {"█", "#"},  {"−", "-"},  {"▏", ""},
    {"▎", ""},    {"▍", ""},  {"▌", "#"}, {"▋", "#"}, {"▊", "#"}, {"▉", "#"},
};

constexpr std::string_view in_a_clone = "./lab";

/// Where the output goes, and how it is changed on its way. Writers hand over whole characters: they are shorter than
/// any buffer. A name may be cut in two at the end of one.
class AdaptedOutput {
  public:
    explicit AdaptedOutput(int fd) : fd_(fd) {}

    ssize_t write(std::string_view text) {
        const std::string all = held_ + std::string(text);
        held_.clear();
        std::string out;
        for (std::string_view rest = all; !rest.empty();)
            add(out, rest);
        return send(out) ? static_cast<ssize_t>(text.size()) : 0;
    }
    void end() {
        send(held_);
        held_.clear();
    }

  private:
    // Moves one character or one name from `rest` to `out`, changed.
    void add(std::string& out, std::string_view& rest) {
        const bool begins = std::exchange(at_line_start_, rest.front() == '\n');
        size_t taken = 1;
        if (renames_ && begins && rest.starts_with("lab: ")) {
            out += command_name();
            taken = 3;
        } else if (renames_ && names_command(rest)) {
            out += command_name();
            taken = in_a_clone.size();
        } else if (renames_ && !isatty(fd_) && in_a_clone.starts_with(rest)) {
            held_ = rest;
            taken = rest.size();
        } else if (ascii_ && static_cast<unsigned char>(rest.front()) >= 0x80) {
            const auto* known =
                std::ranges::find_if(plain, [&](const auto& pair) { return rest.starts_with(pair.first); });
            out += known == std::end(plain) ? "?" : known->second;
            while (taken < rest.size() && (static_cast<unsigned char>(rest[taken]) & 0xC0) == 0x80)
                ++taken;
        } else {
            out += rest.front();
        }
        rest.remove_prefix(taken);
    }
    static bool names_command(std::string_view rest) {
        if (!rest.starts_with(in_a_clone))
            return false;
        const unsigned char next = rest.size() > in_a_clone.size() ? rest[in_a_clone.size()] : ' ';
        return !std::isalnum(next) && next != '/' && next != '_' && next != '-';
    }
    bool send(std::string_view rest) const {
        while (!rest.empty()) {
            const ssize_t done = ::write(fd_, rest.data(), rest.size());
            if (done <= 0)
                return false;
            rest.remove_prefix(static_cast<size_t>(done));
        }
        return true;
    }

    int fd_;
    bool ascii_ = !utf8(), renames_ = command_name() != in_a_clone, at_line_start_ = true;
    std::string held_{}; // what may be the begin of a name
};

AdaptedOutput adapted[] = {AdaptedOutput(1), AdaptedOutput(2)};

} // namespace

size_t width_of(int fd) {
    if (!isatty(fd))
        return 0;
    if (const char* columns = std::getenv("COLUMNS"); columns && std::atol(columns) > 0)
        return size_t(std::atol(columns)); // somebody has said so
    winsize size{};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

bool utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(name); value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    return true;
}

std::string_view command_name() {
    const char* named = std::getenv("LAB_COMMAND");
    return named && *named ? named : in_a_clone;
}

void adapt_output() {
    if (utf8() && command_name() == in_a_clone)
        return;
    const auto write = [](void* output, const char* bytes, size_t count) {
        return static_cast<AdaptedOutput*>(output)->write({bytes, count});
    };
    for (auto [stream, fd] : {std::pair{&stdout, 1}, std::pair{&stderr, 2}})
        if (FILE* file = fopencookie(&adapted[fd - 1], "w", {nullptr, write, nullptr, nullptr})) {
            std::fflush(*stream);
            setvbuf(file, nullptr, fd == 2 ? _IONBF : isatty(fd) ? _IOLBF : _IOFBF, BUFSIZ);
            *stream = file;
        }
    std::atexit([] {
        std::fflush(stdout);
        for (AdaptedOutput& output : adapted)
            output.end();
    });
}

} // namespace runner
