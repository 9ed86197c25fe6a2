#include "sim/detector/detector_part.h"

#include <algorithm>
#include <cstring>

#include "sim/machine/grid.h"
#include "sim/shadow/touched.h"

namespace sim::hazards {
namespace {

constexpr uint64_t most_copies = 1u << 18; // bulk copies of a part, of about 150 bytes each

/// Calls f(allocation) for each that may have been touched.
template <class F>
void for_watched(const memory::GlobalMemory& memory, F&& f) {
    for (const auto& [address, allocation] : memory)
        if (allocation.live && allocation.shadow && watched(&allocation))
            f(allocation);
}

} // namespace

bool DetectorPart::lost_something() const {
    return core_.ticks_ran_out || core_.ordering.lost_track_of_copies || core_.ordering.operations.lost_track();
}

bool DetectorPart::may_divide(const machine::Grid&) const {
    const Operation& now = core_.ordering.operations.current();
    return !core_.communicates && !now.talks && !now.signals && !core_.held.suspects() &&
           !core_.ordering.operations.any_until_wait();
}

void DetectorPart::begin_part(machine::Grid&, const std::vector<bool>& blocks) {
    blocks_ = blocks;
    core_.blocks.keep_only([this](uint64_t block) { return is_own(block); });
    core_.reductions.begin_part();
    first_copy_ = core_.ordering.bulk.next();
    changes_ = core_.findings.reporter.changes();
    lost_before_ = lost_something();
}

// When copies land may depend on how busy other blocks are, and with that, in which turn a block reduces what.
bool DetectorPart::independent(const machine::Grid& grid) {
    copies_ =
        copies_ || std::ranges::any_of(grid.resident, [](const auto& block) { return block->async->outstanding(); });
    return !(copies_ && core_.reductions.any()) && !core_.communicates && !core_.held.suspects() &&
           core_.findings.reporter.changes() == changes_ && lost_something() == lost_before_ &&
           core_.ordering.bulk.next() - first_copy_ <= most_copies;
}

void DetectorPart::pack_copies(events::Packer& to) const {
    const BulkOps& all = core_.ordering.bulk;
    std::vector<uint64_t> numbers;
    for (uint64_t number = all.first(); number < all.next(); ++number)
        if (number >= first_copy_ || is_own(all.find(number)->block))
            numbers.push_back(number);
    to.add(first_copy_);
    to.add_all(numbers);
    for (const uint64_t number : numbers) {
        const BulkOp& op = *all.find(number);
        BulkOp::with_fields(op, [&](const auto&... field) { (to.add(field), ...); });
        to.add_text(op.remark);
    }
}

DetectorPart::NewNumbers DetectorPart::join_copies(events::Unpacker& from) {
    BulkOps& all = core_.ordering.bulk;
    const auto first = from.next<uint64_t>();
    const NewNumbers numbers{first, all.next() - first};
    for (const uint64_t number : from.all<uint64_t>()) {
        BulkOp op;
        BulkOp::with_fields(
            op, [&](auto&... field) { ((field = from.next<std::remove_cvref_t<decltype(field)>>()), ...); });
        op.remark = from.text();
        if (number >= first)
            all.add(std::move(op));
        else if (BulkOp* known = all.find(number))
            *known = std::move(op);
    }
    return numbers;
}

// First the reductions, the pieces and their readers, which all parts are compared by, then the copies and the bytes.
void DetectorPart::pack_part(const machine::Grid& grid, events::Packer& to) const {
    const IsOwn is_own = [this](uint64_t block) { return this->is_own(block); };
    to.add_text(core_.reductions.packed(grid, core_, is_own));
    TouchedMemory touched;
    for_watched(core_.memory, [&](const memory::Allocation& allocation) {
        collect_touched(allocation, core_.ordering, is_own, touched);
    });
    to.add_all(touched.pieces);
    to.add_all(touched.readers);
    pack_copies(to);
    std::string bytes;
    for (const Touched& piece : touched.pieces)
        if (piece.write)
            bytes.append(reinterpret_cast<const char*>(core_.memory.at(piece.address, piece.bytes)), piece.bytes);
    to.add_text(bytes);
}

bool DetectorPart::fit(const machine::Grid&, std::span<const std::string_view> parts) const {
    WordsInUse words;
    std::vector<std::string_view> reductions;
    for (const std::string_view part : parts) {
        events::Unpacker from(part);
        reductions.push_back(from.text());
        if (!words.add(from.all<Touched>()))
            return false;
    }
    return reductions_fit(core_, reductions, words);
}

void DetectorPart::join_part(machine::Grid&, std::string_view part) {
    events::Unpacker from(part);
    reductions_.push_back(from.text());
    auto pieces = from.all<Touched>();
    auto readers = from.all<Reader>();
    const NewNumbers numbers = join_copies(from);
    const auto renumber = [&](Epoch& e) {
        if (kind_of(e) == EpochKind::async && number_of(e) >= numbers.first)
            e += numbers.shift;
    };
    std::string_view bytes = from.text();
    const Operations& operations = core_.ordering.operations;
    const IsOwn of_launch = [&](uint64_t block) { return operations.own(block); };
    for (Reader& reader : readers)
        renumber(reader.epoch);
    std::span<const Reader> rest = readers;
    for (Touched& piece : pieces) {
        renumber(piece.write);
        memory::Allocation& allocation = *core_.memory.find(piece.address);
        join_touched(allocation, core_.shadow(allocation), core_.ordering, of_launch, piece, rest.first(piece.readers));
        rest = rest.subspan(piece.readers);
        if (piece.write) {
            std::memcpy(allocation.data + (piece.address - allocation.address), bytes.data(), piece.bytes);
            bytes.remove_prefix(piece.bytes);
        }
    }
}

void DetectorPart::all_joined(machine::Grid& grid) {
    join_reductions(core_, grid, reductions_);
    reductions_.clear();
    for (const auto& block : grid.resident)
        core_.blocks.end(*block);
}

} // namespace sim::hazards
