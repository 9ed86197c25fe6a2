#include "compile/messages.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/text.h"

// Texts here come from untrusted files, so each of these functions takes time and memory in proportion to them.
namespace compile {

using base::shown;
using process::Process;

namespace {

bool out_of_time(const Process& process) {
    const int status = process.status();
    const process::Limits& limits = process.limits();
    if (status == 0)
        return false;
    if (limits.wall.count() && process.elapsed() > limits.wall)
        return true;
    // nvcc says of a compiler that it had started what ended it: cicc "died due to signal 9", or "Killed" by a shell.
    const std::string& said = process.output();
    return limits.processor_seconds && process.elapsed() > std::chrono::seconds(limits.processor_seconds) &&
           (WIFSIGNALED(status) || said.find("died due to signal") != said.npos || said.find("Killed") != said.npos);
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

// ptxas's advisories are about other GPUs ("should be used on .target 'sm_90a/sm_100a/…'").
bool is_noise(std::string_view line) {
    return line.find_first_not_of(" \t\r\f\v") == line.npos || line.starts_with("Remark: ") ||
           contains(line, "error detected in the compilation of") ||
           contains(line, "errors detected in the compilation of") || contains(line, "compilation terminated") ||
           contains(line, "warning : Advisory");
}

// file(41): error: … -> file:41: error: …, which terminals and editors can open. The last such place before a blank.
std::string with_colons(std::string_view line) {
    const size_t word = std::min(line.find_first_of(" \t"), line.size());
    if (word < 4 || line.substr(word - 2, 2) != "):" || word == line.size() || line[word] != ' ')
        return std::string(line);
    const size_t open = line.rfind('(', word);
    const std::string_view digits = open == line.npos ? "" : line.substr(open + 1, word - 3 - open);
    if (!open || digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
        return std::string(line);
    return fmt::format("{}:{}:{}", line.substr(0, open), digits, line.substr(word));
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t next = std::min(text.find(from, at), text.size());
        out += text.substr(at, next - at);
        if (next < text.size())
            out += to;
        at = next + from.size();
    }
    return out;
}

} // namespace

Ended finish(Process& process, const fs::path& source, const Ticker& ticker, const std::string& what) {
    if (process.finish([&] {
            if (ticker)
                ticker("compiling " + what);
        }) &&
        process.status() == 0)
        return {};
    if (process.too_much_output())
        return {"the compiler printed without end\n"};
    if (out_of_time(process))
        return {fmt::format("{}: the compiler had not finished after {} s of processor time\n", shown(source),
                            process.limits().processor_seconds),
                true};
    const std::string text = shorten_errors(process.output(), source);
    return {text.empty() ? "nvcc failed: " + process::describe_status(process.status()) + "\n" : text};
}

std::string shorten_errors(std::string_view text, const fs::path& source) {
    constexpr size_t most = 24, longest = 400;
    std::string out;
    size_t lines = 0;
    const std::string whole = source.string(), brief = shown(source);
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!is_noise(line) && ++lines <= most)
            out += with_colons(brief == whole ? std::string(line) : replaced(line, whole, brief)).substr(0, longest) +
                   "\n";
    }
    if (lines > most)
        out += fmt::format("… and {} more lines\n", lines - most);
    return out;
}

std::string without_own_files(std::string_view text) {
    constexpr std::string_view ending = ".cudafe1.cpp", temporary = "tmpxft_";
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t next = text.find(ending, at);
        if (next == text.npos) {
            out += text.substr(at);
            break;
        }
        std::string_view before = text.substr(at, next - at);
        size_t name = before.size(); // /tmp/tmpxft_00000f00_00000000-6_kernel -> kernel
        while (name && base::is_word(before[name - 1]))
            --name;
        const size_t path = before.find_last_of(" \t\n'\"`(") + 1; // 0: the text's beginning
        const size_t mark = before.rfind(temporary);
        std::string_view kernel = before.substr(name);
        if (mark != before.npos && mark >= path) // the name stands behind "…-6_"
            kernel.remove_prefix(std::min(kernel.find('_') + 1, kernel.size()));
        out += before.substr(0, path);
        out += std::string(kernel) + ".cu";
        at = next + ending.size();
    }
    return out;
}

} // namespace compile
