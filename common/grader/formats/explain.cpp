#include "grader/formats/explain.h"

#include <fmt/format.h>

#include "grader/formats/escape.h"

namespace grader {
namespace {

using nlohmann::json;

std::string line_of(const std::string& text, size_t number) {
    size_t begin = 0;
    for (; number > 1 && begin != std::string::npos; --number)
        if ((begin = text.find('\n', begin)) != std::string::npos)
            ++begin;
    return begin == std::string::npos ? "" : text.substr(begin, std::min<size_t>(text.find('\n', begin) - begin, 200));
}

std::string place(const json& place, const std::string& source) {
    const std::string file = place.at("file"), threads = place.at("threads"), action = place.at("action");
    const size_t line = place.at("line");
    std::string text = file.empty() ? std::string("  ") : fmt::format("  {}:{}: ", file, line);
    text += threads + (threads.empty() ? "" : " ") + action + "\n";
    if (file == "kernel.cu")
        if (const std::string code = line_of(source, line); !code.empty())
            text += fmt::format("    {:4} | {}\n", line, code);
    return text;
}

} // namespace

std::string outcome_of(const json& item) {
    const std::string verdict = item.at("verdict");
    if (verdict == "hazard")
        for (const auto& finding : item.at("findings"))
            if (finding.at("severity") == "error")
                return finding.at("rule");
    return verdict;
}

std::string explanation(const json& lab, const json& item) {
    const std::string verdict = item.at("verdict"), source = lab.value("source", "");
    if (verdict == "missing")
        return "nothing was handed in for this lab\n";
    if (verdict == "compile-error")
        return plain(lab.value("compile_errors", "it does not compile"));
    std::string text;
    for (const auto& finding : item.at("findings")) {
        const std::string severity = finding.at("severity");
        if (severity == "note")
            continue;
        text += (severity == "warning" ? "warning: " : "") + finding.at("rule").get<std::string>() + "\n" +
                place(finding.at("first"), source);
        for (const auto& other : finding.at("others"))
            text += place(other, source);
        text +=
            "  " + finding.at("message").get<std::string>() + "\n  " + finding.at("remedy").get<std::string>() + "\n";
    }
    if (const std::string message = item.value("message", ""); !message.empty())
        text += message + "\n";
    if (const std::string call = item.value("call", ""); !call.empty() && !text.empty())
        text += fmt::format("in {}, {}, {} schedule\n", call, item.value("target", ""), item.value("schedule", ""));
    return plain(text);
}

} // namespace grader
