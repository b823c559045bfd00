#include "engine/open.h"

#include "engine/etcd.h"
#ifdef CONCLAVE_ZOOKEEPER
#include "engine/zookeeper.h"
#endif

namespace conclave::engine {

Result<std::unique_ptr<Engine>> open(boost::asio::io_context& loop, const Place& place) {
    if (place.kind == Place::Kind::etcd) return open_etcd(loop, place);
#ifdef CONCLAVE_ZOOKEEPER
    return open_zookeeper(loop, place);
#else
    return Error{"zookeeper: this build is without it; it needs libzookeeper-mt-dev"};
#endif
}

}  // namespace conclave::engine
