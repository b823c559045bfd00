// worker FOLDER -- a cluster of one node, inside of the application, that works while it leads.
#include <conclave/conclave.hpp>
#include <cstdio>
#include <string>

int main(int, char** arguments) {
    const std::string folder = arguments[1];
    auto node = conclave::Node::start(
        {.text = R"(
            [cluster]
            name = "example"
            [node]
            id = 1
            name = "n1"
            [groups.work]
            lease = "500ms"
        )",
         .settings = {"node.state_dir=" + folder + "/state",
                      "api.listen=unix:" + folder + "/api.sock", "peer.listen=127.0.0.1:0"}});
    auto group = node.join("work");
    conclave::Mandate mandate = group.campaign();
    for (int piece = 1; piece <= 3 && mandate.held(); ++piece) {
        std::printf("piece %d in epoch %lu\n", piece, mandate.epoch());
    }
}
