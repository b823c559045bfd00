// library/keeper.h -- who keeps the record of a client's locks: our own nodes, or an engine of
// somebody else's.
#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "conclave/client.hpp"
#include "core/result.h"
#include "service/lock_words.h"

namespace conclave {

class Keeper {
public:
    // From the loop, never from inside a call of Keeper.
    class Events {
    public:
        virtual ~Events() = default;
        virtual void granted(const std::string& lock, const locks::Token& token) = 0;
        virtual void busy(const std::string& lock) = 0;        // wanted, and others are first
        virtual void asked_back(const std::string& lock) = 0;  // held, and others wait
        virtual void lost(const std::string& lock) = 0;        // held until now
        virtual void turned_down(const std::string& lock, const std::string& why) = 0;
        virtual void failed(const std::string& why) = 0;  // to reach somebody; goes on
        // `until` of something has changed; nothing may be asked of the Keeper but that.
        virtual void renewed() = 0;
    };

    virtual ~Keeper() = default;
    virtual void acquire(const std::string& lock, const locks::Terms& terms) = 0;
    virtual void release(const std::string& lock) = 0;  // held, or only wanted
    virtual std::optional<Instant> until(const std::string& lock) const = 0;
    // Whether `asked_back` is ever called. Else what is held must not be kept for later.
    virtual bool tells_who_waits() const = 0;
};

// At whatever the endpoints name. Nobody is asked yet.
Result<std::unique_ptr<Keeper>> open_keeper(boost::asio::io_context& loop,
                                            const ClientOptions& options, Keeper::Events& events);
Result<std::unique_ptr<Keeper>> keeper_at_nodes(boost::asio::io_context& loop,
                                                const ClientOptions& options,
                                                Keeper::Events& events);
Result<std::unique_ptr<Keeper>> keeper_at_engine(boost::asio::io_context& loop,
                                                 const ClientOptions& options,
                                                 Keeper::Events& events);

}  // namespace conclave
