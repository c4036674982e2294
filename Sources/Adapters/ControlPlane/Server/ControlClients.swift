import NIOCore

/// The connected clients and the number of their open requests. Used on the server's event loop only.
///
///     serving ──drain──▶ draining ──last request answered · time over──▶ ended
struct ControlClients {
    private enum Phase {
        case serving
        case draining(EventLoopPromise<Void>)
        case ended
    }

    var listener: (channel: any Channel, inode: UInt64)?
    var connections: [ControlConnection] = []
    /// Requests in flight of all clients, including clients that have gone meanwhile.
    private var requestsInFlight = 0
    private var phase = Phase.serving

    var isServing: Bool {
        if case .serving = phase { true } else { false }
    }

    mutating func requestBegan() { requestsInFlight += 1 }

    /// - Returns: a promise to fulfil after the reply has been sent, and outside of any access to these clients.
    mutating func requestEnded() -> EventLoopPromise<Void>? {
        requestsInFlight -= 1
        return requestsInFlight == 0 ? endDraining() : nil
    }

    /// Accepts no further requests. `drained` is to be fulfilled when no request is in flight.
    ///
    /// - Returns: as `requestEnded`.
    mutating func drain(_ drained: EventLoopPromise<Void>) -> EventLoopPromise<Void>? {
        phase = .draining(drained)
        return requestsInFlight == 0 ? endDraining() : nil
    }

    /// - Returns: as `requestEnded`.
    mutating func endDraining() -> EventLoopPromise<Void>? {
        guard case .draining(let drained) = phase else { return nil }
        phase = .ended
        return drained
    }
}
