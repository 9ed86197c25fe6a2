#include "sim/ptx/module.h"

#include "sim/ptx/function_lines.h"
#include "sim/ptx/inline_sites.h"
#include "sim/ptx/toolkit_files.h"

#include <algorithm>

namespace sim::ptx {
namespace {

constexpr size_t most_lines = 32; ///< of one instruction; more tell a reader nothing

void add_line(std::vector<SourceLine>& lines, SourceLine line) {
    if (lines.size() < most_lines && std::none_of(lines.begin(), lines.end(), [&](auto& other) {
            return other.line == line.line && other.file == line.file;
        }))
        lines.push_back(std::move(line));
}

} // namespace

SourceMap::SourceMap(const Module& module) : module_(module) {
    std::vector<bool> own(module.files.size());
    for (size_t i = 0; i < own.size(); ++i)
        own[i] = !module.files[i].empty() && !is_toolkit_file(module.files[i]);
    const auto place = [&](const auto& l) {
        return SourceLine{l.file < module.files.size() ? module.files[l.file] : std::string(), l.line, l.column};
    };
    const auto is_own = [&](const Location& l) { return l.line != 0 && l.file < own.size() && own[l.file]; };

    std::vector<const Function*> in_text_order;
    for (const auto& function : module.functions)
        if (!function->body.empty())
            in_text_order.push_back(function.get());
    std::sort(in_text_order.begin(), in_text_order.end(), [](auto* a, auto* b) { return a->text_line < b->text_line; });

    InlineSites sites(module, own);
    for (const Function* function : in_text_order) {
        const auto possible = FunctionLines(module, *function, sites).run();
        auto& lines = lines_[function];
        auto& chains = chains_[function];
        lines.resize(function->body.size());
        chains.resize(function->body.size());
        for (uint32_t i = 0; i < function->body.size(); ++i) {
            const Location& here = module.locations[function->body[i].location];
            if (here.file == 0)
                continue;
            std::vector<SourceLine>& chain = chains[i];
            if (here.line != 0)
                chain.push_back(place(here));
            if (possible[i].empty() && here.inlined_at >= 0)
                chain.push_back(place(module.locations[here.inlined_at]));
            for (int32_t site = sites.common(possible[i]); site >= 0; site = sites.site(site).parent)
                if (sites.site(site).line != 0)
                    chain.push_back(place(sites.site(site)));
            if (is_own(here)) {
                lines[i].push_back(place(here));
                continue;
            }
            for (const int32_t choice : possible[i])
                if (const int32_t user = sites.site(choice).user; user >= 0)
                    add_line(lines[i], place(sites.site(user)));
            if (lines[i].empty() && here.inlined_at >= 0 && is_own(module.locations[here.inlined_at]))
                lines[i].push_back(place(module.locations[here.inlined_at]));
            // A header's code, and nothing says where it was inlined: it goes with the code before.
            if (lines[i].empty() && i > 0 && is_own(module.locations[function->location]))
                lines[i] = lines[i - 1];
            if (lines[i].empty() && !chain.empty())
                lines[i].push_back(chain.back()); // no file of the program: the outermost link that is known
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

} // namespace sim::ptx
