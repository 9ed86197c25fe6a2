#include "sim/cuda/program/returned_value.h"

#include <cstring>
#include <set>
#include <vector>

namespace sim::cuda {

namespace {

// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. Of each instruction only three things
// matter: its length, where the program goes on, and whether it reads or overwrites RAX.
struct Instruction {
    enum class Flow : uint8_t { on, jump, branch, call, ret, stop, unknown };
    Flow flow = Flow::on;
    const uint8_t* end = nullptr;
    const uint8_t* target = nullptr; ///< of a jump or branch
    bool reads = false, writes = false;
};

class Decoder {
  public:
    explicit Decoder(const uint8_t* code) : at_(code) {}
    Instruction decode();

  private:
    using Flow = Instruction::Flow;
    // How an instruction uses an operand of its ModRM byte.
    enum Use : uint8_t { ignore = 0, read = 1, write = 2, update = 3 };

    void prefixes();
    void one_byte(uint8_t op);
    void two_byte(uint8_t op);
    void vector(uint8_t op, unsigned map);
    void arithmetic(uint8_t op);
    void group_ff(uint8_t op);
    void modrm(Use reg, Use rm, bool bytes = false);
    void address_only() { modrm(ignore, *at_ >> 6 == 3 ? ignore : read); }
    void touch(unsigned number, Use use, bool bytes);
    void go(Flow flow, bool near);
    void immediate(bool byte) { at_ += byte ? 1 : operand16_ ? 2 : 4; }

    const uint8_t* at_;
    Instruction all_;
    bool operand16_ = false, repeated_ = false, rex_ = false, wide_ = false;
    unsigned r_ = 0, x_ = 0, b_ = 0, v_ = 1; ///< extensions of register numbers; v_: VEX's second source
    unsigned reg_ = 0, mod_ = 0, rm_ = 0;
};

void Decoder::touch(unsigned number, Use use, bool bytes) {
    if (number != 0 && !(bytes && !rex_ && number == 4)) // number 4 is AH then
        return;
    all_.reads = all_.reads || (use & read);
    all_.writes = all_.writes || (use & write);
}

void Decoder::modrm(Use reg, Use rm, bool bytes) {
    const uint8_t byte = *at_++;
    mod_ = byte >> 6;
    reg_ = (byte >> 3 & 7) | r_;
    rm_ = (byte & 7) | b_;
    touch(reg_, reg, bytes);
    if (mod_ == 3)
        return touch(rm_, rm, bytes);
    const bool counts = rm != ignore || reg != ignore; // a nop has an address, too
    const Use address = counts ? read : ignore;
    if ((byte & 7) == 4) {
        const uint8_t sib = *at_++;
        const unsigned base = sib & 7, index = (sib >> 3 & 7) | x_;
        if (index != 4)
            touch(index, address, false);
        if (base == 5 && mod_ == 0)
            at_ += 4;
        else
            touch(base | b_, address, false);
    } else if ((byte & 7) == 5 && mod_ == 0) {
        at_ += 4; // relative to RIP
    } else {
        touch(rm_, address, false);
    }
    at_ += mod_ == 1 ? 1 : mod_ == 2 ? 4 : 0;
}

void Decoder::go(Flow flow, bool near) {
    int32_t distance = static_cast<int8_t>(*at_);
    if (!near)
        std::memcpy(&distance, at_, 4);
    at_ += near ? 1 : 4;
    all_.flow = flow;
    all_.target = at_ + distance;
}

void Decoder::prefixes() {
    for (;; ++at_) {
        if (*at_ == 0x66)
            operand16_ = true;
        else if (*at_ == 0xF2 || *at_ == 0xF3)
            repeated_ = true;
        else if (*at_ != 0x2E && *at_ != 0x36 && *at_ != 0x3E && *at_ != 0x26 && *at_ != 0x64 && *at_ != 0x65 &&
                 *at_ != 0x67 && *at_ != 0xF0)
            break;
    }
    if ((*at_ & 0xF0) == 0x40) {
        rex_ = true;
        wide_ = *at_ & 8;
        r_ = *at_ & 4 ? 8 : 0;
        x_ = *at_ & 2 ? 8 : 0;
        b_ = *at_ & 1 ? 8 : 0;
        ++at_;
    }
}

// add, or, adc, sbb, and, sub, xor, cmp: in six forms each.
void Decoder::arithmetic(uint8_t op) {
    const unsigned what = op >> 3, form = op & 7;
    if (form >= 4) { // with an immediate, of RAX
        all_.reads = true;
        immediate(form == 4);
        return;
    }
    const bool bytes = !(form & 1);
    address_only();
    const bool zeroes = mod_ == 3 && reg_ == rm_ && (what == 5 || what == 6); // sub or xor of a register with itself
    touch(reg_, zeroes ? write : read, bytes);
    if (mod_ == 3)
        touch(rm_, zeroes ? write : read, bytes);
}

void Decoder::group_ff(uint8_t op) {
    modrm(ignore, read, op == 0xFE);
    const unsigned what = reg_ & 7;
    if (op == 0xFF && (what == 2 || what == 3))
        all_.flow = Flow::call;
    else if (op == 0xFF && (what == 4 || what == 5))
        all_.flow = Flow::stop;
}

void Decoder::one_byte(uint8_t op) {
    const unsigned number = (op & 7) | b_;
    if (op < 0x40 && (op & 7) < 6)
        return arithmetic(op);
    if (op >= 0x50 && op <= 0x5F)
        return touch(number, op < 0x58 ? read : write, false);
    if (op >= 0x70 && op <= 0x7F)
        return go(Flow::branch, true);
    if (op >= 0xB0 && op <= 0xB7) {
        touch(number, write, true);
        ++at_;
        return;
    }
    if (op >= 0xB8 && op <= 0xBF) {
        touch(number, write, false);
        at_ += wide_ ? 8 : operand16_ ? 2 : 4;
        return;
    }
    switch (op) {
    case 0x63: // movsxd
    case 0x8A:
    case 0x8B: // mov from memory or a register
        return modrm(write, read, op == 0x8A);
    case 0x88:
    case 0x89:
        return modrm(read, write, op == 0x88);
    case 0x8D: // lea
        return modrm(write, read);
    case 0x84:
    case 0x85: // test
    case 0x86:
    case 0x87: // xchg
        return modrm(read, read, !(op & 1));
    case 0x69:
    case 0x6B: // imul
        modrm(write, read);
        return immediate(op == 0x6B);
    case 0x68:
    case 0x6A: // push
        return immediate(op == 0x6A);
    case 0x80:
    case 0x81:
    case 0x83: { // arithmetic with an immediate
        modrm(ignore, read, op == 0x80);
        const bool sets = op == 0x83 && mod_ == 3 && (reg_ & 7) == 1 && *at_ == 0xFF; // or with -1
        if (sets && rm_ == 0)
            all_.reads = false, all_.writes = true;
        return immediate(op != 0x81);
    }
    case 0x8F:
        return modrm(ignore, write);
    case 0x90:
        all_.reads = b_ != 0;
        return;
    case 0xA8:
    case 0xA9:
        all_.reads = true;
        return immediate(op == 0xA8);
    case 0xA4:
    case 0xA5: // movs
    case 0xC9: // leave
        return;
    case 0x91:
    case 0x92:
    case 0x93:
    case 0x94:
    case 0x95:
    case 0x96:
    case 0x97: // xchg with RAX
    case 0x98:
    case 0x99: // cdqe, cqo
    case 0xAA:
    case 0xAB: // stos
        all_.reads = true;
        return;
    case 0xC0:
    case 0xC1: // shifts
        modrm(ignore, read, op == 0xC0);
        ++at_;
        return;
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
        return modrm(ignore, read, !(op & 1));
    case 0xC2:
    case 0xC3:
        all_.flow = Flow::ret;
        return;
    case 0xC6:
    case 0xC7: // mov of an immediate
        modrm(ignore, write, op == 0xC6);
        return immediate(op == 0xC6);
    case 0xCC:
        all_.flow = Flow::stop;
        return;
    case 0xE8:
        return go(Flow::call, false);
    case 0xE9:
    case 0xEB:
        return go(Flow::jump, op == 0xEB);
    case 0xF6:
    case 0xF7: { // test, not, neg; mul and div use RAX
        modrm(ignore, read, op == 0xF6);
        if ((reg_ & 7) < 2)
            immediate(op == 0xF6);
        all_.reads = all_.reads || (reg_ & 7) >= 4;
        return;
    }
    case 0xFE:
    case 0xFF:
        return group_ff(op);
    default:
        all_.flow = Flow::unknown;
    }
}

void Decoder::two_byte(uint8_t op) {
    if (op >= 0x40 && op <= 0x4F) // cmov
        return modrm(read, read);
    if (op >= 0x80 && op <= 0x8F)
        return go(Flow::branch, false);
    if (op >= 0x90 && op <= 0x9F) // setcc
        return modrm(ignore, write, true);
    switch (op) {
    case 0x0B: // ud2
        all_.flow = Flow::stop;
        return;
    case 0x0D:
    case 0x18:
    case 0x1E:
    case 0x1F: // prefetches, endbr64, nops
        return modrm(ignore, ignore);
    case 0xAF:
    case 0xA3:
    case 0xAB:
    case 0xB3:
    case 0xBB:
    case 0xC0:
    case 0xC1: // imul, bit tests, xadd
        return modrm(read, read);
    case 0xB6:
    case 0xB7:
    case 0xBE:
    case 0xBF: // movzx, movsx
        return modrm(write, read, !(op & 1));
    case 0xB8:
    case 0xBC:
    case 0xBD: // popcnt, bsf, bsr
        return modrm(write, read);
    case 0xBA:
        modrm(ignore, read);
        ++at_;
        return;
    case 0xA2:
    case 0x05:
    case 0xB0:
    case 0xB1:
    case 0xC7: // cpuid, syscall, cmpxchg
        all_.reads = true;
        all_.flow = Flow::stop;
        return;
    default:
        break;
    }
    if ((op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2F) || (op >= 0x50 && op <= 0x7F) || op >= 0xD0 ||
        op == 0xC2 || (op >= 0xC4 && op <= 0xC6))
        return vector(op, 1);
    all_.flow = Flow::unknown;
}

// SSE and AVX. Only a few of them have general registers; the addresses of all do.
void Decoder::vector(uint8_t op, unsigned map) {
    Use reg = ignore, rm = ignore;
    if (map == 1) {
        reg = op == 0x2C || op == 0x2D || op == 0x50 || op == 0xC5 || op == 0xD7 ? write : ignore;
        rm = op == 0x6E || op == 0x2A || op == 0xC4 ? read : op == 0x7E && !repeated_ ? write : ignore;
    } else if (map == 2 && op >= 0xF0) {
        reg = rm = update; // bit manipulation of general registers
        all_.reads = all_.reads || v_ == 0;
    } else if (map == 3) {
        rm = op == 0x20 || op == 0x22 || op == 0xF0 ? read : op >= 0x14 && op <= 0x17 ? write : ignore;
    }
    if (rm == ignore && reg == ignore)
        address_only();
    else
        modrm(reg, rm);
    if (map == 3 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xC2 || (op >= 0xC4 && op <= 0xC6))))
        ++at_;
}

Instruction Decoder::decode() {
    prefixes();
    const uint8_t op = *at_++;
    if (op == 0xC5) { // VEX
        r_ = *at_ & 0x80 ? 0 : 8;
        v_ = ~(*at_ >> 3) & 15u;
        repeated_ = (*at_ & 3) == 2;
        ++at_;
        const uint8_t code = *at_++;
        if (code != 0x77) // vzeroupper
            vector(code, 1);
    } else if (op == 0xC4) {
        r_ = *at_ & 0x80 ? 0 : 8;
        x_ = *at_ & 0x40 ? 0 : 8;
        b_ = *at_ & 0x20 ? 0 : 8;
        const unsigned map = *at_ & 31;
        v_ = ~(at_[1] >> 3) & 15u;
        repeated_ = (at_[1] & 3) == 2;
        at_ += 2;
        const uint8_t code = *at_++;
        vector(code, map);
    } else if (op == 0x62) { // EVEX
        all_.flow = Flow::unknown;
    } else if (op != 0x0F) {
        one_byte(op);
    } else if (*at_ == 0x38 || *at_ == 0x3A) {
        const unsigned map = *at_++ == 0x38 ? 2 : 3;
        const uint8_t code = *at_++;
        vector(code, map);
    } else {
        two_byte(*at_++);
    }
    all_.end = at_;
    return all_;
}

} // namespace

ResultUse use_of_result(const uint8_t* code) {
    constexpr size_t most = 300; // instructions: a result that is not used soon may count as used
    using Flow = Instruction::Flow;
    std::vector<const uint8_t*> open{code};
    std::set<const uint8_t*> seen;
    ResultUse result = ResultUse::dropped;
    while (!open.empty()) {
        const uint8_t* at = open.back();
        open.pop_back();
        if (!seen.insert(at).second)
            continue;
        const Instruction one = Decoder(at).decode();
        if (one.reads || one.flow == Flow::unknown || seen.size() > most)
            return ResultUse::used;
        if (one.flow == Flow::ret)
            result = ResultUse::returned;
        if (one.writes)
            continue;
        if (one.flow == Flow::jump || one.flow == Flow::branch)
            open.push_back(one.target);
        if (one.flow == Flow::on || one.flow == Flow::branch)
            open.push_back(one.end);
    }
    return result;
}

} // namespace sim::cuda
