// What becomes of a call's result, by machine code as compilers write it.
#include <vector>

#include <doctest/doctest.h>

#include "sim/cuda/program/returned_value.h"

using sim::cuda::ResultUse, sim::cuda::use_of_result;

namespace {

ResultUse use(std::vector<uint8_t> code) {
    code.resize(code.size() + 16, 0xCC);
    return use_of_result(code.data());
}

} // namespace

TEST_CASE("a result that is read is used") {
    CHECK(use({0x85, 0xC0, 0x75, 0x10}) == ResultUse::used);                   // test eax, eax
    CHECK(use({0x89, 0x45, 0xFC}) == ResultUse::used);                         // mov [rbp-4], eax
    CHECK(use({0x41, 0x89, 0xC4}) == ResultUse::used);                         // mov r12d, eax
    CHECK(use({0x83, 0xF8, 0x01}) == ResultUse::used);                         // cmp eax, 1
    CHECK(use({0x48, 0x98}) == ResultUse::used);                               // cdqe
    CHECK(use({0x48, 0x8B, 0x3C, 0xC5, 0, 0, 0, 0}) == ResultUse::used);       // mov rdi, [rax*8]
    CHECK(use({0x66, 0x0F, 0x6E, 0xC0}) == ResultUse::used);                   // movd xmm0, eax
    CHECK(use({0x0F, 0x1F, 0x44, 0x00, 0x00, 0x85, 0xC0}) == ResultUse::used); // nop [rax+rax]; test eax, eax
    CHECK(use({0x48, 0x8D, 0x7C, 0x24, 0x08, 0x0F, 0x95, 0xC1, 0x09, 0xC1}) == ResultUse::used); // … or ecx, eax
}

TEST_CASE("a result that is overwritten is dropped") {
    CHECK(use({0x31, 0xC0, 0xC3}) == ResultUse::dropped);                         // xor eax, eax; ret
    CHECK(use({0xB8, 0, 0, 0, 0, 0xC3}) == ResultUse::dropped);                   // mov eax, 0
    CHECK(use({0x48, 0x8B, 0x45, 0xF8, 0x85, 0xC0}) == ResultUse::dropped);       // mov rax, [rbp-8]; test eax, eax
    CHECK(use({0x48, 0x8D, 0x45, 0xF0}) == ResultUse::dropped);                   // lea rax, [rbp-16]
    CHECK(use({0xBF, 1, 0, 0, 0, 0xE8, 0, 0, 0, 0}) == ResultUse::dropped);       // mov edi, 1; call
    CHECK(use({0x0F, 0x1F, 0x44, 0x00, 0x00, 0x31, 0xC0}) == ResultUse::dropped); // nop [rax+rax]
    CHECK(use({0xFF, 0x25, 0, 0, 0, 0}) == ResultUse::dropped);                   // jmp [rip]
    CHECK(use({0xC5, 0xF8, 0x77, 0xC5, 0xFD, 0x6F, 0x06, 0x31, 0xC0}) == ResultUse::dropped);       // AVX
    CHECK(use({0x4C, 0x89, 0xE7, 0x41, 0xB8, 1, 0, 0, 0, 0xE8, 0, 0, 0, 0}) == ResultUse::dropped); // of r8d
}

TEST_CASE("jumps and branches are followed") {
    CHECK(use({0xEB, 0x02, 0x31, 0xC0, 0x85, 0xC0}) == ResultUse::used);                            // jmp over the xor
    CHECK(use({0x84, 0xDB, 0x74, 0x03, 0x31, 0xC0, 0xC3, 0x31, 0xC0, 0xC3}) == ResultUse::dropped); // both paths
    CHECK(use({0x84, 0xDB, 0x74, 0x03, 0x31, 0xC0, 0xC3, 0x89, 0xC7}) == ResultUse::used);          // one of them
    CHECK(use({0xEB, 0xFE}) == ResultUse::dropped);                                                 // for ever
}

TEST_CASE("a result may be left to the caller") {
    CHECK(use({0x48, 0x83, 0xC4, 0x08, 0xC3}) == ResultUse::returned); // add rsp, 8; ret
    CHECK(use({0xC9, 0xC3}) == ResultUse::returned);                   // leave; ret
    CHECK(use({0x5B, 0x41, 0x5C, 0xC3}) == ResultUse::returned);       // pop rbx; pop r12; ret
}

TEST_CASE("what is not understood counts as used") {
    CHECK(use({0x62, 0xF1, 0x7C, 0x48}) == ResultUse::used); // EVEX
}
