// What a lab's kernel.cu needs besides CUDA: LAB_ENTRY(function), the last line of the file. It makes `function`, an
// ordinary host function that launches the kernel, callable by the checker:
//
//     void stencil(const float* in, float* out, int n, cudaStream_t stream);
//     LAB_ENTRY(stencil)
//
// Parameters may be pointers, numbers and enums of at most 8 bytes. A cudaStream_t parameter gets a stream of the
// checker's making: launch there. The function returns nothing, or a cudaError_t that is reported when it is not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>

namespace lab::detail {

template <class T>
struct Argument {
    static_assert(sizeof(T) <= 8, "a parameter of the launch function is larger than 8 bytes: pass a pointer to it");
    static constexpr char code = sizeof(T) == 1 ? '1' : sizeof(T) == 2 ? '2' : sizeof(T) == 4 ? 'i' : 'l';
    static T take(const std::uint64_t*& slot, cudaStream_t) {
        T value;
        std::memcpy(&value, slot++, sizeof(T));
        return value;
    }
};
template <class T>
struct Argument<T*> {
    static constexpr char code = 'p';
    static T* take(const std::uint64_t*& slot, cudaStream_t) {
        return reinterpret_cast<T*>(static_cast<std::uintptr_t>(*slot++));
    }
};
template <>
struct Argument<float> : Argument<std::int32_t> {
    static constexpr char code = 'f';
    static float take(const std::uint64_t*& slot, cudaStream_t) {
        float value;
        std::memcpy(&value, slot++, sizeof(value));
        return value;
    }
};
template <>
struct Argument<double> : Argument<std::int64_t> {
    static constexpr char code = 'd';
    static double take(const std::uint64_t*& slot, cudaStream_t) {
        double value;
        std::memcpy(&value, slot++, sizeof(value));
        return value;
    }
};
template <>
struct Argument<cudaStream_t> { // takes no slot
    static constexpr char code = 's';
    static cudaStream_t take(const std::uint64_t*&, cudaStream_t stream) { return stream; }
};

template <class Return, class... A>
struct Call {
    Return (*function)(A...);
    Return result;
    // Braces: the arguments are taken from left to right.
    Call(Return (*f)(A...), A... arguments) : function(f), result(f(arguments...)) {}
    int code() const { return static_cast<int>(result); }
};
template <class... A>
struct Call<void, A...> {
    Call(void (*f)(A...), A... arguments) { f(arguments...); }
    int code() const { return 0; }
};

template <class Return, class... A>
int call(Return (*function)(A...), const std::uint64_t* slots, cudaStream_t stream) {
    (void)slots, (void)stream;
    return Call<Return, A...>{function, Argument<A>::take(slots, stream)...}.code();
}

template <class Return, class... A>
struct Signature {
    char text[sizeof...(A) + 1] = {Argument<A>::code..., '\0'};
};
template <class Return, class... A>
constexpr Signature<Return, A...> signature(Return (*)(A...)) {
    return {};
}

} // namespace lab::detail

#define LAB_ENTRY(function)                                                                                            \
    extern "C" int lab_entry(const std::uint64_t* slots, cudaStream_t stream) {                                        \
        return ::lab::detail::call(function, slots, stream);                                                           \
    }                                                                                                                  \
    extern "C" const char* lab_signature() {                                                                           \
        static constexpr auto signature = ::lab::detail::signature(function);                                          \
        return signature.text;                                                                                         \
    }
