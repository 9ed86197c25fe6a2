// The device service behind a socket: a checker runs it beside a program that it does not trust.
#pragma once

namespace sim::cuda {

class Service;

/// Why serve() returned.
enum class Served {
    closed,    ///< the program closed its end, or exited
    violation, ///< it sent something that is no request; the connection is of no more use
};

/// Answers requests on `fd`, a connected Unix stream socket whose other end is named to the program by
/// ASYNCLAB_DEVICE=fd:N, until the program goes. The caller closes `fd`. Work that is still pending then is left to
/// Service::drain().
Served serve(Service& service, int fd);

} // namespace sim::cuda
