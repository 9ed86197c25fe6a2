// The forms of mma.sync and wgmma.mma_async that tensor_cores.cu runs: registers in, registers out.
#pragma once

#include <cstdint>

enum Kind { f16, bf16, tf32, f32, f64, e4m3, e5m2, u8, s8, u4, s4, b1, s32 };

/// Registers of a lane, in words.
struct Counts {
    int a, b, c;
};

#define MMA_1_1_2(OP)                                                                                                  \
    asm volatile(OP " {%0,%1}, {%2}, {%3}, {%4,%5};"                                                                   \
                 : "=r"(d[0]), "=r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
#define MMA_2_1_2(OP)                                                                                                  \
    asm volatile(OP " {%0,%1}, {%2,%3}, {%4}, {%5,%6};"                                                                \
                 : "=r"(d[0]), "=r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
#define MMA_2_1_4(OP)                                                                                                  \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                                   \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define MMA_4_2_2(OP)                                                                                                  \
    asm volatile(OP " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                                                       \
                 : "=r"(d[0]), "=r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]))
#define MMA_4_2_4(OP)                                                                                                  \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                       \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]),  \
                   "r"(c[3]))
#define MMA_2_2_4(OP)                                                                                                  \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};"                                               \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define MMA_2_2_8(OP)                                                                                                  \
    asm volatile(OP " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"               \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])      \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]),  \
                   "r"(c[5]), "r"(c[6]), "r"(c[7]))

// name, opcode behind "mma.sync.aligned.", registers of a, b and c, types of a, b and c
#define MMA_FORMS(F)                                                                                                   \
    F(m16n8k16_f32_f16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, f16, f16, f32)                                    \
    F(m16n8k16_f32_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, bf16, bf16, f32)                               \
    F(m16n8k8_f32_f16, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, f16, f16, f32)                                      \
    F(m16n8k8_f32_bf16, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, bf16, bf16, f32)                                 \
    F(m16n8k16_f16_f16, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, f16, f16, f16)                                    \
    F(m16n8k8_f16_f16, "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, f16, f16, f16)                                      \
    F(m16n8k4_tf32, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, tf32, tf32, f32)                                     \
    F(m16n8k8_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, tf32, tf32, f32)                                     \
    F(m16n8k32_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, e4m3, e4m3, f32)                                   \
    F(m16n8k32_e5m2_e4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 2, 4, e5m2, e4m3, f32)                              \
    F(m16n8k32_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2, 4, e5m2, e5m2, f32)                                   \
    F(m16n8k16_e4m3, "m16n8k16.row.col.f32.e4m3.e4m3.f32", 2, 1, 4, e4m3, e4m3, f32)                                   \
    F(m16n8k16_f16_e4m3, "m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 1, 2, e4m3, e4m3, f16)                               \
    F(m16n8k32_f16_e4m3_e5m2, "m16n8k32.row.col.f16.e4m3.e5m2.f16", 4, 2, 2, e4m3, e5m2, f16)                          \
    F(m8n8k16_s8, "m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, s8, s8, s32)                                               \
    F(m16n8k16_u8_s8, "m16n8k16.row.col.s32.u8.s8.s32", 2, 1, 4, u8, s8, s32)                                          \
    F(m16n8k32_s8_u8, "m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 2, 4, s8, u8, s32)                                \
    F(m8n8k32_s4_u4, "m8n8k32.row.col.s32.s4.u4.s32", 1, 1, 2, s4, u4, s32)                                            \
    F(m16n8k32_u4, "m16n8k32.row.col.satfinite.s32.u4.u4.s32", 2, 1, 4, u4, u4, s32)                                   \
    F(m16n8k64_s4, "m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, s4, s4, s32)                                             \
    F(m8n8k128_xor, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, b1, b1, s32)                                   \
    F(m16n8k128_and, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, b1, b1, s32)                                 \
    F(m16n8k256_xor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, b1, b1, s32)                                 \
    F(m8n8k4_row_col_f32, "m8n8k4.row.col.f32.f16.f16.f32", 2, 2, 8, f16, f16, f32)                                    \
    F(m8n8k4_col_row_f32, "m8n8k4.col.row.f32.f16.f16.f32", 2, 2, 8, f16, f16, f32)                                    \
    F(m8n8k4_row_row_f16, "m8n8k4.row.row.f16.f16.f16.f16", 2, 2, 4, f16, f16, f16)

#define DEFINE_MMA(NAME, OP, A, B, C, AT, BT, CT)                                                                      \
    struct mma_##NAME {                                                                                                \
        static constexpr Counts counts{A, B, C};                                                                       \
        static constexpr Kind at = AT, bt = BT, ct = CT;                                                               \
        __device__ static void run(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t* c) {             \
            MMA_##A##_##B##_##C("mma.sync.aligned." OP);                                                               \
        }                                                                                                              \
    };
MMA_FORMS(DEFINE_MMA)

#define MMAD_1_1_2(OP)                                                                                                 \
    asm volatile(OP " {%0,%1}, {%2}, {%3}, {%4,%5};"                                                                   \
                 : "=d"(d[0]), "=d"(d[1])                                                                              \
                 : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]))
#define MMAD_2_1_4(OP)                                                                                                 \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                                   \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                                      \
                 : "d"(a[0]), "d"(a[1]), "d"(b[0]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]))
#define MMAD_4_2_4(OP)                                                                                                 \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                       \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                                      \
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]), "d"(c[2]),  \
                   "d"(c[3]))
#define MMAD_8_4_4(OP)                                                                                                 \
    asm volatile(OP " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19};"               \
                 : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                                      \
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),  \
                   "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]))
#define MMA_F64_FORMS(F)                                                                                               \
    F(m8n8k4_f64, "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2)                                                           \
    F(m8n8k4_f64_rz, "m8n8k4.row.col.rz.f64.f64.f64.f64", 1, 1, 2)                                                     \
    F(m16n8k4_f64, "m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4)                                                         \
    F(m16n8k8_f64, "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4)                                                         \
    F(m16n8k16_f64, "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4)

#define DEFINE_MMA_F64(NAME, OP, A, B, C)                                                                              \
    struct mma_##NAME {                                                                                                \
        static constexpr Counts counts{2 * A, 2 * B, 2 * C};                                                           \
        static constexpr Kind at = f64, bt = f64, ct = f64;                                                            \
        __device__ static void run(uint32_t* to, const uint32_t* aw, const uint32_t* bw, const uint32_t* cw) {         \
            double a[A], b[B], c[C], d[C];                                                                             \
            for (int i = 0; i < A; ++i)                                                                                \
                a[i] = __hiloint2double(aw[2 * i + 1], aw[2 * i]);                                                     \
            for (int i = 0; i < B; ++i)                                                                                \
                b[i] = __hiloint2double(bw[2 * i + 1], bw[2 * i]);                                                     \
            for (int i = 0; i < C; ++i)                                                                                \
                c[i] = __hiloint2double(cw[2 * i + 1], cw[2 * i]);                                                     \
            MMAD_##A##_##B##_##C("mma.sync.aligned." OP);                                                              \
            for (int i = 0; i < C; ++i) {                                                                              \
                to[2 * i] = __double2loint(d[i]);                                                                      \
                to[2 * i + 1] = __double2hiint(d[i]);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    };
MMA_F64_FORMS(DEFINE_MMA_F64)

// wgmma with n = 8: A in registers, B (256 bytes) in shared memory. TAIL: what follows the descriptor.
#define WGMMA_2(OP, TAIL)                                                                                              \
    asm volatile("wgmma.mma_async.sync.aligned." OP " {%0,%1}, {%2,%3,%4,%5}, %6, " TAIL ";"                           \
                 : "+r"(d[0]), "+r"(d[1])                                                                              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define WGMMA_4(OP, TAIL)                                                                                              \
    asm volatile("wgmma.mma_async.sync.aligned." OP " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, " TAIL ";"                     \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

// name, opcode, tail, registers of d, types of a, b and d
#define WGMMA_FORMS(F)                                                                                                 \
    F(f32_f16, "m64n8k16.f32.f16.f16", "1, 1, 1, 0", 4, f16, f16, f32)                                                 \
    F(f32_f16_negative, "m64n8k16.f32.f16.f16", "1, -1, 1, 0", 4, f16, f16, f32)                                       \
    F(f32_f16_fresh, "m64n8k16.f32.f16.f16", "0, 1, -1, 0", 4, f16, f16, f32)                                          \
    F(f16_f16, "m64n8k16.f16.f16.f16", "1, 1, 1, 0", 2, f16, f16, f16)                                                 \
    F(f16_f16_fresh, "m64n8k16.f16.f16.f16", "0, -1, -1, 0", 2, f16, f16, f16)                                         \
    F(f32_bf16, "m64n8k16.f32.bf16.bf16", "1, 1, 1, 0", 4, bf16, bf16, f32)                                            \
    F(f32_bf16_fresh, "m64n8k16.f32.bf16.bf16", "0, 1, 1, 0", 4, bf16, bf16, f32)                                      \
    F(f32_tf32, "m64n8k8.f32.tf32.tf32", "1, 1, 1", 4, tf32, tf32, f32)                                                \
    F(f32_e4m3, "m64n8k32.f32.e4m3.e4m3", "1, 1, 1", 4, e4m3, e4m3, f32)                                               \
    F(f32_e4m3_e5m2, "m64n8k32.f32.e4m3.e5m2", "1, -1, 1", 4, e4m3, e5m2, f32)                                         \
    F(f32_e5m2, "m64n8k32.f32.e5m2.e5m2", "1, 1, 1", 4, e5m2, e5m2, f32)                                               \
    F(f32_e5m2_fresh, "m64n8k32.f32.e5m2.e5m2", "0, 1, 1", 4, e5m2, e5m2, f32)                                         \
    F(f16_e4m3, "m64n8k32.f16.e4m3.e4m3", "1, 1, 1", 2, e4m3, e4m3, f16)                                               \
    F(s32_s8, "m64n8k32.s32.s8.s8", "1", 4, s8, s8, s32)                                                               \
    F(s32_u8_s8, "m64n8k32.s32.u8.s8", "0", 4, u8, s8, s32)                                                            \
    F(s32_u8_satfinite, "m64n8k32.s32.u8.u8.satfinite", "1", 4, u8, u8, s32)                                           \
    F(s32_b1, "m64n8k256.s32.b1.b1.and.popc", "1", 4, b1, b1, s32)

#define DEFINE_WGMMA(NAME, OP, TAIL, D, AT, BT, DT)                                                                    \
    struct wgmma_##NAME {                                                                                              \
        static constexpr Counts counts{4, 0, D};                                                                       \
        static constexpr Kind at = AT, bt = BT, ct = DT;                                                               \
        __device__ static void run(uint32_t* d, const uint32_t* a, uint64_t b) { WGMMA_##D(OP, TAIL); }                \
    };
WGMMA_FORMS(DEFINE_WGMMA)
