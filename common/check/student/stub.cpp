// The main function of the program under test. It does only what the checker requests. The verdict is made in another
// process, so the student's code cannot change it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire.h"

using namespace check::wire;

extern "C" int lab_entry(const std::uint64_t* slots, cudaStream_t stream);
extern "C" const char* lab_signature();

// Launches are the same on every device: a program that has the GPU to itself sees as few SMs as any other.
extern "C" cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    static const auto next = reinterpret_cast<decltype(&cudaDeviceGetAttribute)>(dlsym(RTLD_NEXT, __func__));
    const cudaError_t error = next(value, attribute, device);
    if (const char* sms = std::getenv("ASYNCLAB_SMS"); sms && !error && attribute == cudaDevAttrMultiProcessorCount)
        *value = std::min(*value, std::atoi(sms));
    return error;
}

namespace {

char data[max_data];

bool send(int fd, const Reply& reply, size_t data_bytes) {
    iovec parts[] = {{const_cast<Reply*>(&reply), sizeof reply}, {data, data_bytes}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return sendmsg(fd, &message, MSG_NOSIGNAL) >= 0;
}

void set_error(Reply& reply, int code) {
    reply.code = code;
    if (code)
        std::snprintf(reply.text, sizeof reply.text, "%s", cudaGetErrorName(static_cast<cudaError_t>(code)));
}

size_t answer(const Request& request, Reply& reply, cudaStream_t (&streams)[max_streams]) {
    void* pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(request.slots[0]));
    switch (request.ask) {
    case Ask::open_stream:
        set_error(reply, cudaStreamCreateWithFlags(&streams[request.stream], cudaStreamNonBlocking));
        break;
    case Ask::call:
        set_error(reply, lab_entry(request.slots, streams[request.stream]));
        break;
    case Ask::allocate_pinned:
        set_error(reply, cudaMallocHost(&pointer, request.slots[0]));
        reply.value = reinterpret_cast<std::uintptr_t>(pointer);
        break;
    case Ask::allocate_pageable:
        reply.value = reinterpret_cast<std::uintptr_t>(std::malloc(request.slots[0]));
        break;
    case Ask::read:
        std::memcpy(data, pointer, request.slots[1]);
        return request.slots[1];
    case Ask::write:
        std::memcpy(pointer, data, request.slots[1]);
        break;
    case Ask::allocate_device:
        set_error(reply, cudaMalloc(&pointer, request.slots[0]));
        reply.value = reinterpret_cast<std::uintptr_t>(pointer);
        break;
    case Ask::upload:
        set_error(reply, cudaMemcpy(pointer, data, request.slots[1], cudaMemcpyHostToDevice));
        break;
    case Ask::synchronise:
        set_error(reply, cudaDeviceSynchronize());
        break;
    case Ask::leave:
        break;
    }
    return 0;
}

} // namespace

int main() {
    const char* where = std::getenv("ASYNCLAB_CHECKER");
    if (!where || std::strncmp(where, "fd:", 3) != 0) {
        std::fputs("This program is run by ./lab check.\n", stderr);
        return 2;
    }
    const int fd = std::atoi(where + 3);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Reply greeting;
    std::snprintf(greeting.text, sizeof greeting.text, "%s", lab_signature());
    cudaStream_t streams[max_streams] = {};
    for (bool up = send(fd, greeting, 0); up;) {
        Request request;
        iovec parts[] = {{&request, sizeof request}, {data, sizeof data}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        if (recvmsg(fd, &message, 0) < static_cast<ssize_t>(sizeof request))
            return 2; // the checker is gone
        Reply reply;
        const size_t bytes = answer(request, reply, streams);
        std::fflush(stdout);
        up = send(fd, reply, bytes);
        if (request.ask == Ask::leave)
            break;
    }
    return 0;
}
