// The recorder's view of values: which steps put the bytes into memory that a step's own bytes are made of.
#include <algorithm>
#include <bit>

#include "sim/stepper/recorder.h"

namespace sim::stepper {

using provenance::Origin;

namespace {

constexpr uint32_t word_bytes = provenance::GlobalWords::bytes;

} // namespace

provenance::Registers& Recorder::registers(const Warp& warp) {
    return registers_[{rank(&warp.block), warp.id}];
}

void Recorder::forget_values() {
    registers_.clear();
    origins_.clear();
    shared_words_.clear();
    tensor_cells_.clear();
    global_words_.clear();
    last_step_ = {none, 0};
}

void Recorder::instruction(Exec& x, const events::Op& op) {
    if (!ours(x.warp))
        return;
    note_registers(x, op);
    registers(x.warp).step(x, op, origins_);
}

// The last step; nothing, if steps before the first one to keep are dropped.
Origin Recorder::this_step() {
    if (current_.steps.empty() || current_.left_out || current_.skipped < options_.first)
        return 0;
    const auto number = uint32_t(current_.steps.size() - 1);
    if (last_step_.first != number)
        last_step_ = {number, origins_.of_copy(number, false)};
    return last_step_.second;
}

Origin Recorder::held(const Block* owner, uint64_t address, uint32_t bytes) {
    Origin all = 0;
    for (uint64_t word = address / word_bytes; bytes && word <= (address + bytes - 1) / word_bytes; ++word) {
        if (owner) {
            const auto& words = shared_words_[rank(owner)];
            all = origins_.join(all, word < words.size() ? words[word] : 0);
        } else if (const provenance::Word* known = global_words_.find(word * word_bytes)) {
            all = origins_.join(all, known->origin);
        }
    }
    return all;
}

void Recorder::put(const Block* owner, uint64_t address, uint32_t bytes, Origin by) {
    for (uint64_t word = address / word_bytes; bytes && word <= (address + bytes - 1) / word_bytes; ++word) {
        if (!owner) {
            global_words_.get(word * word_bytes).origin = by;
            continue;
        }
        auto& words = shared_words_[rank(owner)];
        words.resize(std::max<size_t>(words.size(), word + 1));
        words[word] = by;
    }
}

void Recorder::note_from(Step& step, Origin origin) {
    constexpr size_t most = 24;
    for (const uint32_t from : origins_.first_copies(origin, most))
        if (std::ranges::find(step.from, from) == step.from.end() && step.from.size() < most)
            step.from.push_back(from);
}

void Recorder::note_values(Exec& x, Step& step, const events::Access& access) {
    using Kinds = events::Access::Kind;
    const Block* owner = access.space == ptx::Space::global ? nullptr : access.target;
    Origin loaded = 0;
    machine::for_lanes(access.mask, [&](int lane) {
        if (access.kind != Kinds::store)
            loaded = origins_.join(loaded, held(owner, access.address[lane], access.bytes));
    });
    if (access.kind != Kinds::load) {
        note_from(step, origins_.join(registers(x.warp).stored(x, origins_), loaded));
        machine::for_lanes(access.mask, [&](int lane) { put(owner, access.address[lane], access.bytes, this_step()); });
    }
    registers(x.warp).loaded(x, loaded, origins_);
}

void Recorder::note_copy(Step& step, const events::CopyIssue& copy, const Block& block) {
    machine::for_lanes(copy.mask, [&](int lane) {
        note_from(step, held(nullptr, copy.source[lane], copy.source_bytes[lane]));
        put(&block, copy.destination[lane], copy.bytes, this_step());
    });
}

void Recorder::note_load(Exec& x, Step& step, const events::BulkLoad& copy) {
    if (copy.from_register)
        note_from(step, registers(x.warp).stored(x, origins_));
    for (const auto& piece : copy.bytes) {
        if (piece.inside && !copy.from_register && (!copy.source || rank(copy.source) != none))
            note_from(step, held(copy.source, piece.address, piece.bytes));
        put(copy.destination, piece.offset, piece.bytes, this_step());
    }
}

void Recorder::note_store(Step& step, const events::BulkStore& copy, const Block& block) {
    for (const auto& piece : copy.bytes) {
        note_from(step, held(&block, piece.offset, piece.bytes));
        if (piece.inside)
            put(nullptr, piece.address, piece.bytes, this_step());
    }
}

void Recorder::matrix_issue(Exec& x, const events::MatrixIssue& issue) {
    if (!ours(x.warp))
        return;
    Origin shared = 0;
    for (const auto& operand : issue.operands)
        for (const auto& piece : operand.bytes)
            shared = origins_.join(shared, held(&x.block, piece.offset, piece.bytes));
    const events::Op& op = x.op();
    for (uint32_t i = issue.first_warp; i < issue.first_warp + 4; ++i)
        for (const auto& fragment : x.block.warps[i]->fragments)
            if (&fragment.frame->function->ops[fragment.pc] == &op)
                registers(*x.block.warps[i]).multiplied(fragment, shared, origins_);
}

} // namespace sim::stepper
