//! The rings' orderings.

use crate::sync::labels::labels;

labels! { "ring";
    CLAIM: Acquire, pairs "SETTLE",
        why "a claim after a waiter's SETTLE sees its announcement when it looks at the gate",
        model "gate_first";
    SETTLE: Release, pairs "CLAIM",
        why "the waiter's announcement is seen by whoever claims after this place in the cursor's order",
        model "gate_first";
    READ_STAMP: Acquire, pairs "PUBLISH, RELEASE",
        why "the item is read after it was written, the slot is written after the item was read out",
        model "ring_1p1c";
    PUBLISH: Release, pairs "READ_STAMP",
        why "the item is written before its stamp says so",
        model "ring_1p1c";
    RELEASE: Release, pairs "READ_STAMP",
        why "the item is read out before the slot is given to the next lap",
        model "ring_1p1c, ring_1p1c_cap1";
    SEE: Acquire, pairs "ADVANCE_TAIL, ADVANCE_HEAD",
        why "an item is read after it was written, a place is written after its item was read out",
        model "indexed_1p1c";
    ADVANCE_TAIL: Release, pairs "SEE",
        why "the item is written before the senders' position says so",
        model "indexed_1p1c";
    ADVANCE_HEAD: Release, pairs "SEE",
        why "the item is read out before the receivers' position gives its place away",
        model "indexed_1p1c, indexed_1p1c_cap1";
}
