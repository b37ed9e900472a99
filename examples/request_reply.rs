//! Requests that carry the pipe for their reply, and clients that do not wait for ever.
//!
//! A client has one deadline for the whole call: first for a place in the queue, then for the reply. What can go
//! wrong arrives as one of two errors: nothing came in time, or the other side is gone. A server learns in the same
//! way that a client gave up: the reply's pipe has lost its receiver, and sending hands the answer back.
//!
//! The service squares numbers. One of them is slow: its answer is ready only once its client has gone. That costs
//! the client its deadline, but nobody else: the other server thread answers meanwhile.
//!
//! ```console
//! $ cargo run --release --example request_reply
//! ```

use hornpipe::mpmc::{self, Receiver, Sender};
use hornpipe::{RecvTimeoutError, SendTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

const SERVERS: usize = 2;
const CLIENTS: u64 = 8;
const CALLS: u64 = 500;
const SLOW: u64 = 1_234;

struct Request {
    number: u64,
    reply: Sender<u64>,
}

#[derive(Debug, PartialEq)]
enum CallError {
    /// No place in the queue or no reply before the deadline; the service may still do the work.
    TimedOut,
    /// The service has ended.
    Gone,
}

impl From<SendTimeoutError<Request>> for CallError {
    fn from(error: SendTimeoutError<Request>) -> Self {
        if error.is_timeout() { CallError::TimedOut } else { CallError::Gone }
    }
}

impl From<RecvTimeoutError> for CallError {
    fn from(error: RecvTimeoutError) -> Self {
        if error.is_timeout() { CallError::TimedOut } else { CallError::Gone }
    }
}

/// Asks the service and waits, for both together no longer than `patience`.
fn square(service: &Sender<Request>, number: u64, patience: Duration) -> Result<u64, CallError> {
    let deadline = Instant::now() + patience;
    // One reply, one slot: the server never waits for its client.
    let (reply, answer) = mpmc::bounded(1);
    service.send_deadline(Request { number, reply }, deadline)?;
    Ok(answer.recv_deadline(deadline)?)
}

/// Serves until the last client is gone. How many answers were given, and how many came too late.
fn serve(requests: &Receiver<Request>) -> (u64, u64) {
    let (mut given, mut late) = (0, 0);
    for Request { number, reply } in requests {
        while number == SLOW && !reply.is_disconnected() {
            thread::sleep(Duration::from_millis(1));
        }
        match reply.send(number * number) {
            Ok(()) => given += 1,
            Err(_) => late += 1,
        }
    }
    (given, late)
}

fn main() {
    let (service, requests) = mpmc::bounded(4);

    let servers: Vec<_> = (0..SERVERS)
        .map(|_| {
            let requests = requests.clone();
            thread::spawn(move || serve(&requests))
        })
        .collect();

    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let service = service.clone();
            thread::spawn(move || {
                let numbers = client * CALLS..(client + 1) * CALLS;
                for number in numbers.filter(|&number| number != SLOW) {
                    assert_eq!(square(&service, number, Duration::from_secs(30)), Ok(number * number));
                }
            })
        })
        .collect();

    let patience = Duration::from_millis(50);
    let begun = Instant::now();
    assert_eq!(square(&service, SLOW, patience), Err(CallError::TimedOut));
    let waited = begun.elapsed();
    assert!(waited >= patience, "gave up after {waited:?}");

    for client in clients {
        client.join().unwrap();
    }

    // The last client: now the servers drain the queue and end.
    drop(service);
    let served = servers.into_iter().map(|server| server.join().unwrap());
    let (given, late) = served.fold((0, 0), |(given, late), one| (given + one.0, late + one.1));
    println!("{given} calls answered; 1 given up after {waited:.1?}, its answer late {late} times");
    assert_eq!(given, CLIENTS * CALLS - 1);
    // Where the queue was full for all of its patience the slow request never came in.
    assert!(late <= 1);

    // And a service that has ended is told apart from a slow one.
    let (service, requests) = mpmc::bounded(4);
    drop(requests);
    assert_eq!(square(&service, 2, patience), Err(CallError::Gone));
}
