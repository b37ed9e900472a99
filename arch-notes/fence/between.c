// Does a waiter need a fence between its two looks (`fence::full`: the head, then that slot's stamp)?
// Slot 0 is claimed. One thread publishes it, a passer-by takes it if it is there, a second publisher claims and publishes
// slot 1, and a waiter waits for what is left: it may see the passer-by's claim before the second publisher does.
#define SLOTS 2
#define THREADS 4
#define LIGHTS THREADS
#include "ring.h"

static void *first(void *_) {
    publish(0, 0);
    return 0;
}

static void *passer_by(void *_) {
    try_take(1);
    return 0;
}

static void *second(void *_) {
    publish(claim(), 2);
    return 0;
}

static void *waiter(void *_) {
    do
        park();
    while (!try_take(3));
    return 0;
}

int main(void) {
    void *(*parts[THREADS])(void *) = {first, passer_by, second, waiter};
    pthread_t threads[THREADS];
    atomic_init(&tail, 1);
    for (int self = 0; self < THREADS; self++)
        pthread_create(&threads[self], 0, parts[self], 0);
    for (int self = 0; self < THREADS; self++)
        pthread_join(threads[self], 0);
}
