// Which of two unordered accesses the program means to come first, and what stands near them in its text.
#include "sim/hazards/conflict.h"

namespace sim::hazards {

bool Conflict::meant(uint32_t first, uint32_t second) const {
    const uint64_t block = kind_of(other) == EpochKind::async
                               ? detector.async_ops_[number_of(other) - detector.first_async_].block
                               : block_of(other);
    const uint32_t warp = kind_of(other) == EpochKind::async
                              ? detector.async_ops_[number_of(other) - detector.first_async_].warp
                              : warp_of(other);
    return detector.leads(first, second,
                          block != ws.block ? Distance::other_block
                          : warp != ws.warp ? Distance::same_block
                                            : Distance::same_warp);
}

bool Conflict::same_line() const {
    const Place here = detector.place(x.pc(), {}), there = detector.place(other_pc, {});
    return here.line == there.line && here.file == there.file;
}

/// The line in the kernel's own body that an instruction belongs to.
uint32_t Conflict::kernel_line(uint32_t pc) const {
    const auto* function = detector.function_at_(pc);
    if (!function)
        return 0;
    const auto chain = function->module->sources().chain(*function->function, pc - function->first_pc);
    return chain.empty() ? 0 : chain.back().line;
}

/// The first wait for cp.async groups behind `pc` in the program's text; 0: there is none.
uint32_t Detector::next_wait(uint32_t pc) {
    const auto* function = function_at_(pc);
    for (uint32_t i = function ? pc + 1 - function->first_pc : 0; function && i < function->ops.size(); ++i)
        if (Flow::is_wait(function->ops[i]))
            return function->first_pc + i;
    return 0;
}

template <class F>
bool Detector::ask_flow(size_t question, uint32_t first, uint32_t second, F&& f) {
    const auto [it, is_new] = flow_answers_[question].try_emplace(uint64_t{first} << 32 | second);
    const auto* function = is_new && first && second ? function_at_(first) : nullptr;
    const uint32_t base = function ? function->first_pc : 0;
    if (function && second - base < function->ops.size()) // wraps around for smaller ones
        it->second = f(flows_.try_emplace(function, *function).first->second, first - base, second - base);
    return it->second;
}

bool Detector::leads(uint32_t first, uint32_t second, Distance distance) {
    return ask_flow(size_t(distance), first, second,
                    [&](const Flow& flow, uint32_t a, uint32_t b) { return flow.leads(a, b, distance); });
}

bool Detector::unwaited(uint32_t copy, uint32_t access) {
    return ask_flow(flow_answers_.size() - 1, copy, access,
                    [](const Flow& flow, uint32_t a, uint32_t b) { return flow.reaches_unwaited(a, b); });
}

} // namespace sim::hazards
