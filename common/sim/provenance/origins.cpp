#include "sim/provenance/origins.h"

#include <algorithm>
#include <set>

namespace sim::provenance {
namespace {

constexpr size_t most_nodes = 1 << 23; // 96 MiB
constexpr size_t known_unions = 1 << 12;

} // namespace

void Origins::clear() {
    nodes_.assign(1, {});
    known_.assign(known_unions, {});
}

// When there are too many, a union is the first of its sets.
Origin Origins::add(const Node& node) {
    if (nodes_.size() >= most_nodes)
        return node.flags & leaf ? 0 : node.a;
    nodes_.push_back(node);
    return Origin(nodes_.size() - 1);
}

Origin Origins::of_copy(uint32_t copy, bool is_landed) {
    return add({copy, 0, uint8_t(leaf | (is_landed ? landed : 0))});
}

Origin Origins::join(Origin a, Origin b) {
    if (!b || a == b)
        return a;
    if (!a)
        return b;
    const auto has = [&](Origin whole, Origin part) {
        const Node& node = nodes_[whole];
        return !(node.flags & leaf) && (node.a == part || node.b == part);
    };
    if (has(a, b))
        return a;
    if (has(b, a))
        return b;
    Known& known = known_[(a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 20];
    if (known.a != a || known.b != b)
        known = {a, b, add({a, b, uint8_t((nodes_[a].flags | nodes_[b].flags) & ~leaf)})};
    return known.joined;
}

Origin Origins::multiplied(Origin origin, bool in_place) {
    if (!is_landed(origin))
        return origin;
    const Known made{origin, UINT32_MAX - in_place, 0}; // no union has such a set
    Known& known = known_[(origin * 0x9e3779b1u) >> 20];
    const uint8_t flags = product | (in_place ? product_in_place : 0);
    if (known.a != made.a || known.b != made.b)
        known = {made.a, made.b, add({origin, 0, uint8_t((nodes_[origin].flags | flags) & ~leaf)})};
    return known.joined;
}

std::vector<uint32_t> Origins::first_copies(Origin origin, size_t most) const {
    constexpr size_t most_visits = 2048;
    std::vector<uint32_t> found;
    std::vector<Origin> left{origin};
    std::set<Origin> seen{0};
    while (!left.empty() && found.size() < most && seen.size() < most_visits) {
        const Origin next = left.back();
        left.pop_back();
        if (!seen.insert(next).second)
            continue;
        const Node& node = nodes_[next];
        if (node.flags & leaf)
            found.push_back(node.a);
        else
            left.insert(left.end(), {node.a, node.b});
    }
    std::ranges::sort(found);
    return found;
}

std::vector<bool> Origins::copies(const std::vector<Origin>& sets, size_t count) const {
    std::vector<bool> seen(nodes_.size()), copies(count);
    std::vector<Origin> left = sets;
    while (!left.empty()) {
        const Origin origin = left.back();
        left.pop_back();
        if (!origin || seen[origin])
            continue;
        seen[origin] = true;
        const Node& node = nodes_[origin];
        if (node.flags & leaf) {
            copies[node.a] = true;
            continue;
        }
        left.push_back(node.a);
        left.push_back(node.b);
    }
    return copies;
}

} // namespace sim::provenance
