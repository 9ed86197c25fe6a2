// Which copies the words of global memory depend on, and what wrote them.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "sim/provenance/origins.h"

namespace sim::provenance {

struct Word {
    Origin origin = 0;
    uint8_t means = 0; ///< of the copy that wrote it, by 1 << Means; 0: threads wrote it, or it is not known
    bool written = false;
};

class GlobalWords {
  public:
    static constexpr uint32_t bytes = 4;
    /// The word that holds this byte; nullptr: nothing is known of it.
    Word* find(uint64_t address) { return page(address, false); }
    Word& get(uint64_t address) { return *page(address, true); }
    void clear() {
        pages_.clear();
        last_ = nullptr;
    }

  private:
    static constexpr uint64_t page_bytes = 4096;
    using Page = std::array<Word, page_bytes / bytes>;
    Word* page(uint64_t address, bool make) {
        if (const uint64_t number = address / page_bytes; !last_ || number != last_number_) {
            const auto found = pages_.find(number);
            if (found == pages_.end() && !make)
                return nullptr;
            last_ = (found == pages_.end() ? pages_.emplace(number, new Page{}).first : found)->second.get();
            last_number_ = number;
        }
        return &(*last_)[address % page_bytes / bytes];
    }

    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    Page* last_ = nullptr;
    uint64_t last_number_ = 0;
};

} // namespace sim::provenance
