#include "sim/ptx/call_tree.h"

#include "sim/ptx/function_lines.h"
#include "sim/ptx/register_flow.h"
#include "sim/ptx/toolkit_files.h"

#include <algorithm>

namespace sim::ptx {
namespace {

constexpr size_t many_lines = 5; ///< with code: more than a wrapper has

std::vector<bool> own_files(const Module& module) {
    std::vector<bool> own(module.files.size());
    for (size_t i = 0; i < own.size(); ++i)
        own[i] = !module.files[i].empty() && !is_toolkit_file(module.files[i]);
    return own;
}

} // namespace

CallTree::CallTree(const Module& module) : module_(module), own_(own_files(module)), sites_(module, own_) {
    std::vector<const Function*> in_text_order;
    for (const auto& function : module.functions)
        if (!function->body.empty())
            in_text_order.push_back(function.get());
    std::ranges::sort(in_text_order, {}, &Function::text_line);
    for (const Function* function : in_text_order) {
        possible_[function] = FunctionLines(module, *function, sites_).run();
        count(*function);
    }
}

const std::vector<int32_t>& CallTree::possible(const Function& function, uint32_t index) const {
    static const std::vector<int32_t> none;
    const auto found = possible_.find(&function);
    return found == possible_.end() || index >= found->second.size() ? none : found->second[index];
}

SourceLine CallTree::line(const auto& place) const {
    return {place.file < module_.files.size() ? module_.files[place.file] : std::string(), place.line, place.column};
}

CallTree::Chain CallTree::chain(const Function& function, uint32_t index, int32_t site) const {
    const Location& here = module_.locations[function.body[index].location];
    Chain result;
    if (is_own(here))
        result.push_back({line(here), here.file, here.name, -1});
    if (site < 0 && here.inlined_at >= 0)
        if (const Location& outer = module_.locations[here.inlined_at]; is_own(outer))
            result.push_back({line(outer), outer.file, -1, -1});
    for (; site >= 0; site = sites_.site(site).parent) {
        const CallSite& call = sites_.site(site);
        if (call.user == site)
            result.push_back({line(call), call.file, call.parent < 0 ? -1 : sites_.site(call.parent).callee, site});
    }
    return result;
}

void CallTree::count(const Function& function) {
    for (uint32_t i = 0; i < function.body.size(); ++i) {
        const std::string& opcode = function.body[i].opcode;
        const auto& sites = possible(function, i);
        if (sites.size() > 1)
            continue;
        const bool effect =
            keeps_its_place(function.body[i]) && !opcode.starts_with("ret") && !opcode.starts_with("bra");
        const Chain links = chain(function, i, sites.empty() ? -1 : sites[0]);
        for (size_t link = 0; link < links.size(); ++link) {
            Inside& inside = inside_[{&function, link + 1 < links.size() ? links[link + 1].site : -1}];
            inside.all_lines.insert(links[link].place.line);
            if (!effect)
                continue;
            ++inside.instructions;
            inside.lines.insert(links[link].place.line);
            if (link > 0) {
                inside.calling.insert(links[link].place.line);
                ++inside.through_calls[links[link].site];
            }
        }
    }
}

const CallTree::Inside& CallTree::inside(const Function& function, int32_t site) const {
    static const Inside nothing;
    const auto found = inside_.find({&function, site});
    return found == inside_.end() ? nothing : found->second;
}

const CallTree::Inside& CallTree::around(const Function& function, const Chain& chain, size_t link) const {
    return inside(function, link + 1 < chain.size() ? chain[link + 1].site : -1);
}

size_t CallTree::shown(const Function& function, const Chain& chain) const {
    size_t link = chain.size() - 1;
    for (; link > 0 && chain[link].site >= 0; --link) {
        const Inside &outer = around(function, chain, link), &inner = inside(function, chain[link].site);
        const auto through = outer.through_calls.find(chain[link].site);
        const bool forwards =
            through != outer.through_calls.end() && through->second == outer.instructions && inner.lines.size() > 1;
        const bool wrapper = chain[link - 1].file != chain.back().file ||
                             (inner.calling.size() < 2 && inner.all_lines.size() < many_lines);
        if (!forwards && wrapper)
            break;
    }
    return link;
}

SourceFrames CallTree::frames(const Function& function, uint32_t index) const {
    std::vector<int32_t> choices = possible(function, index);
    if (choices.empty())
        choices.push_back(-1);
    SourceFrames result;
    std::vector<SourceLine> lines;
    bool same = true;
    for (const int32_t choice : choices) {
        const Chain links = chain(function, index, choice);
        if (links.empty())
            continue;
        const size_t shown_link = shown(function, links);
        const SourceLine& place = links[shown_link].place;
        if (std::ranges::none_of(lines, [&](auto& l) { return l.file == place.file && l.line == place.line; }))
            lines.push_back(place);
        if (result.chain.empty()) {
            result.shown = shown_link;
            for (const Link& link : links) {
                const bool named = link.name >= 0 && size_t(link.name) < module_.location_functions.size();
                result.chain.push_back({link.place, named ? module_.location_functions[size_t(link.name)] : ""});
            }
        } else {
            same = same && std::ranges::equal(links, result.chain, [](const Link& link, const SourceFrame& frame) {
                       return link.place == frame.place;
                   });
        }
    }
    if (!same) { // the calls inside the line shown are uncertain
        result.chain.erase(result.chain.begin(), result.chain.begin() + ptrdiff_t(result.shown));
        result.shown = 0;
    }
    if (!lines.empty())
        result.alternatives.assign(lines.begin() + 1, lines.end());
    return result;
}

} // namespace sim::ptx
