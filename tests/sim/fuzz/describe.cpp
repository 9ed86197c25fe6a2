#include <nlohmann/json.hpp>

#include "launch/launch.h"
#include "targets.h"

namespace sim::fuzz {
namespace {

constexpr char kernels[] = R"(
.version 8.6
.target sm_90
.address_size 64
.visible .entry add(.param .u64 in, .param .u64 out, .param .f32 factor, .param .align 4 .b8 three[12])
{
    .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd1];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd2], %f2;
    ret;
}
.visible .entry copy(.param .align 64 .b8 map[128], .param .u64 out)
.reqntid 32, 1, 1
{
    .reg .b64 %rd<3>; .reg .pred %p<2>; .reg .b32 %r<2>;
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b64 barrier;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mov.b64 %rd1, map;
    mbarrier.init.shared.b64 [barrier], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 512;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r1, %r1}], [barrier];
again:
    mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0;
    @!%p1 bra again;
    ret;
}
)";

} // namespace

bool describe(std::string_view document) {
    const auto description = nlohmann::json::parse(document, nullptr, false);
    if (description.is_discarded())
        return false;
    machine::Options options;
    options.properties.total_memory = 256 << 20;
    options.max_instructions = 100'000;
    options.output = [](std::string_view) {};
    Device gpu(options);
    try {
        // A file is what its name says.
        const auto launches = launch::prepare(gpu, kernels, description, [](const std::string& name) { return name; });
        if (!launch::run(gpu, launches))
            return false;
        launch::compare(gpu, launches);
        for (const launch::Buffer& buffer : launches.buffers)
            launch::first_elements(gpu, buffer);
        return true;
    } catch (const base::Problem&) {
    } catch (const nlohmann::json::exception&) {
    }
    return false;
}

} // namespace sim::fuzz
