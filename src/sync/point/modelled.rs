//! Models' own stall points: a thread may be held at one, once.

use super::Point;
use core::cell::RefCell;
use std::boxed::Box;

type Hook = Box<dyn FnOnce()>;

loom::thread_local! {
    static HOOK: RefCell<Option<(Point, Hook)>> = RefCell::new(None);
}

/// Runs `hook` when the calling thread passes `point` the next time. A model that asks for nothing pays nothing.
pub fn at_next(point: Point, hook: impl FnOnce() + 'static) {
    HOOK.with(|next| *next.borrow_mut() = Some((point, Box::new(hook))));
}

pub(crate) fn at(point: Point) {
    let due = HOOK.with(|next| next.borrow_mut().take_if(|(at, _)| *at == point));
    if let Some((_, hook)) = due {
        hook();
    }
}
