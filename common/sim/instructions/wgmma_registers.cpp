// Who touches the registers of a wgmma.mma_async before it is known to be complete. PTX registers are virtual, and nvcc
// moves accumulators from one to another between operations, so a move is no touch: the copy counts like the original.
#include <unordered_map>
#include <unordered_set>

#include "sim/async/engine.h"
#include "sim/instructions/wgmma.h"

namespace sim::instructions::wgmma {
namespace {

/// An instruction that is watched.
struct Watched {
    Handler original;
    bool moves; ///< and nothing else
    std::vector<uint32_t> reads, writes;
};

/// Kept with the function (DecodedFunction::matrix_registers).
struct Watch {
    std::vector<int32_t> of_op; ///< for each op: its index in `watched`, or -1
    std::vector<Watched> watched;
    std::unordered_map<uint32_t, uint32_t> numbers; ///< of registers, by OperandRef::value

    std::vector<uint32_t> numbered(const std::vector<OperandRef>& registers) const {
        std::vector<uint32_t> result;
        for (const OperandRef reg : registers)
            if (const auto found = numbers.find(reg.value); found != numbers.end())
                result.push_back(found->second);
        return result;
    }
};

async::WarpMatrices& matrices_of(Warp& warp) {
    return async::Engine::of(warp.block).warpgroups().of_warp(warp.id).warps[warp.id % async::Warpgroup::size];
}

std::string place(Exec& x, const Op* op) {
    const auto& ops = x.function->ops;
    return op >= ops.data() && op < ops.data() + ops.size() ? x.grid.where(*x.function, uint32_t(op - ops.data())) : "";
}

struct Touch {
    bool fragment; ///< of A, and written; else an accumulator, and read
    uint32_t operation;
    const Op* there;
};

void report_touch(Exec& x, Warp& warp, const Op& op, const async::WarpMatrices& m, const Touch& touch) {
    using Touched = events::MatrixRegisterTouched;
    const Touched::Wait wait = m.waited_issued < touch.operation      ? Touched::Wait::none
                               : m.waited_committed < touch.operation ? Touched::Wait::before_commit
                                                                      : Touched::Wait::leaves_pending;
    x.listener->misuse(&warp, x.mask, &op, Touched{touch.fragment, wait, m.waited_n, place(x, touch.there)});
}

Flow watched(Exec& x, const Op& op) {
    const auto& watch = *static_cast<const Watch*>(x.function->matrix_registers.get());
    const auto index = size_t(watch.of_op[size_t(&op - x.function->ops.data())]);
    const Watched& one = watch.watched[index];
    auto& matrices = matrices_of(x.warp);
    matrices.marks.resize(watch.numbers.size());
    matrices.said.resize(watch.watched.size());
    async::RegisterMark moved;
    for (const uint32_t reg : one.reads) {
        const async::RegisterMark& mark = matrices.marks[reg];
        if (one.moves) {
            moved = mark;
        } else if (mark.result_of > matrices.done && x.listener && !matrices.said[index]) {
            matrices.said[index] = true;
            report_touch(x, x.warp, op, matrices, {false, mark.result_of, mark.operation});
        }
    }
    for (const uint32_t reg : one.writes) {
        async::RegisterMark& mark = matrices.marks[reg];
        if (!one.moves && mark.read_by > matrices.done && x.listener && !matrices.said[index]) {
            matrices.said[index] = true;
            report_touch(x, x.warp, op, matrices, {true, mark.read_by, mark.operation});
        }
        mark = moved;
        mark.read_by = 0; // a copy of a fragment is another register
        if (!one.moves) {
            mark.written_at = &op;
            mark.written_in = matrices.waits;
        }
    }
    return one.original(x, op);
}

/// The registers that hold operands of the function's operations, or move to or from such ones.
std::unordered_set<uint32_t> registers_of(const DecodedFunction& function) {
    std::unordered_set<uint32_t> result;
    for (size_t i = 0; i < function.function->body().size(); ++i) {
        if (!function.ops[i].does(effect::multiplies) || function.inexact[i]) // an operation that cannot be decoded
            continue;
        const auto& m = *static_cast<const Multiply*>(function.ops[i].extra);
        for (const auto* list : {&m.ds, &m.as})
            for (const OperandRef reg : *list)
                result.insert(reg.value);
    }
    constexpr int most_rounds = 16;
    bool grown = true;
    for (int round = 0; grown && round < most_rounds; ++round) {
        grown = false;
        for (size_t i = 0; i < function.function->body().size(); ++i) {
            if (!function.ops[i].record || function.ops[i].record->name != "mov")
                continue;
            bool any = false;
            for (const auto* list : {&function.reads[i], &function.writes[i]})
                for (const OperandRef reg : *list)
                    any = any || result.contains(reg.value);
            for (const auto* list : {&function.reads[i], &function.writes[i]})
                for (const OperandRef reg : *list)
                    grown = (any && result.insert(reg.value).second) || grown;
        }
    }
    return result;
}

} // namespace

void watch_registers(Exec& x) {
    auto& function = const_cast<DecodedFunction&>(*x.function);
    if (function.matrix_registers)
        return;
    auto watch = std::make_shared<Watch>();
    for (const uint32_t reg : registers_of(function))
        watch->numbers.emplace(reg, uint32_t(watch->numbers.size()));
    watch->of_op.assign(function.ops.size(), -1);
    for (size_t i = 0; i < function.function->body().size(); ++i) {
        Op& op = function.ops[i];
        if (!op.record || op.does(effect::multiplies))
            continue;
        Handler& handler = function.handlers.empty() ? op.run : function.handlers[i];
        Watched one{handler, op.record->name == "mov", watch->numbered(function.reads[i]),
                    watch->numbered(function.writes[i])};
        if (one.reads.empty() && one.writes.empty())
            continue;
        watch->of_op[i] = int32_t(watch->watched.size());
        if (op.run == one.original) // it has been executed before
            op.run = watched;
        handler = watched;
        watch->watched.push_back(std::move(one));
    }
    function.matrix_registers = std::move(watch);
}

void issue_registers(Exec& x, Warp& warp, async::WarpMatrices& matrices, const Op& op) {
    const auto& m = *static_cast<const Multiply*>(op.extra);
    const auto& watch = *static_cast<const Watch*>(x.function->matrix_registers.get());
    matrices.marks.resize(watch.numbers.size());
    ++matrices.issued;
    const Op* written_at = nullptr;
    for (const auto* list : {&m.ds, &m.as})
        for (const OperandRef reg : *list)
            if (const auto& mark = matrices.marks[watch.numbers.at(reg.value)]; mark.written_in == matrices.waits)
                written_at = mark.written_at;
    if (x.listener && (!matrices.ever_fenced || (written_at && !matrices.fenced))) {
        x.listener->misuse(
            &warp, all_lanes, &op,
            events::MatrixFenceMissing{!matrices.ever_fenced, matrices.ever_fenced ? place(x, written_at) : ""});
        matrices.ever_fenced = matrices.fenced = true; // said once
    }
    for (const OperandRef reg : m.as) {
        async::RegisterMark& mark = matrices.marks[watch.numbers.at(reg.value)];
        if (x.listener && mark.result_of > matrices.done)
            report_touch(x, warp, op, matrices,
                         {.fragment = false, .operation = mark.result_of, .there = mark.operation});
        mark.read_by = matrices.issued;
        if (!mark.result_of || mark.result_of <= matrices.done)
            mark.operation = &op;
    }
    for (const OperandRef reg : m.ds)
        matrices.marks[watch.numbers.at(reg.value)] = {.result_of = matrices.issued, .operation = &op};
}

} // namespace sim::instructions::wgmma
