//! The rings: where items are. They know cursors, slots and stamps; nothing of waiting.

pub(crate) mod cursor;
pub(crate) mod labels;
pub(crate) mod position;
pub(crate) mod slot;
pub(crate) mod stamped;
