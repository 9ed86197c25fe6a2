// Instructions that the simulated device knows only by name. Executing one reports that.
#include "sim/instructions/operands.h"

#include <fmt/format.h>

namespace sim::instructions::not_implemented {
namespace {

enum Group { sparse, texture, surface, multimem, stack, video };
constexpr const char* reasons[] = {
    "sparse matrices are not part of the simulated device: multiply with mma.sync or wgmma.mma_async",
    "textures are not part of the simulated device: read the data with ordinary loads",
    "surfaces are not part of the simulated device: use ordinary loads and stores",
    "multicast memory of several GPUs is not part of the simulated device",
    "dynamic stack allocation is not part of the simulated device: use an array of fixed size",
    "video instructions are not part of the simulated device"};

template <Group group>
Handler refuse(Decoder& d) {
    d.fail(fmt::format("'{}': {}", d.source.opcode, reasons[group]));
}

template <Group group>
constexpr Instruction missing(std::string_view name) {
    return {.name = name, .syntax = {}, .manual = "instruction-set", .decode = refuse<group>};
}

} // namespace

INSTRUCTIONS = {
    missing<sparse>("mma.sp"),
    missing<sparse>("mma.sp::ordered_metadata"),
    missing<sparse>("wgmma.mma_async.sp"),
    missing<texture>("tex"),
    missing<texture>("tld4"),
    missing<texture>("txq"),
    missing<texture>("istypep"),
    missing<surface>("suld"),
    missing<surface>("sust"),
    missing<surface>("sured"),
    missing<surface>("suq"),
    missing<multimem>("multimem"),
    missing<stack>("alloca"),
    missing<stack>("stacksave"),
    missing<stack>("stackrestore"),
    missing<video>("vadd"),
    missing<video>("vsub"),
    missing<video>("vabsdiff"),
    missing<video>("vmin"),
    missing<video>("vmax"),
    missing<video>("vshl"),
    missing<video>("vshr"),
    missing<video>("vmad"),
    missing<video>("vset"),
    missing<video>("vadd2"),
    missing<video>("vsub2"),
    missing<video>("vavrg2"),
    missing<video>("vabsdiff2"),
    missing<video>("vmin2"),
    missing<video>("vmax2"),
    missing<video>("vset2"),
    missing<video>("vadd4"),
    missing<video>("vsub4"),
    missing<video>("vavrg4"),
    missing<video>("vabsdiff4"),
    missing<video>("vmin4"),
    missing<video>("vmax4"),
    missing<video>("vset4"),
};

} // namespace sim::instructions::not_implemented
