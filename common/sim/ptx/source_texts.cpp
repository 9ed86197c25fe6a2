#include "sim/ptx/source_texts.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "sim/ptx/toolkit_files.h"

namespace sim::ptx {
namespace {

constexpr uint64_t largest_source = 1 << 20; // bytes

std::optional<SourceTexts>& given() {
    static std::optional<SourceTexts> texts;
    return texts;
}

} // namespace

void use_source_texts(SourceTexts texts) {
    given() = std::move(texts);
}

std::string source_text(const std::string& file) {
    if (given()) {
        const auto found = given()->find(file);
        return found == given()->end() ? std::string() : found->second;
    }
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > largest_source)
        return {};
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// .file 1 "/home/ann/kernel.cu", a line each. A stranger may have written the word any number of times.
std::vector<std::string> named_files(std::string_view ptx, size_t most) {
    std::vector<std::string> files;
    constexpr std::string_view directive = ".file";
    constexpr size_t longest_line = 8192;
    for (size_t at = 0; files.size() < most && (at = ptx.find(directive, at)) != ptx.npos;) {
        at += directive.size();
        std::string_view line = ptx.substr(at, longest_line);
        line = line.substr(0, line.find('\n'));
        at += line.size();
        const size_t first = line.find('"'), last = line.rfind('"');
        if (first == line.npos || last == first)
            continue;
        std::string name(line.substr(first + 1, last - first - 1));
        if (!name.empty() && !is_toolkit_file(name))
            files.push_back(std::move(name));
    }
    return files;
}

} // namespace sim::ptx
