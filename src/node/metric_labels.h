// node/metric_labels.h -- the node in the words of its metrics.
#pragma once
#include "node/config.h"
#include "node/journal.h"
#include "node/metrics.h"

namespace conclave::node {

class Guests;
class Node;

MetricLabels metric_labels(const Config& config);
LeaderChange reason(const Cause& cause, bool first);
Snapshot snapshot(Node& node, const Guests& guests);

}  // namespace conclave::node
