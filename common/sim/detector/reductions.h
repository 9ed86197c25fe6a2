// Atomic operations on global memory whose old value nobody uses, in a launch in parts (events/divisible.h): blocks of
// several parts may apply them to one word, as long as no block does anything else there. What a word holds meanwhile
// is seen by nobody. Where the order matters, as with sums of floating-point numbers, it is that in which the whole
// launch would have executed them in one process.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/events/access.h"
#include "sim/ordering/epoch.h"
#include "sim/shadow/touched.h"

namespace sim::machine {
class Grid;
struct Exec;
} // namespace sim::machine

namespace sim::hazards {

struct Core;
class WarpClock;

/// What a part keeps of them.
class Reductions {
  public:
    void begin_part() { in_part_ = true; }
    /// The lanes are about to execute an atomic or another strong access. False: it is no such operation, or there are
    /// too many.
    bool add(machine::Exec& x, const events::Access& access, const WarpClock& warp);
    bool any() const { return !words_.empty(); }
    /// For join_reductions(). Throws std::runtime_error if a block of the part, which is_own() names, has accessed one
    /// of the words in another way.
    std::string packed(const machine::Grid& grid, Core& core, const IsOwn& is_own) const;

    /// Who has executed the last operation, as far as the part knows: blocks that start later have begun at unknown
    /// times.
    struct Last {
        uint64_t block = 0, turn = 0; ///< Block::started_as; since it has started, or the launch was divided
        Epoch epoch = 0;
        uint32_t pc = 0;
    };
    /// An operation whose order matters.
    struct Logged {
        uint64_t operand;
        uint32_t word, block, turn; ///< as in Last
    };

  private:
    struct Word {
        uint64_t address;
        const events::Reduction* reduction; ///< nullptr: the second half of the one before it
        uint64_t before;                    ///< its value
        std::vector<Last> last;             ///< those that may be
    };
    static constexpr uint64_t page_words = 1024;
    using Page = std::array<uint32_t, page_words>;

    uint32_t& number_of(uint64_t address);
    bool add_lane(uint64_t address, const events::Access& access, const std::byte* operand, const Last& by);
    void executed(Word& word, const Last& by);

    bool in_part_ = false;
    std::vector<Word> words_;
    std::vector<Logged> log_;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_; ///< 1 + index in words_
    Page* last_page_ = nullptr;
    uint64_t last_number_ = 0;
};

/// Do these operations of several parts go together, if the parts have used the words in `others` otherwise? Changes
/// nothing.
bool reductions_fit(const Core& core, std::span<const std::string_view> parts, const WordsInUse& others);
/// Executes them, as if that had happened in this process.
void join_reductions(Core& core, const machine::Grid& grid, std::span<const std::string_view> parts);

} // namespace sim::hazards
