// The header that every lab's kernel.cu needs besides CUDA's. It defines LAB_ENTRY(function), the last line of the
// file, which makes `function` callable by the checker. It is an ordinary host function that launches the kernel:
//
//     void stencil(const float* in, float* out, int n, cudaStream_t stream);
//     LAB_ENTRY(stencil)
//
// Parameters may be pointers, numbers and enums of at most 8 bytes. A cudaStream_t parameter gets a stream that the
// checker has created: launch there. The function returns nothing, or a cudaError_t that is reported when it is not
// zero. lab::blocks_in_flight() helps to choose a grid. Beside it, tma.h and wgmma.h hold what earlier labs write out.
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

template <class Return>
constexpr bool may_return = false;
template <>
inline constexpr bool may_return<void> = true;
template <>
inline constexpr bool may_return<cudaError_t> = true;

template <class Return, class... A>
int call(Return (*function)(A...), const std::uint64_t* slots, cudaStream_t stream) {
    static_assert(may_return<Return>, "the launch function returns void, or a cudaError_t such as cudaGetLastError()");
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

namespace lab {

/// How many blocks keep the memory busy if each has `bytes` bytes of reads in flight, the same number on each SM. By
/// Little's law, all of them together need bandwidth times latency. The bandwidth is the peak that the device states.
/// The latency is that of a busy memory, about 0.5 µs on an H100 and an H200 (docs/performance.md, "Bytes in flight").
inline int blocks_in_flight(std::size_t bytes) {
    int device = 0, sms = 1, kilohertz = 0, bits = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
    cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
    const double bandwidth = 1e3 * kilohertz * 2 * bits / 8; // bytes per second; two transfers in each cycle
    return sms * (1 + static_cast<int>(bandwidth * 0.5e-6 / (sms * static_cast<double>(bytes))));
}

} // namespace lab

#define LAB_ENTRY(function)                                                                                            \
    extern "C" int lab_entry(const std::uint64_t* slots, cudaStream_t stream) {                                        \
        return ::lab::detail::call(function, slots, stream);                                                           \
    }                                                                                                                  \
    extern "C" const char* lab_signature() {                                                                           \
        static constexpr auto signature = ::lab::detail::signature(function);                                          \
        return signature.text;                                                                                         \
    }
