// The stamped ring of src/ring/stamped.rs without an end (each slot is used once), for SLOTS items, with shared cursors:
// a claim is a compare-exchange, so the waiter's re-check is an RMW of the publishers' cursor (SETTLE); beside a slot that
// is claimed and not published it pays the heavy fence and looks again.
#include "gate.h"

static atomic_uint tail, head, stamps[SLOTS + 1];
static unsigned items[SLOTS];

static bool ready(void) {
    return ACQUIRE(stamps[LOAD(head)]);
}

enum found { READY, NOTHING, CLAIMED };

static enum found find(void) {
#ifdef NO_SETTLE
    unsigned limit = LOAD(tail);
#else
    unsigned limit = RMW(or, tail, 0, release);
#endif
    unsigned at = LOAD(head);
#ifndef NO_BETWEEN
    FULL(); // fence::full
#endif
    return ACQUIRE(stamps[at]) ? READY : at == limit ? NOTHING : CLAIMED;
}

static bool recheck(void) {
    enum found found = find();
    if (found == CLAIMED) {
        heavy();
#ifndef NO_RELOOK
        found = find();
#endif
    }
    return found == READY;
}

static unsigned claim(void) {
    unsigned at;
    do
        at = LOAD(tail);
    while (!CAS(tail, &at, at + 1, acquire));
    return at;
}

static void publish(unsigned at, int self) {
    items[at] = 1;
    RELEASE(stamps[at], 1);
    look(self);
}

// A taker looks too: the next slot may have been published while this one was at the head.
static bool try_take(int self) {
    for (;;) {
        unsigned at = LOAD(head);
        if (!ACQUIRE(stamps[at]))
            return false;
        if (CAS(head, &at, at + 1, acquire)) {
            assert(items[at] == 1);
#ifndef NO_TAKER_LOOK
            look(self);
#endif
            return true;
        }
    }
}
