#include "sim/hazards/read_sets.h"

namespace sim::hazards {

uint32_t ReadSets::intern(std::vector<Reader> readers) {
    uint64_t hash = readers.size();
    for (const auto& reader : readers)
        hash = (hash ^ reader.epoch ^ (uint64_t{reader.mask} << 32 | reader.pc)) * 0x9e3779b97f4a7c15ull;
    auto& bucket = by_hash_[hash];
    for (uint32_t id : bucket)
        if (sets_[id] == readers)
            return id;
    bytes_ += readers.size() * sizeof(Reader) + 96;
    sets_.push_back(std::move(readers));
    bucket.push_back(uint32_t(sets_.size() - 1));
    return bucket.back();
}

void ReadSets::clear() {
    sets_.clear();
    by_hash_.clear();
    bytes_ = 0;
}

} // namespace sim::hazards
