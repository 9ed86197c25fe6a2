#include "sim/ptx/inline_sites.h"

#include <algorithm>

namespace sim::ptx {

std::vector<int32_t> InlineSites::sites_at(const Location& place, int32_t callee) const {
    const auto found = by_place_.find({place.file, place.line, place.column});
    if (found == by_place_.end())
        return {};
    constexpr size_t most = 256; // the youngest: broken text could have any number
    const auto& all = found->second;
    const size_t first = all.size() > most ? all.size() - most : 0;
    std::vector<int32_t> here(all.begin() + static_cast<long>(first), all.end()), same_callee;
    for (const int32_t index : here)
        if (sites_[index].callee == callee)
            same_callee.push_back(index);
    return same_callee.empty() ? here : same_callee;
}

std::vector<int32_t> InlineSites::candidates(uint32_t location) const {
    const Location& here = code_.locations[location];
    if (here.inlined_at < 0)
        return {};
    const Location& outer = code_.locations[here.inlined_at];
    if (outer.complete)
        if (const auto known = by_location_.find(here.inlined_at); known != by_location_.end())
            return {known->second};
    return sites_at(outer, here.name);
}

bool InlineSites::encloses(int32_t outer, int32_t site) const {
    while (site > outer) // outer sites have smaller numbers
        site = sites_[site].parent;
    return site == outer && site >= 0;
}

int32_t InlineSites::add_site(const Location& place, int32_t callee, int32_t parent) {
    CallSite site;
    site.file = place.file;
    site.line = place.line;
    site.column = place.column;
    site.callee = callee;
    site.parent = parent;
    const auto index = static_cast<int32_t>(sites_.size());
    const bool own = place.line != 0 && place.file < own_file_.size() && own_file_[place.file];
    site.user = own ? index : parent >= 0 ? sites_[parent].user : -1;
    site.own_chain = own_chain(place, parent >= 0 ? sites_[parent].own_chain : -1);
    sites_.push_back(site);
    by_place_[{place.file, place.line, place.column}].push_back(index);
    return index;
}

int32_t InlineSites::own_chain(const Location& place, int32_t outer) {
    if (place.line == 0 || place.file >= own_file_.size() || !own_file_[place.file])
        return outer;
    return chains_.try_emplace({place.file, place.line, outer}, static_cast<int32_t>(chains_.size())).first->second;
}

/// A new site is inside one printed before: inside the one of the code just before, or the youngest that has not got a
/// site like it yet.
int32_t InlineSites::likely_parent(const Location& place, int32_t callee, const Location& child,
                                   int32_t child_callee) const {
    const std::vector<int32_t> possible = sites_at(place, callee);
    if (possible.empty())
        return -1;
    std::vector<int32_t> free = possible;
    if (const auto siblings = by_place_.find({child.file, child.line, child.column}); siblings != by_place_.end())
        std::erase_if(free, [&](int32_t parent) {
            return std::any_of(siblings->second.begin(), siblings->second.end(), [&](int32_t sibling) {
                return sites_[sibling].parent == parent && sites_[sibling].callee == child_callee;
            });
        });
    const auto& from = free.empty() ? possible : free;
    for (auto parent = from.rbegin(); parent != from.rend(); ++parent)
        if (encloses(*parent, current_))
            return *parent;
    return from.back();
}

/// The site of `location`, an outer link.
int32_t InlineSites::site_of(int32_t location, int32_t callee) {
    const Location& place = code_.locations[location];
    const bool outermost = place.inlined_at < 0; // shared by all .locs of its place
    if (!outermost) {
        if (const auto known = by_location_.find(location); known != by_location_.end())
            return known->second;
    } else {
        for (const int32_t index : sites_at(place, callee))
            if (sites_[index].parent < 0 && sites_[index].callee == callee)
                return by_location_[location] = index;
    }
    int32_t parent = -1;
    if (!outermost) {
        const Location& outer = code_.locations[place.inlined_at];
        const auto known = by_location_.find(place.inlined_at);
        if (outer.complete && known != by_location_.end())
            parent = known->second;
        else
            parent = likely_parent(outer, place.name, place, callee);
    }
    return by_location_[location] = add_site(place, callee, parent);
}

void InlineSites::read_to(uint32_t location) {
    for (; read_ <= location; ++read_) {
        const Location& here = code_.locations[read_];
        if (here.inlined_at < 0 || !code_.locations[here.inlined_at].complete)
            continue;
        current_ = site_of(here.inlined_at, here.name);
    }
}

} // namespace sim::ptx
