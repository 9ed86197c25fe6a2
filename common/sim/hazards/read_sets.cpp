#include "sim/hazards/read_sets.h"

#include <algorithm>

namespace sim::hazards {

Epoch ReadSets::intern(std::span<const Reader> readers) {
    if (sets_.size() * 2 >= table_.size())
        grow();
    uint64_t hash = readers.size();
    for (const auto& reader : readers)
        hash = (hash ^ reader.epoch ^ (uint64_t{reader.mask} << 32 | reader.pc)) * 0x9e3779b97f4a7c15ull;
    const size_t slots = table_.size() - 1;
    size_t slot = (hash >> 20) & slots;
    for (; table_[slot]; slot = (slot + 1) & slots) {
        const Set& set = sets_[table_[slot] - 1];
        if (set.hash == hash && std::equal(readers.begin(), readers.end(), pool_.begin() + set.first,
                                           pool_.begin() + set.first + set.count))
            break;
    }
    if (!table_[slot]) {
        sets_.push_back({uint32_t(pool_.size()), uint32_t(readers.size()), hash});
        pool_.insert(pool_.end(), readers.begin(), readers.end());
        table_[slot] = uint32_t(sets_.size());
    }
    return Epoch(EpochKind::set) << kind_shift | generation_ << 32 | (table_[slot] - 1);
}

void ReadSets::grow() {
    table_.assign(std::max<size_t>(256, table_.size() * 2), 0);
    const size_t slots = table_.size() - 1;
    for (size_t i = 0; i < sets_.size(); ++i) {
        size_t slot = (sets_[i].hash >> 20) & slots;
        while (table_[slot])
            slot = (slot + 1) & slots;
        table_[slot] = uint32_t(i + 1);
    }
}

void ReadSets::retire() {
    if (lasting_ || sets_.empty())
        return;
    clear();
    generation_ = (generation_ + 1) & 0x1fffffff;
}

void ReadSets::clear() {
    pool_.clear();
    sets_.clear();
    std::fill(table_.begin(), table_.end(), 0);
    lasting_ = false;
}

} // namespace sim::hazards
