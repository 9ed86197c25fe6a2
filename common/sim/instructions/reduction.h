// Shared parts of atomics and bulk reductions: PTX ISA, "atom" and "red". Their sums differ, and each defines its own.
#pragma once

namespace sim::instructions {

struct Min {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct Max {
    template <class T>
    T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};
struct And {
    template <class T>
    T operator()(T a, T b) const {
        return T(a & b);
    }
};
struct Or {
    template <class T>
    T operator()(T a, T b) const {
        return T(a | b);
    }
};
struct Xor {
    template <class T>
    T operator()(T a, T b) const {
        return T(a ^ b);
    }
};
struct Increment {
    template <class T>
    T operator()(T a, T b) const {
        return a >= b ? T(0) : T(a + 1);
    }
};
struct Decrement {
    template <class T>
    T operator()(T a, T b) const {
        return a == 0 || a > b ? b : T(a - 1);
    }
};

} // namespace sim::instructions
