#include "base/escape.h"

#include <cstdlib>

#include <fmt/format.h>

namespace base {
namespace {

// Control characters other than line end and tab; text is UTF-8, whose further bytes are no concern here.
bool is_control(unsigned char c) {
    return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
}

// C1 controls (U+0080 … U+009F) are two bytes in UTF-8, and some terminals obey them. XML forbids U+FFFE and U+FFFF.
size_t forbidden(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    if (is_control(byte(at)))
        return 1;
    if (byte(at) == 0xc2 && byte(at + 1) >= 0x80 && byte(at + 1) <= 0x9f)
        return 2;
    if (byte(at) == 0xef && byte(at + 1) == 0xbf && byte(at + 2) >= 0xbe)
        return 3;
    // U+202A … U+202E and U+2066 … U+2069 change the direction of the text that follows: code would not read as it is.
    if (byte(at) == 0xe2 && ((byte(at + 1) == 0x80 && byte(at + 2) >= 0xaa && byte(at + 2) <= 0xae) ||
                             (byte(at + 1) == 0x81 && byte(at + 2) >= 0xa6 && byte(at + 2) <= 0xa9)))
        return 3;
    return 0;
}

template <class Replace>
std::string cleaned(std::string_view text, Replace replace) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        if (const size_t length = forbidden(text, i)) {
            out += "\xef\xbf\xbd";
            i += length;
        } else {
            replace(out, text[i++]);
        }
    }
    return out;
}

} // namespace

std::string csv_field(std::string_view text) {
    std::string field = cleaned(text, [](std::string& out, char c) { out += c; });
    const size_t first = field.find_first_not_of(" \t\n");
    if (first != std::string::npos && std::string_view("=+-@").find(field[first]) != std::string_view::npos) {
        char* end = nullptr;
        std::strtod(field.c_str(), &end);
        if (*end) // -3.5 is a number, and harmless
            field.insert(0, "'");
    }
    if (field.find_first_of(",\"\n;\t") == std::string::npos && field.find("  ") == std::string::npos)
        return field;
    std::string quoted = "\"";
    for (const char c : field)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string markup(std::string_view text) {
    return cleaned(text, [](std::string& out, char c) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    });
}

std::string markdown(std::string_view text) {
    return cleaned(text, [](std::string& out, char c) {
        if (std::string_view("&<>\"'\\`*_{}[]()#+-.!|~@:=/$^").find(c) != std::string_view::npos)
            out += fmt::format("&#{};", static_cast<int>(c));
        else
            out += c == '\n' || c == '\t' ? ' ' : c;
    });
}

std::string plain(std::string_view text) {
    std::string out = cleaned(text, [](std::string& o, char c) { o += c; });
    // "::error::", "##[error]": GitHub and Azure read commands from logs.
    for (const std::string_view command : {"::", "##["})
        for (size_t at = 0; (at = out.find(command, at)) != std::string::npos; at += 4)
            out.insert(at + 1, "\xe2\x80\x8b");
    return out;
}

} // namespace base
