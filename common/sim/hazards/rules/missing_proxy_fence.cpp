#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_proxy_fence;
const Rule missing_proxy_fence{
    .name = "missing-proxy-fence",
    .title = "Generic and async proxy touch the same bytes without a proxy fence",
    .why = "",
    .remedy = "fence.proxy.async: by each writer before the barrier, or by the issuer after it.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
