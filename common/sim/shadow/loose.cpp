#include "sim/shadow/loose.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/shadow/shadow.h"

namespace sim::hazards {
namespace {

constexpr uint32_t lanes = 32;

} // namespace

Loose::Loose(uint64_t rows)
    : state_(rows + lanes * most_halves / row_halves), nowhere_(uint32_t(rows * row_halves)), accesses_(1) {
    clear();
    for (auto* of : {&write_, &read_, &mask_}) // rows are filled when they become loose
        of->reset(new uint32_t[nowhere_ + lanes * most_halves]);
}

void Loose::clear() {
    std::fill(state_.begin(), state_.end(), 0);
    std::fill(state_.begin() + nowhere_ / row_halves, state_.end(), 1);
    accesses_.resize(1);
    runs_.clear();
    seen_ = {};
}

uint32_t Loose::number(uint32_t warp, uint32_t tick, uint32_t pc) {
    const auto next = uint32_t(accesses_.size());
    if (runs_.empty() || runs_.back().warp != warp || runs_.back().tick != tick)
        runs_.push_back({next, warp, tick});
    else if (accesses_.back().pc == pc)
        return next - 1;
    accesses_.push_back({tick, pc});
    Seen& seen = seen_[warp];
    if (tick > seen.tick) {
        seen.tick = tick;
        seen.first = seen.same = next;
    } else if (tick < seen.tick) {
        seen.same = next + 1;
    }
    return next;
}

Loose::Access Loose::begin(const WarpClock& warp, uint32_t pc) {
    if (accesses_.size() >= most_accesses_)
        compact();
    const uint32_t mine = number(warp.warp, warp.tick, pc), *const known = warp.known_to_all();
    Seen& seen = seen_[warp.warp];
    while (seen.run + 1 < runs_.size() && runs_[seen.run].tick <= known[runs_[seen.run].warp]) // not in the last one
        ++seen.run;
    return {mine << number_shift | warp.warp << 5, runs_[seen.run].first - 1,
            known[warp.warp] + 1 >= warp.tick ? seen.first - 1 : 0, seen.same};
}

/// Forgets the accesses that no half word remembers.
void Loose::compact() {
    std::vector<uint32_t> now(accesses_.size() + 1);
    const auto for_all = [this](auto&& f) {
        for (uint64_t row = 0; row < nowhere_ / row_halves; ++row)
            for (uint32_t i = 0; has(row) && i < row_halves; ++i) {
                f(write_[row * row_halves + i]);
                f(read_[row * row_halves + i] = reader(row * row_halves + i));
            }
    };
    for_all([&](uint32_t& access) { now[(access >> number_shift) + 1] = access >> number_shift ? 1 : 0; });
    now[0] = now[1] = 0;
    std::vector<Made> kept{accesses_[0]};
    std::vector<Run> runs;
    size_t run = 0;
    for (uint32_t i = 1; i < accesses_.size(); ++i) {
        while (run + 1 < runs_.size() && runs_[run + 1].first <= i)
            ++run;
        if (now[i + 1]) {
            if (runs.empty() || runs.back().warp != runs_[run].warp || runs.back().tick != runs_[run].tick)
                runs.push_back({uint32_t(kept.size()), runs_[run].warp, runs_[run].tick});
            kept.push_back(accesses_[i]);
        }
        now[i + 1] = uint32_t(kept.size()) - 1; // from now on, of accesses up to this one
    }
    for_all([&](uint32_t& access) {
        access = now[(access >> number_shift) + 1] << number_shift | (access & (several | warp_and_lane));
    });
    for (Seen& seen : seen_) {
        seen.run = 0;
        seen.first = now[seen.first] + 1;
        seen.same = now[std::min<size_t>(seen.same, accesses_.size())] + 1;
    }
    most_accesses_ = std::max(few_accesses, 2 * kept.size());
    accesses_ = std::move(kept);
    runs_ = std::move(runs);
}

bool Loose::enter(uint64_t row, Cell& cell, const Spans* spans, uint64_t block) {
    const auto fits = [block](Epoch e) { return !e || (kind_of(e) == EpochKind::plain && block_of(e) == block); };
    if (!may_enter(row) || cell.has_clock || cell.agreed || (cell.split && !spans))
        return false;
    uint32_t *const write = &write_[row * row_halves], *const read = &read_[row * row_halves],
                    *const mask = &mask_[row * row_halves];
    if (!spans) {
        if (!fits(cell.write) || !fits(cell.read))
            return false;
        const uint32_t by = cell.write ? number(cell.write, cell.write_pc) + lane_of(cell.write) : 0;
        const uint32_t reader = cell.read ? number(cell.read, cell.read_pc) | several : 0;
        for (uint32_t i = 0; i < row_halves; ++i) {
            write[i] = by ? by + (i / 2 >> cell.write_step) : 0;
            read[i] = reader;
            mask[i] = std::rotl(cell.read_mask, int(i / 2 >> cell.read_step));
        }
    } else {
        std::array<Epoch, row_words> readers{};
        for (const Span& by : spans->writes())
            if (!fits(by.epoch))
                return false;
        for (const Span& by : spans->reads())
            for (uint32_t rest = by.words; rest; rest &= rest - 1) {
                Epoch& known = readers[size_t(std::countr_zero(rest))];
                if (!fits(by.epoch) || (known && known != by.epoch))
                    return false;
                known = by.epoch;
            }
        std::fill_n(write, row_halves, 0);
        std::fill_n(read, row_halves, 0);
        std::fill_n(mask, row_halves, 0);
        const auto for_halves = [](const Span& by, auto&& f) {
            for (uint32_t rest = by.words; rest; rest &= rest - 1) {
                const auto word = uint32_t(std::countr_zero(rest));
                f(2 * word, by.lane_of(word));
                f(2 * word + 1, by.lane_of(word));
            }
        };
        for (const Span& by : spans->writes())
            if (by.words && by.epoch)
                for_halves(
                    by, [&, access = number(by.epoch, by.pc)](uint32_t i, uint32_t lane) { write[i] = access | lane; });
        for (const Span& by : spans->reads())
            if (by.words)
                for_halves(by, [&, access = number(by.epoch, by.pc)](uint32_t i, uint32_t lane) {
                    read[i] = access | several;
                    mask[i] |= 1u << lane;
                });
    }
    cell.read = 0;
    cell.split = cell.in_spans = 1;
    state_[row] |= 1;
    return true;
}

void Loose::put(Cell& cell, uint32_t half, uint64_t block) const {
    const auto epoch = [&](uint32_t access, uint32_t lane) {
        return make_epoch(EpochKind::plain, block, access >> 5 & 31, lane, accesses_[access >> number_shift].tick);
    };
    const uint32_t write = write_[half], read = reader(half);
    cell.wrote(write ? epoch(write, write & 31) : 0, accesses_[write >> number_shift].pc);
    if (read)
        cell.read_by({epoch(read, 0), readers(half), accesses_[read >> number_shift].pc});
}

void Loose::to_quads(uint64_t row, uint64_t block, Cell* quads, SplitPool& pool) {
    auto half = uint32_t(row * row_halves);
    for (uint32_t quad = 0; quad < row_quads; ++quad) {
        const auto group = quads[quad].group;
        quads[quad] = {};
        quads[quad].group = group;
        Cell* const words = pool.split(quads[quad]);
        for (uint32_t word = 0; word < quad_words; ++word, half += 2) {
            put(words[word], half, block);
            if (write_[half] == write_[half + 1] && reader(half) == reader(half + 1) &&
                readers(half) == readers(half + 1))
                continue;
            Cell* const bytes = pool.split(words[word]);
            put(bytes[2], half + 1, block);
            put(bytes[3], half + 1, block);
        }
    }
    state_[row] = uint8_t((state_[row] & 0xfe) + 2);
}

Epoch Loose::last_write(uint64_t word, uint64_t block) const {
    Cell cell;
    put(cell, uint32_t(2 * word), block);
    return write_[2 * word] == write_[2 * word + 1] ? cell.write : 0;
}

/// May there be something to report? `mine`: the access as it is remembered, with the lane; w, r: the half word's last
/// write and read. in_tick: it is a read, and other lanes of the warp have read there in this tick.
template <bool writes>
[[gnu::always_inline]] inline uint32_t Loose::wrong(const Access& now, uint32_t mine, uint32_t w, uint32_t r,
                                                    uint32_t& in_tick) {
    const uint32_t by = w ^ mine, reader = r ^ mine, written = w >> number_shift, was_read = r >> number_shift;
    uint32_t result = uint32_t(written > now.before) & uint32_t((by & warp_and_lane) != 0) &
                      (uint32_t((by & warp_bits) != 0) | uint32_t(written > now.own));
    const uint32_t own_warp = uint32_t((reader & warp_bits) == 0),
                   own =
                       uint32_t((reader & (several | warp_and_lane)) == 0) | (own_warp & uint32_t(was_read <= now.own)),
                   matters = uint32_t(was_read > written) & uint32_t(was_read > now.before) & (own ^ 1u);
    if constexpr (writes)
        return result | matters;
    in_tick |= matters & own_warp & uint32_t(was_read >= now.same);
    return result | uint32_t(w == 0) | (matters & (1u ^ (own_warp & uint32_t(was_read >= now.same))));
}

template <uint32_t halves, bool writes>
uint32_t Loose::access(const Access& now, const uint32_t* at, uint32_t mask) {
    constexpr uint32_t all = lanes * halves;
    const Access by = now; // nearer than memory
    uint32_t *const write = write_.get(), *const read = read_.get(), *const written = writes ? write : read;
    alignas(64) uint32_t w[all], r[all], bad[all];
    for (uint32_t rest = ~mask; rest; rest &= rest - 1) {
        const uint32_t nobody = at[std::countr_zero(rest)];
        std::fill_n(write + nobody, halves, 1); // by number 0
        std::fill_n(read + nobody, halves, 0);
    }
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        std::memcpy(w + lane * halves, write + at[lane], 4 * halves);
        std::memcpy(r + lane * halves, read + at[lane], 4 * halves);
    }
    uint32_t any = 0, in_tick = 0; // a bool would be looked at one by one
    for (uint32_t i = 0; i < all; ++i) {
        bad[i] = wrong<writes>(by, by.mine | i / halves, w[i], r[i], in_tick);
        any |= bad[i];
    }
    if (any) {
        uint32_t result = 0;
        for (uint32_t i = 0; i < all; ++i)
            result |= bad[i] << i / halves;
        return result;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane)
        std::fill_n(written + at[lane], halves, by.mine | lane);
    uint32_t twice = 0; // lanes access the same
    for (uint32_t lane = 0; lane < lanes; ++lane)
        twice |= written[at[lane]] ^ (by.mine | lane);
    if constexpr (writes) {
        for (uint32_t lane = 0; twice && lane < lanes; ++lane)
            std::memcpy(write + at[lane], w + lane * halves, 4 * halves);
        return twice ? mask : 0;
    }
    if (twice | in_tick)
        read_by_several(by, at, mask, halves, w, r);
    return 0;
}

/// `w`, `r`: the half words of each lane before.
void Loose::read_by_several(const Access& now, const uint32_t* at, uint32_t mask, uint32_t halves, const uint32_t* w,
                            const uint32_t* r) {
    const auto for_all = [&](auto&& f) {
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            for (uint32_t i = 0, lane = uint32_t(std::countr_zero(rest)); i < halves; ++i)
                f(lane, at[lane] + i, lane * halves + i);
    };
    const auto in_tick = [&](uint32_t i) {
        return r[i] > w[i] && ((r[i] ^ now.mine) & warp_bits) == 0 && r[i] >> number_shift >= now.same;
    };
    const uint32_t first = at[std::countr_zero(mask)];
    bool one_place = (mask & (mask - 1)) != 0;
    for_all([&](uint32_t lane, uint32_t half, uint32_t i) {
        one_place = one_place && at[lane] == first;
        mask_[half] = !in_tick(i) ? 0 : r[i] & several ? mask_[half] : 1u << (r[i] & 31);
    });
    for_all([&](uint32_t lane, uint32_t half, uint32_t) { mask_[half] |= 1u << lane; });
    for_all([&](uint32_t, uint32_t half, uint32_t i) {
        // Lanes that read one place again keep the instruction that read it first.
        const uint32_t by = one_place && in_tick(i) ? r[i] : now.mine;
        const uint32_t readers = mask_[half], lane = uint32_t(std::countr_zero(readers));
        read_[half] = (by & ~(several | 31)) | (readers & (readers - 1) ? several : lane);
    });
}

uint32_t Loose::access(const Access& now, bool writes, const uint32_t* at, uint32_t mask, uint32_t halves) {
    switch (halves) {
    case 1:
        return writes ? access<1, true>(now, at, mask) : access<1, false>(now, at, mask);
    case 2:
        return writes ? access<2, true>(now, at, mask) : access<2, false>(now, at, mask);
    case 4:
        return writes ? access<4, true>(now, at, mask) : access<4, false>(now, at, mask);
    case 8:
        return writes ? access<8, true>(now, at, mask) : access<8, false>(now, at, mask);
    default:
        return mask;
    }
}

} // namespace sim::hazards
