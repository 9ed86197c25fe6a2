#include "sim/shadow/read_sets.h"

namespace sim::hazards {
namespace {

size_t slot_of(uint32_t parent, const Reader& reader) { // every bit counts: neighbours differ in few
    uint64_t hash = reader.epoch * 0x9e3779b97f4a7c15ull ^ (uint64_t{reader.mask} << 32 | reader.pc);
    hash ^= hash >> 32;
    hash = (hash ^ parent) * 0xd6e8feb86659fd93ull;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ull;
    return size_t(hash ^ hash >> 32);
}

} // namespace

Epoch ReadSets::find(Epoch set, const Reader& reader) {
    if (nodes_.size() * 2 >= table_.size())
        grow();
    const uint32_t parent = set && !retired(set) ? uint32_t(set) : none;
    const size_t slots = table_.size() - 1;
    size_t slot = slot_of(parent, reader) & slots;
    for (; table_[slot]; slot = (slot + 1) & slots) {
        const Node& node = nodes_[table_[slot] - 1];
        if (node.parent == parent && node.reader == reader)
            return name(table_[slot] - 1);
    }
    nodes_.push_back({reader, parent, parent == none ? 1 : nodes_[parent].count + 1});
    table_[slot] = uint32_t(nodes_.size());
    return name(table_[slot] - 1);
}

void ReadSets::grow() {
    table_.assign(std::max<size_t>(256, table_.size() * 2), 0);
    const size_t slots = table_.size() - 1;
    for (size_t i = 0; i < nodes_.size(); ++i) {
        size_t slot = slot_of(nodes_[i].parent, nodes_[i].reader) & slots;
        while (table_[slot])
            slot = (slot + 1) & slots;
        table_[slot] = uint32_t(i + 1);
    }
}

void ReadSets::retire() {
    if (!lasting_)
        next_generation(nodes_.size() <= most_kept);
}

void ReadSets::retire_all() {
    next_generation(false);
}

void ReadSets::next_generation(bool keep) {
    if (nodes_.empty())
        return;
    if (table_.size() > 64 * nodes_.size()) // of a launch that read much more
        table_ = {};
    std::vector<Node>& kept = earlier_[generation_ % earlier_.size()];
    kept.clear();
    if (keep)
        kept.swap(nodes_);
    clear();
    generation_ = (generation_ + 1) & last_generation;
}

void ReadSets::clear() {
    nodes_.clear();
    std::fill(table_.begin(), table_.end(), 0);
    lasting_ = false;
    last_ = {};
}

} // namespace sim::hazards
