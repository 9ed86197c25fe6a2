#include "runner/terminal.h"

#include <algorithm>
#include <cstdint>
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

// Writers hand over whole characters: they are shorter than any buffer.
ssize_t write_plain(void* descriptor, const char* bytes, size_t count) {
    std::string_view text(bytes, count);
    std::string out;
    while (!text.empty()) {
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto* known = std::ranges::find_if(plain, [&](const auto& pair) { return text.starts_with(pair.first); });
        out += known == std::end(plain) ? "?" : known->second;
        do
            text.remove_prefix(1);
        while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80);
    }
    const int fd = static_cast<int>(reinterpret_cast<intptr_t>(descriptor));
    for (std::string_view rest = out; !rest.empty();) {
        const ssize_t done = write(fd, rest.data(), rest.size());
        if (done <= 0)
            return 0;
        rest.remove_prefix(static_cast<size_t>(done));
    }
    return static_cast<ssize_t>(count);
}

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

void speak_ascii() {
    for (auto [stream, fd] : {std::pair{&stdout, 1}, std::pair{&stderr, 2}})
        if (FILE* file =
                fopencookie(reinterpret_cast<void*>(intptr_t{fd}), "w", {nullptr, write_plain, nullptr, nullptr})) {
            std::fflush(*stream);
            setvbuf(file, nullptr, fd == 2 ? _IONBF : isatty(fd) ? _IOLBF : _IOFBF, BUFSIZ);
            *stream = file;
        }
}

} // namespace runner
