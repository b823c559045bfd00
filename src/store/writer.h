// store/writer.h -- the store on a thread of its own, so that a slow disk never holds up the loop.
//
// The thread takes all that has queued, commits it in one transaction, and hands the completions of
// that batch to `post`, which must only queue them for the loop and return (asio::post does). While
// one batch is being synced the next one gathers: the busier the disk, the more Saves share a sync.
//
// A commit that failed is final. `failed` is told once, and no Save of that batch or after it is
// ever acknowledged: what the disk holds is not known any more, so no machine may act on it.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/result.h"
#include "store/store.h"

namespace conclave {

class Writer {
public:
    using Task = std::function<void()>;
    struct Hooks {
        std::function<void(Task)> post;     // called on the writer's thread
        std::function<void(Error)> failed;  // posted, like every completion
        Duration patience = std::chrono::seconds(5);
        // How long an entry of the history waits for a Save to share a sync with. The end of a
        // leadership is told in the moment in which the next vote is asked for, and a sync for the
        // entry alone, of every node at once, would hold up the vote.
        Duration linger = std::chrono::milliseconds(20);
    };
    template <class T> using Answer = std::function<void(Result<T>)>;

    Writer(Store store, Hooks hooks);
    // Writes what is queued, closes the store and gives its directory back; then `post` is not
    // called any more. A disk that hangs for longer than `patience` is left to itself, with its
    // thread.
    ~Writer();

    // From the loop's thread; none of them waits for the disk.
    void save(Pending record, Task done);
    void append(HistoryEntry entry);  // dropped if thousands wait already: history is for people
    void meet(NodeId peer, PeerShown shown, Answer<PeerKnown> answer);
    void forget(NodeId peer, std::function<void(std::optional<Error>)> answer);
    void history(HistoryQuery query, Answer<std::vector<HistoryEntry>> answer);

private:
    class Desk;  // shared with the thread, which may have to be left behind
    std::shared_ptr<Desk> desk_;
    std::thread thread_;
};

}  // namespace conclave
