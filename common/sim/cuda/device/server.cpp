#include "sim/cuda/device/server.h"

#include <cerrno>

#include <sys/socket.h>

#include "sim/cuda/device/service.h"
#include "sim/cuda/wire/socket.h"

namespace sim::cuda {

Served serve(Service& service, int fd) {
    if (!wire::send_descriptor(fd, service.shared().fd()))
        return Served::closed;
    while (true) {
        // Distinguish a clean end from a request that breaks the protocol.
        char byte = 0;
        const ssize_t waiting = recv(fd, &byte, 1, MSG_PEEK);
        if (waiting < 0 && errno == EINTR)
            continue;
        if (waiting <= 0)
            return Served::closed;
        const auto request = wire::receive_request(fd);
        if (!request)
            return Served::violation;
        const Reply reply = service.handle(request->header, request->body, request->payload);
        if (!wire::send(fd, reply))
            return Served::closed;
    }
}

} // namespace sim::cuda
