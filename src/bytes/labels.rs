//! The byte pipes' orderings.

use crate::sync::labels::labels;

labels! { "bytes";
    FAR_BYTES: Acquire, pairs "WROTE, READ_OUT",
        why "a byte is read after it was written, a place is written after its byte was read out",
        model "stream_1p1c";
    WROTE: Release, pairs "FAR_BYTES",
        why "the bytes are written before the writer's position says so",
        model "stream_1p1c";
    READ_OUT: Release, pairs "FAR_BYTES",
        why "the bytes are read out before the reader's position gives their places away",
        model "stream_1p1c";
    LAST_BYTES: Step, pairs "gate CLOSE",
        why "bytes written between the empty look and the last writer's end are read before the end of the stream",
        model "stream_close";
    TAKER_LEAVES: Step, pairs "gate SERVE",
        why "a reader that leaves bytes wakes the next of its fellows for them",
        model "shared_1p2c";
    LATE_HANDS_ON: Step, pairs "WOKEN",
        why "a reader whose time is up before it has the lock may have had a wake, and passes it on",
        model "shared_late_1p3c";
    PUBLISHED: Release, pairs "THERE",
        why "a piece is filled before the count says that it is there",
        model "pieces_1p1c";
    THERE: Acquire, pairs "PUBLISHED",
        why "a piece is filled before the count says that it is there",
        model "pieces_1p1c";
    APPEND: Release, pairs "FILLED",
        why "what joins a piece is written before its word says so",
        model "pieces_merge";
    FILLED: Acquire, pairs "APPEND",
        why "what joins a piece is written before its word says so",
        model "pieces_merge";
    FREED: Release, pairs "ROOM",
        why "a piece is read out before the count gives it away",
        model "pieces_1p1c";
    ROOM: Acquire, pairs "FREED",
        why "a piece is read out before it is filled again",
        model "pieces_1p1c";
    NEXT: Step, pairs "-",
        why "the first in line, when it leaves, calls the next",
        model "shared_2p1c, shared_late, shared_broken_2p";
    MEET: AcqRel, pairs "TAKE, LEAVE",
        why "a waiter sees what all holders of its peers' lock did, and whoever takes it next sees the announcement",
        model "shared_first";
}
