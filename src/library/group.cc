// library/group.cc -- Group, Mandate and Candidacy.
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "conclave/conclave.hpp"
#include "library/candidate.h"
#include "library/core.h"
#include "library/place.h"

namespace conclave {

namespace {

Leadership view(node::Node& node, const node::Leadership& known, const std::string& group,
                std::optional<NodeId> leader) {
    Leadership seen;
    seen.group = group;
    if (leader) seen.leader = node.name_of(*leader);
    seen.epoch = known.epoch.value;
    seen.mine = leader == node.config().node.id;
    return seen;
}

}  // namespace

// --- Mandate. -----------------------------------------------------------------------------------

Mandate::Mandate(std::shared_ptr<Candidate> candidate, std::shared_ptr<Lease> lease)
    : candidate_(std::move(candidate)), lease_(std::move(lease)) {}
Mandate::Mandate(Mandate&&) noexcept = default;
Mandate& Mandate::operator=(Mandate&& other) noexcept {
    if (this == &other) return *this;
    resign();
    candidate_ = std::move(other.candidate_);
    lease_ = std::move(other.lease_);
    return *this;
}
Mandate::~Mandate() { resign(); }

bool Mandate::held() const noexcept { return lease_ && lease_->held(); }
std::chrono::nanoseconds Mandate::remaining() const noexcept {
    return lease_ ? lease_->remaining() : std::chrono::nanoseconds(0);
}
std::uint64_t Mandate::epoch() const noexcept { return lease_ ? lease_->epoch : 0; }
std::stop_token Mandate::lost() const noexcept {
    return lease_ ? lease_->stop.get_token() : std::stop_token();
}
void Mandate::resign() noexcept {
    const auto candidate = std::exchange(candidate_, nullptr);
    if (!candidate) return;
    if (lease_) lease_->until = 0;
    candidate->core().post([candidate] { candidate->end(); });
}

// --- Candidacy. ---------------------------------------------------------------------------------

class Candidacy::Office : public std::enable_shared_from_this<Office> {
public:
    Office(std::shared_ptr<Group::Place> place, Duties duties)
        : place_(std::move(place)), duties_(std::move(duties)) {}

    void stand() {
        const std::lock_guard guard(mutex_);
        if (closed_) return;
        auto plan = place_->plan();
        plan.elected = [self = weak_from_this()](const auto& lease) {
            if (const auto office = self.lock(); office && lease) office->elected(lease);
        };
        plan.lost = [self = weak_from_this()] {
            if (const auto office = self.lock()) office->lost();
        };
        candidate_ = std::make_shared<Mandate::Candidate>(place_->core, std::move(plan));
        place_->core->post([candidate = candidate_] { candidate->start(); });
    }
    // What is told on the loop comes to the dispatcher in the same order: when our own word is
    // there, so were `started` and `stopped`.
    void close() {
        std::unique_lock guard(mutex_);
        closed_ = true;
        Node::Core& core = *place_->core;
        const auto last_word = [self = shared_from_this()] {
            self->place_->core->dispatcher().run([self] { self->finish(); });
        };
        const bool posted = core.post([candidate = candidate_, last_word] {
            candidate->retire();
            last_word();
        });
        if (!posted) last_word();
        if (core.dispatcher().on_its_thread()) return;
        changed_.wait_for(guard, std::chrono::seconds(1), [this] { return finished_; });
    }

private:
    void elected(const std::shared_ptr<Mandate::Lease>& lease) {
        place_->core->dispatcher().run([self = shared_from_this(), lease] {
            self->mandate_.emplace(Mandate(self->candidate_, lease));
            if (self->duties_.started) self->duties_.started(*self->mandate_);
        });
    }
    void lost() {
        place_->core->dispatcher().run([self = shared_from_this()] {
            const struct Next {  // even if the application throws
                Office& office;
                ~Next() {
                    office.mandate_.reset();
                    office.stand();
                }
            } next{*self};
            if (self->duties_.stopped) self->duties_.stopped();
        });
    }
    void finish() {
        const std::lock_guard guard(mutex_);
        finished_ = true;
        changed_.notify_all();
    }

    const std::shared_ptr<Group::Place> place_;
    const Duties duties_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool closed_ = false, finished_ = false;
    std::shared_ptr<Mandate::Candidate> candidate_;
    std::optional<Mandate> mandate_;  // on the dispatcher
};

Candidacy::Candidacy(std::shared_ptr<Office> office) : office_(std::move(office)) {}
Candidacy::Candidacy(Candidacy&&) noexcept = default;
Candidacy& Candidacy::operator=(Candidacy&& other) noexcept {
    if (this == &other) return *this;
    if (office_) office_->close();
    office_ = std::move(other.office_);
    return *this;
}
Candidacy::~Candidacy() {
    if (office_) office_->close();
}

// --- Group. -------------------------------------------------------------------------------------

Mandate::Candidate::Plan Group::Place::plan() const {
    Mandate::Candidate::Plan plan;
    plan.group = name;
    plan.margin = margin;
    plan.priority = priority;
    return plan;
}

void Group::Place::expect_a_lease() const {
    const auto refused = core->ask([this](node::Node& node) {
        const node::HostedGroup* group = node.group(name);
        return group ? node.no_campaign(*group) : std::optional<std::string>();
    });
    if (refused && *refused) throw std::invalid_argument("group '" + name + "': " + **refused);
}

Group::Group(std::shared_ptr<Place> place) : place_(std::move(place)) {}

const std::string& Group::name() const { return place_->name; }

Leadership Group::leadership() const {
    const auto seen = place_->core->ask([this](node::Node& node) {
        node::HostedGroup& group = *node.group(name());
        return view(node, group.leadership(), name(), group.leader());
    });
    return seen.value_or(Leadership{.group = name()});
}

Watch Group::on_change(std::function<void(const Leadership&)> callback) {
    const auto ear = std::make_shared<Watch::Ear>(place_->core);
    const auto hear = [weak = std::weak_ptr(ear), callback](const Leadership& seen) {
        if (const auto kept = weak.lock()) kept->call([callback, seen] { callback(seen); });
    };
    const auto listening = place_->core->ask([hear, group = name()](node::Node& node) {
        node::HostedGroup& hosted = *node.group(group);
        hear(view(node, hosted.leadership(), group, hosted.leader()));
        return node.listen([hear, group, &node](std::uint64_t, const node::Change& change) {
            if (change.group != group) return;
            Leadership seen = view(node, change.now, group, change.now.leader);
            seen.cause = change.cause.reason;
            hear(seen);
        });
    });
    if (listening) ear->keep(*listening);
    return Watch(ear);
}

Mandate Group::campaign(std::stop_token stop) { return stand(std::nullopt, stop); }
Mandate Group::campaign_for(std::chrono::nanoseconds wait) { return stand(wait, {}); }

Mandate Group::stand(std::optional<std::chrono::nanoseconds> limit, const std::stop_token& stop) {
    struct Waiting {
        std::mutex mutex;
        std::condition_variable_any changed;
        bool over = false;
        std::shared_ptr<Mandate::Lease> lease;
    };
    place_->expect_a_lease();
    const auto waiting = std::make_shared<Waiting>();
    auto plan = place_->plan();
    plan.elected = [waiting](const auto& lease) {
        const std::lock_guard guard(waiting->mutex);
        waiting->over = true;
        waiting->lease = lease;
        waiting->changed.notify_all();
    };
    plan.lost = [] {};
    auto candidate = std::make_shared<Mandate::Candidate>(place_->core, std::move(plan));
    // Whoever comes too late is told nothing: it must not wait.
    if (!place_->core->post([candidate] { candidate->start(); })) return Mandate(nullptr, nullptr);
    std::unique_lock guard(waiting->mutex);
    const auto over = [&] { return waiting->over; };
    if (limit) {
        waiting->changed.wait_for(guard, stop, *limit, over);
    } else {
        waiting->changed.wait(guard, stop, over);
    }
    return Mandate(std::move(candidate), waiting->lease);
}

Candidacy Group::campaign(Duties duties) {
    place_->expect_a_lease();
    auto office = std::make_shared<Candidacy::Office>(place_, std::move(duties));
    office->stand();
    return Candidacy(std::move(office));
}

}  // namespace conclave
