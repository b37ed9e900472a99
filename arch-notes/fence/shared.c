// (A) Shared cursors: PUBLISHERS send an item each to one receiver.
#ifndef PUBLISHERS
#define PUBLISHERS 1
#endif
#define SLOTS PUBLISHERS
#define THREADS (PUBLISHERS + 1)
#define LIGHTS THREADS
#include "ring.h"

static void *publisher(void *self) {
    publish(claim(), (long)self);
    return 0;
}

static void *receiver(void *_) {
    for (int taken = 0; taken < PUBLISHERS; taken++)
        while (!try_take(PUBLISHERS))
            park();
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long self = 0; self < THREADS; self++)
        pthread_create(&threads[self], 0, self < PUBLISHERS ? publisher : receiver, (void *)self);
    for (int self = 0; self < THREADS; self++)
        pthread_join(threads[self], 0);
}
