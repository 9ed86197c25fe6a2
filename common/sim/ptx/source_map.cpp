#include "sim/ptx/module.h"

#include "sim/ptx/call_tree.h"
#include "sim/ptx/toolkit_files.h"

#include <algorithm>

namespace sim::ptx {
namespace {

constexpr size_t most_lines = 32; ///< of one instruction; more would not help a reader

void add_line(std::vector<SourceLine>& lines, SourceLine line) {
    if (lines.size() < most_lines && std::none_of(lines.begin(), lines.end(), [&](auto& other) {
            return other.line == line.line && other.file == line.file;
        }))
        lines.push_back(std::move(line));
}

/// In a kernel of CUTLASS, all lines are the library's. The most useful one is the innermost that says what is done,
/// behind the wrappers of instructions and in front of the kernel's one line, which is the same for everything.
const SourceLine& line_of_library(const std::vector<SourceLine>& chain) {
    for (const SourceLine& line : chain)
        for (const char* part : {"cutlass/gemm/", "cutlass/conv/", "cutlass/epilogue/"})
            if (line.file.find(part) != line.file.npos)
                return line;
    return chain.back();
}

std::vector<bool> own_files(const Module& module) {
    std::vector<bool> own(module.files.size());
    for (size_t i = 0; i < own.size(); ++i)
        own[i] = !module.files[i].empty() && !is_toolkit_file(module.files[i]);
    return own;
}

} // namespace

/// The map of one function's body.
class SourceMap::OfCode {
  public:
    OfCode(const Module& module, const Code& code, const std::vector<bool>& own);
    const std::vector<SourceLine>& lines(uint32_t index) const { return index < lines_.size() ? lines_[index] : none_; }
    const std::vector<SourceLine>& chain(uint32_t index) const {
        return index < chains_.size() ? chains_[index] : none_;
    }
    std::vector<std::string_view> called(uint32_t index) const;
    SourceFrames frames(uint32_t index) const;

  private:
    const Code& code_;
    CallTree tree_;
    std::vector<std::vector<SourceLine>> lines_, chains_;
    const std::vector<SourceLine> none_;
};

SourceMap::OfCode::OfCode(const Module& module, const Code& code, const std::vector<bool>& own)
    : code_(code), tree_(module, code, own), lines_(code.body.size()), chains_(code.body.size()) {
    const auto place = [&](const auto& l) {
        return SourceLine{l.file < module.files.size() ? module.files[l.file] : std::string(), l.line, l.column};
    };
    const InlineSites& sites = tree_.sites();
    for (uint32_t i = 0; i < code.body.size(); ++i) {
        const Location& here = code.locations[code.body[i].location];
        if (here.file == 0)
            continue;
        const auto& possible = tree_.possible(i);
        std::vector<SourceLine>& chain = chains_[i];
        if (here.line != 0)
            chain.push_back(place(here));
        if (possible.empty() && here.inlined_at >= 0)
            chain.push_back(place(code.locations[here.inlined_at]));
        for (int32_t site = sites.common(possible); site >= 0; site = sites.site(site).parent)
            if (sites.site(site).line != 0)
                chain.push_back(place(sites.site(site)));
        if (tree_.is_own(here)) {
            lines_[i].push_back(place(here));
            continue;
        }
        for (const int32_t choice : possible)
            if (const int32_t user = sites.site(choice).user; user >= 0)
                add_line(lines_[i], place(sites.site(user)));
        if (lines_[i].empty() && here.inlined_at >= 0 && tree_.is_own(code.locations[here.inlined_at]))
            lines_[i].push_back(place(code.locations[here.inlined_at]));
        // A header's code, and nothing says where it was inlined: it goes with the code before.
        if (lines_[i].empty() && i > 0 && tree_.is_own(code.locations[code.location]))
            lines_[i] = lines_[i - 1];
        if (lines_[i].empty() && !chain.empty())
            lines_[i].push_back(line_of_library(chain)); // no file of the program
    }
}

std::vector<std::string_view> SourceMap::OfCode::called(uint32_t index) const {
    std::vector<std::string_view> names;
    const InlineSites& sites = tree_.sites();
    for (const int32_t site : tree_.possible(index)) {
        const int32_t user = site < 0 ? -1 : sites.site(site).user;
        const int32_t callee = user < 0 ? -1 : sites.site(user).callee;
        if (callee >= 0)
            names.push_back(code_.inlined[size_t(callee)]);
    }
    return names;
}

SourceFrames SourceMap::OfCode::frames(uint32_t index) const {
    if (index >= code_.body.size())
        return {};
    for (uint32_t i = index; code_.locations[code_.body[i].location].file != 0; --i) {
        SourceFrames own = tree_.frames(i);
        if (!own.chain.empty())
            return own;
        // As in lines(): it goes with the code before.
        if (i == 0 || !tree_.is_own(code_.locations[code_.location]))
            break;
    }
    SourceFrames other;
    for (const SourceLine& line : lines(index))
        if (other.chain.empty())
            other.chain.push_back({line, {}});
        else
            other.alternatives.push_back(line);
    return other;
}

SourceMap::SourceMap(const Module& module) : module_(module), own_(own_files(module)) {}
SourceMap::~SourceMap() = default;

const SourceMap::OfCode& SourceMap::of(const Function& function) const {
    auto& known = functions_[&function];
    if (!known)
        known = std::make_unique<OfCode>(module_, function.code(), own_);
    return *known;
}

const std::vector<SourceLine>& SourceMap::lines(const Function& function, uint32_t index) const {
    return of(function).lines(index);
}

std::vector<SourceLine> SourceMap::chain(const Function& function, uint32_t index) const {
    return of(function).chain(index);
}

std::vector<std::string_view> SourceMap::called(const Function& function, uint32_t index) const {
    return of(function).called(index);
}

SourceFrames SourceMap::frames(const Function& function, uint32_t index) const {
    return of(function).frames(index);
}

SourceFrames SourceMap::beginning(const Function& function) const {
    if (function.is_parsed())
        return frames(function, 0);
    const Code code = function.beginning();
    return OfCode(module_, code, own_).frames(0);
}

} // namespace sim::ptx
