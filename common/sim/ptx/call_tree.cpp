#include "sim/ptx/call_tree.h"

#include "sim/ptx/function_lines.h"
#include "sim/ptx/register_flow.h"

#include <algorithm>

namespace sim::ptx {
namespace {

constexpr size_t many_lines = 5; ///< with code: more than a wrapper has

} // namespace

CallTree::CallTree(const Module& module, const Code& code, const std::vector<bool>& own)
    : module_(module), code_(code), own_(own), sites_(code, own), possible_(FunctionLines(code, sites_).run()) {
    count();
}

const std::vector<int32_t>& CallTree::possible(uint32_t index) const {
    static const std::vector<int32_t> none;
    return index < possible_.size() ? possible_[index] : none;
}

SourceLine CallTree::line(const auto& place) const {
    return {place.file < module_.files.size() ? module_.files[place.file] : std::string(), place.line, place.column};
}

CallTree::Chain CallTree::chain(uint32_t index, int32_t site) const {
    const Location& here = code_.locations[code_.body[index].location];
    Chain result;
    if (is_own(here))
        result.push_back({line(here), here.file, here.name, -1});
    if (site < 0 && here.inlined_at >= 0)
        if (const Location& outer = code_.locations[here.inlined_at]; is_own(outer))
            result.push_back({line(outer), outer.file, -1, -1});
    for (; site >= 0; site = sites_.site(site).parent) {
        const CallSite& call = sites_.site(site);
        if (call.user == site)
            result.push_back({line(call), call.file, call.parent < 0 ? -1 : sites_.site(call.parent).callee, site});
    }
    return result;
}

void CallTree::count() {
    for (uint32_t i = 0; i < code_.body.size(); ++i) {
        const std::string& opcode = code_.body[i].opcode;
        const auto& sites = possible(i);
        if (sites.size() > 1)
            continue;
        const bool effect = keeps_its_place(code_.body[i]) && !opcode.starts_with("ret") && !opcode.starts_with("bra");
        const Chain links = chain(i, sites.empty() ? -1 : sites[0]);
        for (size_t link = 0; link < links.size(); ++link) {
            Inside& inside = inside_[link + 1 < links.size() ? links[link + 1].site : -1];
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

const CallTree::Inside& CallTree::inside(int32_t site) const {
    static const Inside nothing;
    const auto found = inside_.find(site);
    return found == inside_.end() ? nothing : found->second;
}

const CallTree::Inside& CallTree::around(const Chain& chain, size_t link) const {
    return inside(link + 1 < chain.size() ? chain[link + 1].site : -1);
}

size_t CallTree::shown(const Chain& chain) const {
    size_t link = chain.size() - 1;
    for (; link > 0 && chain[link].site >= 0; --link) {
        const Inside &outer = around(chain, link), &inner = inside(chain[link].site);
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

SourceFrames CallTree::frames(uint32_t index) const {
    std::vector<int32_t> choices = possible(index);
    if (choices.empty())
        choices.push_back(-1);
    SourceFrames result;
    std::vector<SourceLine> lines;
    bool same = true;
    for (const int32_t choice : choices) {
        const Chain links = chain(index, choice);
        if (links.empty())
            continue;
        const size_t shown_link = shown(links);
        const SourceLine& place = links[shown_link].place;
        if (std::ranges::none_of(lines, [&](auto& l) { return l.file == place.file && l.line == place.line; }))
            lines.push_back(place);
        if (result.chain.empty()) {
            result.shown = shown_link;
            for (const Link& link : links) {
                result.chain.push_back({link.place, link.name >= 0 ? code_.inlined[size_t(link.name)] : ""});
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
