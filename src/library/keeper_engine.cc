// library/keeper_engine.cc -- locks that an engine of somebody else's keeps: etcd, ZooKeeper.
#include <errno.h>

#include <boost/asio/post.hpp>
#include <list>
#include <map>
#include <utility>

#include "client/caller.h"
#include "engine/open.h"
#include "library/keeper.h"

namespace conclave {

namespace {

class AtEngine final : public Keeper {
public:
    AtEngine(boost::asio::io_context& loop, std::unique_ptr<engine::Engine> engine,
             Duration session, Keeper::Events& events)
        : loop_(loop), engine_(std::move(engine)), session_(session), events_(events) {}
    ~AtEngine() override { *alive_ = false; }

    void acquire(const std::string& lock, const locks::Terms& terms) override {
        engine::Claim claim;
        claim.thing = {engine::Thing::Kind::lock, lock};
        claim.terms = {terms.mode, terms.slots};
        claim.holder = client::name_of_us(::program_invocation_short_name);
        claim.session = session_;
        Wish& wish = *wishes_.try_emplace(lock, std::make_unique<Wish>(*this, lock)).first->second;
        wish.contest = engine_->contend(std::move(claim), wish);
    }
    void release(const std::string& lock) override {
        if (Wish* wish = retire(lock)) wish->contest->leave();
    }
    std::optional<Instant> until(const std::string& lock) const override {
        const auto known = wishes_.find(lock);
        return known == wishes_.end() ? std::nullopt : known->second->contest->until();
    }
    bool tells_who_waits() const override { return false; }

private:
    struct Wish final : engine::Events {
        Wish(AtEngine& whose, std::string of) : keeper(whose), lock(std::move(of)) {}

        void reached(const std::string&) override {}
        void busy() override {
            if (!retired) keeper.events_.busy(lock);
        }
        void granted(const locks::Token& token) override {
            held = true;
            if (!retired) keeper.events_.granted(lock, token);
        }
        void renewed() override {
            if (!retired) keeper.events_.renewed();
        }
        void lost() override {
            over([this] { keeper.events_.lost(lock); });
        }
        void left() override { keeper.bury(*this); }
        void failed(const net::Failure& failure, bool final) override {
            if (retired) return final ? keeper.bury(*this) : void();
            if (!final) return keeper.events_.failed(failure.what);
            over([&] {
                held ? keeper.events_.lost(lock) : keeper.events_.turned_down(lock, failure.what);
            });
        }
        template <class F> void over(F tell) {
            if (!retired) {
                keeper.retire(lock);
                tell();
            }
            keeper.bury(*this);
        }

        AtEngine& keeper;
        const std::string lock;
        bool held = false, retired = false;
        std::unique_ptr<engine::Contest> contest;
    };

    // The name is free for another wish, while this one goes its way.
    Wish* retire(const std::string& lock) {
        const auto known = wishes_.find(lock);
        if (known == wishes_.end()) return nullptr;
        retired_.push_back(std::move(known->second));
        wishes_.erase(known);
        retired_.back()->retired = true;
        return retired_.back().get();
    }
    // It may be in the middle of a call.
    void bury(const Wish& wish) {
        boost::asio::post(loop_, [this, alive = alive_, gone = &wish] {
            if (*alive) std::erase_if(retired_, [&](const auto& one) { return one.get() == gone; });
        });
    }

    boost::asio::io_context& loop_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    const std::unique_ptr<engine::Engine> engine_;
    const Duration session_;
    Keeper::Events& events_;
    std::map<std::string, std::unique_ptr<Wish>> wishes_;
    std::list<std::unique_ptr<Wish>> retired_;
};

}  // namespace

Result<std::unique_ptr<Keeper>> keeper_at_engine(boost::asio::io_context& loop,
                                                 const ClientOptions& options,
                                                 Keeper::Events& events) {
    std::string text;  // whoever splits a list of endpoints has split this one, too
    for (const std::string& piece : options.endpoints) {
        text.append(text.empty() ? "" : ",").append(piece);
    }
    auto place = engine::read_place(text);
    if (!place) return place.error();
    if (!options.user.empty()) place->user = options.user;
    if (!options.password.empty()) place->password = options.password;
    place->tls = {options.cacert, options.cert, options.key};
    auto engine = engine::open(loop, *place);
    if (!engine) return engine.error();
    return std::unique_ptr<Keeper>(
        std::make_unique<AtEngine>(loop, std::move(*engine), options.session, events));
}

Result<std::unique_ptr<Keeper>> open_keeper(boost::asio::io_context& loop,
                                            const ClientOptions& options, Keeper::Events& events) {
    if (options.endpoints.empty()) return Error{"no endpoint is given"};
    return engine::is_place(options.endpoints.front()) ? keeper_at_engine(loop, options, events)
                                                       : keeper_at_nodes(loop, options, events);
}

}  // namespace conclave
