// catalog/words.h -- what elections, detectors and mutual exclusions are asked and tell, whichever
// they are: the words a node shares with all of them.
#pragma once
#include "detect/detection.h"
#include "elect/definition.h"
#include "elect/election.h"
#include "elect/quorum_types.h"
#include "mutex/mutex.h"
