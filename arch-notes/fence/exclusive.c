// (B) One publisher, whose claim is a plain store of its position; one waiter, who pays the heavy fence before its last
// look. Two items through a ring without an end.
#define LIGHTS 1
#include "gate.h"

static atomic_uint tail, head;
static unsigned items[2];

static bool ready(void) {
    return ACQUIRE(tail) > LOAD(head);
}

static bool recheck(void) {
    heavy();
    return ready();
}

static void *publisher(void *_) {
    for (unsigned i = 0; i < 2; i++) {
        items[i] = i + 1;
        RELEASE(tail, i + 1);
        look(0);
    }
    return 0;
}

static void *waiter(void *_) {
    for (unsigned i = 0; i < 2; i++) {
        while (ACQUIRE(tail) == i)
            park();
        assert(items[i] == i + 1);
        RELEASE(head, i + 1);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, publisher, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
