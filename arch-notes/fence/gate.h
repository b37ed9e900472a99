// The gate of src/gate.rs and the fences of src/fence.rs in C11, for model checkers. A futex wait is a loop on the
// epoch; a wake stirs all who sleep there (they look at their grants and sleep on, as in the library).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SYM = 1, SETTLED = 2, SLEEPER = 1 << 8, GRANT = 1 << 16, COUNT = 255, CALLS = COUNT * SLEEPER | SYM };
#define SLEEPERS(word) ((word) / SLEEPER & COUNT)
#define GRANTED(word) ((word) / GRANT & COUNT)

#define LOAD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define RMW(op, at, value, order) atomic_fetch_##op##_explicit(&(at), value, memory_order_##order)
#define CAS(at, seen, next, order)                                                                                     \
    atomic_compare_exchange_strong_explicit(&(at), seen, next, memory_order_##order, memory_order_relaxed)
#define FULL() atomic_thread_fence(memory_order_seq_cst)

#ifdef BORN_SYM
#define START SYM
#else
#define START 0
#endif
static atomic_uint word = START, epoch;

// The process-wide barrier: a word a thread, RMW'd by that thread's light fences and by everybody's heavy ones. So of a
// light and a heavy one, one comes first and the other sees all before it; two light ones never meet. LIGHTS: how many
// threads have light fences, they are the first ones.
static atomic_uint lights[LIGHTS];

static void light(int self) {
#if !defined NO_LIGHT && !defined BORN_SYM
    RMW(add, lights[self], 1, acq_rel);
#endif
}

static void heavy(void) {
#ifndef NO_WAITER_FENCE
    FULL();
#endif
#if !defined NO_HEAVY && !defined BORN_SYM
    for (int thread = 0; thread < LIGHTS; thread++)
        RMW(add, lights[thread], 1, acq_rel);
    FULL();
#endif
}

// Each ring's own: whether the slot at the sleepers' cursor is ready; a sleeper's re-check, which fences.
static bool ready(void);
__attribute__((unused)) static bool recheck(void);

// Of the waker, after its fence. Policy Chain.
static void serve(void) {
    for (;;) {
        unsigned now = LOAD(word);
        if (SLEEPERS(now) == 0 || GRANTED(now) > 0 || !ready())
            return;
        if (CAS(word, &now, now - SLEEPER + GRANT, relaxed)) {
            RMW(add, epoch, 1, release);
            return;
        }
    }
}

// The publisher's end of a call: one plain load while nobody sleeps.
static void look(int self) {
    light(self);
    if (LOAD(word) & CALLS) {
#ifndef NO_SERVE
        FULL();
#endif
        serve();
    }
}

static void leave(void) {
    unsigned now;
    do
        now = LOAD(word);
    while (!CAS(word, &now, now - (GRANTED(now) > 0 ? GRANT : SLEEPER), relaxed));
    FULL();
}

static void sleep_until_granted(void) {
    // Counted, or the checker takes a whole turn for one more turn of the inner loop.
    for (int turn = 0; turn < 16; turn++) {
        unsigned seen = ACQUIRE(epoch);
        if (GRANTED(LOAD(word)) > 0 || recheck())
            return;
        while (ACQUIRE(epoch) == seen)
            ;
    }
    assert(false);
}

static void park(void) {
    RMW(add, word, SLEEPER, relaxed);
    sleep_until_granted();
    leave();
}
