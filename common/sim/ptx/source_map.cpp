#include "sim/ptx/module.h"

#include "sim/ptx/call_tree.h"

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

} // namespace

SourceMap::SourceMap(const Module& module) : module_(module), tree_(std::make_shared<CallTree>(module)) {
    const auto place = [&](const auto& l) {
        return SourceLine{l.file < module.files.size() ? module.files[l.file] : std::string(), l.line, l.column};
    };
    const InlineSites& sites = tree_->sites();
    for (const auto& function : module.functions) {
        if (function->body.empty())
            continue;
        auto& lines = lines_[function.get()];
        auto& chains = chains_[function.get()];
        lines.resize(function->body.size());
        chains.resize(function->body.size());
        for (uint32_t i = 0; i < function->body.size(); ++i) {
            const Location& here = module.locations[function->body[i].location];
            if (here.file == 0)
                continue;
            const auto& possible = tree_->possible(*function, i);
            std::vector<SourceLine>& chain = chains[i];
            if (here.line != 0)
                chain.push_back(place(here));
            if (possible.empty() && here.inlined_at >= 0)
                chain.push_back(place(module.locations[here.inlined_at]));
            for (int32_t site = sites.common(possible); site >= 0; site = sites.site(site).parent)
                if (sites.site(site).line != 0)
                    chain.push_back(place(sites.site(site)));
            if (tree_->is_own(here)) {
                lines[i].push_back(place(here));
                continue;
            }
            for (const int32_t choice : possible)
                if (const int32_t user = sites.site(choice).user; user >= 0)
                    add_line(lines[i], place(sites.site(user)));
            if (lines[i].empty() && here.inlined_at >= 0 && tree_->is_own(module.locations[here.inlined_at]))
                lines[i].push_back(place(module.locations[here.inlined_at]));
            // A header's code, and nothing says where it was inlined: it goes with the code before.
            if (lines[i].empty() && i > 0 && tree_->is_own(module.locations[function->location]))
                lines[i] = lines[i - 1];
            if (lines[i].empty() && !chain.empty())
                lines[i].push_back(line_of_library(chain)); // no file of the program
        }
    }
}

const std::vector<SourceLine>& SourceMap::lines(const Function& function, uint32_t index) const {
    static const std::vector<SourceLine> none;
    const auto found = lines_.find(&function);
    return found == lines_.end() || index >= found->second.size() ? none : found->second[index];
}

std::vector<SourceLine> SourceMap::chain(const Function& function, uint32_t index) const {
    const auto found = chains_.find(&function);
    if (found == chains_.end() || index >= found->second.size())
        return {};
    return found->second[index];
}

std::vector<std::string_view> SourceMap::called(const Function& function, uint32_t index) const {
    std::vector<std::string_view> names;
    const InlineSites& sites = tree_->sites();
    for (const int32_t site : tree_->possible(function, index)) {
        const int32_t user = site < 0 ? -1 : sites.site(site).user;
        const int32_t callee = user < 0 ? -1 : sites.site(user).callee;
        if (callee >= 0 && size_t(callee) < module_.location_functions.size())
            names.push_back(module_.location_functions[size_t(callee)]);
    }
    return names;
}

SourceFrames SourceMap::frames(const Function& function, uint32_t index) const {
    if (index >= function.body.size())
        return {};
    for (uint32_t i = index; module_.locations[function.body[i].location].file != 0; --i) {
        SourceFrames own = tree_->frames(function, i);
        if (!own.chain.empty())
            return own;
        // As in lines(): it goes with the code before.
        if (i == 0 || !tree_->is_own(module_.locations[function.location]))
            break;
    }
    SourceFrames other;
    for (const SourceLine& line : lines(function, index))
        if (other.chain.empty())
            other.chain.push_back({line, {}});
        else
            other.alternatives.push_back(line);
    return other;
}

} // namespace sim::ptx
