// (D) Turning SYM on and off while threads run. A waiter announces itself; if SETTLED was set in the value that its RMW
// returned, a full fence is enough. Else it pays the heavy fence and turns SYM on: SYM; heavy; SETTLED, by whoever set
// SYM. Off: one compare-exchange clears both, of a word that has both.
// One item; WAITERS for it; SWITCHERS that turn SYM on (waiters whose announcements have come and gone, which leaves more
// to go wrong than if they were still there and looked); BACKS that turn it off.
#ifndef WAITERS
#define WAITERS 1
#endif
#ifndef SWITCHERS
#define SWITCHERS 1
#endif
#ifndef BACKS
#define BACKS 1
#endif
#define THREADS (1 + WAITERS + SWITCHERS + BACKS)
#define LIGHTS 1
#include "gate.h"

static atomic_uint stamp;
static bool asleep[1 + WAITERS];

static bool ready(void) {
    return ACQUIRE(stamp);
}

static void *publisher(void *_) {
    RELEASE(stamp, 1);
    look(0);
    return 0;
}

#ifdef TRUST_SYM
#define ENOUGH SYM
#else
#define ENOUGH SETTLED
#endif

// The fence of a waiter's last look; `bits` are what its announcement returned.
static void order(unsigned bits) {
    if (bits & ENOUGH) {
#ifndef NO_WAITER_FENCE
        FULL();
#endif
        return;
    }
    bool mine = !(RMW(or, word, SYM, relaxed) & SYM);
    heavy();
#ifdef ANYBODY_SETTLES
    mine = true;
#endif
    if (mine)
#ifdef SETTLED_RELAXED
        RMW(or, word, SETTLED, relaxed);
#else
        RMW(or, word, SETTLED, release);
#endif
}

static void *waiter(void *self) {
#ifdef LOAD_BEFORE
    unsigned bits = LOAD(word);
    RMW(add, word, SLEEPER, relaxed);
#else
    unsigned bits = RMW(add, word, SLEEPER, relaxed);
#endif
#ifdef LOAD_AFTER
    bits = LOAD(word);
#endif
    order(bits);
    asleep[(long)self] = !ready();
    return 0;
}

static void *switcher(void *_) {
    order(LOAD(word));
    return 0;
}

static void *back(void *_) {
#ifdef BLIND_BACK
    RMW(and, word, ~(SYM | SETTLED), relaxed);
#else
    unsigned now = LOAD(word);
    if (now & SETTLED)
        CAS(word, &now, now & ~(SYM | SETTLED), relaxed);
#endif
    return 0;
}

static void *part(void *self) {
    long me = (long)self;
    return (me == 0 ? publisher : me <= WAITERS ? waiter : me <= WAITERS + SWITCHERS ? switcher : back)(self);
}

int main(void) {
    pthread_t threads[THREADS];
    int sleeping = 0;
    for (long self = 0; self < THREADS; self++)
        pthread_create(&threads[self], 0, part, (void *)self);
    for (int self = 0; self < THREADS; self++)
        pthread_join(threads[self], 0);
    for (int self = 1; self <= WAITERS; self++)
        sleeping += asleep[self];
    assert(sleeping < WAITERS || GRANTED(LOAD(word)) > 0); // asleep beside work, and nobody will be woken
}
