//! The topologies as modules: their ends by short names, and [`bounded`](mpmc::bounded).

/// Declares a topology's module.
macro_rules! topology {
    ($(#[$doc:meta])* $module:ident: $topology:ident, $tx:literal, $rx:literal, $example:literal) => {
        $(#[$doc])*
        pub mod $module {
            use crate::builder::Builder;

            #[doc = $tx]
            pub type Sender<T> = crate::Sender<T, crate::$topology>;
            #[doc = $rx]
            pub type Receiver<T> = crate::Receiver<T, crate::$topology>;

            /// A pipe that holds exactly `capacity` items, with every setting's default.
            ///
            /// # Panics
            /// Where [`Builder::build`] returns an error, with its sentence: capacity 0, or too large to be had.
            ///
            /// # Progress
            /// As [`Builder::build`]: waits for no peer, but allocates.
            ///
            /// ```
            #[doc = $example]
            /// tx.send(1).unwrap();
            /// assert_eq!(rx.recv(), Ok(1));
            /// ```
            #[track_caller]
            pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
                match Builder::new(capacity).build() {
                    Ok(ends) => ends,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    };
}

topology! {
    /// One sender, one receiver: no locked instruction an item.
    ///
    /// Neither end can be cloned, or used by two threads at once:
    ///
    /// ```compile_fail,E0599
    /// let (tx, rx) = hornpipe::spsc::bounded::<u8>(1);
    /// let tx2 = tx.clone();
    /// ```
    /// ```compile_fail,E0599
    /// let (tx, rx) = hornpipe::spsc::bounded::<u8>(1);
    /// let rx2 = rx.clone();
    /// ```
    /// ```compile_fail,E0277
    /// let (tx, rx) = hornpipe::spsc::bounded::<u8>(1);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| tx.send(1)); // `Sender<u8, Spsc>` is not Sync
    /// });
    /// ```
    /// ```compile_fail,E0277
    /// let (tx, rx) = hornpipe::spsc::bounded::<u8>(1);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| rx.recv()); // `Receiver<u8, Spsc>` is not Sync
    /// });
    /// ```
    /// They can be sent to a thread each:
    ///
    /// ```
    /// let (tx, rx) = hornpipe::spsc::bounded(1);
    /// let sender = std::thread::spawn(move || (0..10).for_each(|n| tx.send(n).unwrap()));
    /// assert_eq!(rx.iter().sum::<i32>(), 45);
    /// sender.join().unwrap();
    /// ```
    spsc: Spsc,
    "The sending end: the only one.", "The receiving end: the only one.",
    "let (tx, rx) = hornpipe::spsc::bounded(2);"
}

topology! {
    /// Many senders, one receiver.
    ///
    /// The receiver can neither be cloned nor used by two threads at once:
    ///
    /// ```compile_fail,E0599
    /// let (tx, rx) = hornpipe::mpsc::bounded::<u8>(1);
    /// let rx2 = rx.clone();
    /// ```
    /// ```compile_fail,E0277
    /// let (tx, rx) = hornpipe::mpsc::bounded::<u8>(1);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| rx.recv()); // `Receiver<u8, Mpsc>` is not Sync
    /// });
    /// ```
    mpsc: Mpsc,
    "The sending end: clone it, share it.", "The receiving end: the only one.",
    "let (tx, rx) = hornpipe::mpsc::bounded(2);"
}

topology! {
    /// One sender, many receivers.
    ///
    /// The sender can neither be cloned nor used by two threads at once:
    ///
    /// ```compile_fail,E0599
    /// let (tx, rx) = hornpipe::spmc::bounded::<u8>(1);
    /// let tx2 = tx.clone();
    /// ```
    /// ```compile_fail,E0277
    /// let (tx, rx) = hornpipe::spmc::bounded::<u8>(1);
    /// std::thread::scope(|scope| {
    ///     scope.spawn(|| tx.send(1)); // `Sender<u8, Spmc>` is not Sync
    /// });
    /// ```
    spmc: Spmc,
    "The sending end: the only one.", "The receiving end: clone it, share it.",
    "let (tx, rx) = hornpipe::spmc::bounded(2);"
}

topology! {
    /// Many senders, many receivers.
    mpmc: Mpmc,
    "The sending end: clone it, share it.", "The receiving end: clone it, share it.",
    "let (tx, rx) = hornpipe::mpmc::bounded(2);"
}
