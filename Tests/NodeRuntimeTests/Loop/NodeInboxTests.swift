import NIOCore
import NIOPosix
import NodeRuntime
import Testing

@Suite("the inbox of the node loop")
struct NodeInboxTests {
    /// An owner that records its deliveries. Used on the loop only.
    private final class Owner: NodeInboxOwner, @unchecked Sendable {
        var isLeaving = false
        var heard: [Int] = []
    }

    private typealias Inbox = NodeInbox<Owner>

    /// Runs `body` on a loop of its own.
    private func onLoop<Result: Sendable>(_ body: @escaping @Sendable (Inbox, Owner) -> Result) async throws -> Result {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return try await loop.submit { body(Inbox(loop: loop), Owner()) }.get()
    }

    @Test("deliveries before `open` come in order when it is called, later ones at once")
    func early() async throws {
        let heard = try await onLoop { inbox, owner in
            for number in 0..<3 { inbox.deliver { $0.heard.append(number) } }
            let before = owner.heard
            inbox.open(owner)
            inbox.deliver { $0.heard.append(3) }
            return (before, owner.heard)
        }
        #expect(heard.0 == [] && heard.1 == [0, 1, 2, 3])
    }

    @Test("`deliverIfOpen` drops deliveries before `open`")
    func stale() async throws {
        let heard = try await onLoop { inbox, owner in
            inbox.deliverIfOpen { $0.heard.append(1) }
            inbox.open(owner)
            inbox.deliverIfOpen { $0.heard.append(2) }
            return owner.heard
        }
        #expect(heard == [2])
    }

    @Test("only the first deliveries are kept, up to the limit")
    func limit() async throws {
        let limit = NodeInboxLimits.earlyDeliveriesMax
        let heard = try await onLoop { inbox, owner in
            for number in 0..<(limit + 10) { inbox.deliver { $0.heard.append(number) } }
            inbox.open(owner)
            inbox.deliver { $0.heard.append(-1) }
            return owner.heard
        }
        #expect(heard == Array(0..<limit) + [-1])
    }

    @Test("hints before `open` are kept, and however many there are, they leave half of the places to other deliveries")
    func hints() async throws {
        let (limit, hintsMax) = (NodeInboxLimits.earlyDeliveriesMax, NodeInboxLimits.earlyHintsMax)
        let heard = try await onLoop { inbox, owner in
            for number in 0..<(2 * limit) { inbox.deliverHint { $0.heard.append(number) } }
            for number in 0..<limit { inbox.deliver { $0.heard.append(-1 - number) } }
            inbox.open(owner)
            inbox.deliverHint { $0.heard.append(limit) }
            return owner.heard
        }
        #expect(hintsMax == limit / 2)
        #expect(heard == Array(0..<hintsMax) + (0..<(limit - hintsMax)).map { -1 - $0 } + [limit])
    }

    @Test("a node that is leaving gets no more deliveries, and no kept ones either")
    func leaving() async throws {
        let heard = try await onLoop { inbox, owner in
            inbox.deliver { $0.heard.append(1) }
            inbox.deliver { $0.isLeaving = true }
            inbox.deliver { $0.heard.append(2) }
            inbox.open(owner)
            inbox.deliver { $0.heard.append(3) }
            inbox.deliverIfOpen { $0.heard.append(4) }
            return owner.heard
        }
        #expect(heard == [1])
    }

    @Test("it opens once: a second node gets no deliveries")
    func opensOnce() async throws {
        let heard = try await onLoop { inbox, owner in
            inbox.open(owner)
            let other = Owner()
            inbox.deliver { $0.heard.append(1) }
            inbox.open(other)
            inbox.deliver { $0.heard.append(2) }
            return (owner.heard, other.heard)
        }
        #expect(heard.0 == [1, 2] && heard.1 == [])
    }

    @Test("after `close` it delivers nothing and releases its owner")
    func closed() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (heard, isHeld) = try await loop.submit {
            let inbox = Inbox(loop: loop)
            var owner: Owner? = Owner()
            weak let held = owner
            if let owner { inbox.open(owner) }
            owner = nil
            inbox.deliver { $0.heard.append(1) }
            let heard = held?.heard
            inbox.close()
            inbox.deliver { $0.heard.append(2) }
            return (heard, held != nil)
        }.get()
        #expect(heard == [1])
        #expect(!isHeld)
    }

    @Test("deliveries from another thread arrive on the loop, in order")
    func elsewhere() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (inbox, owner) = (Inbox(loop: loop), Owner())
        for number in 0..<100 {
            inbox.deliver { owner in
                loop.preconditionInEventLoop()
                owner.heard.append(number)
            }
        }
        try await loop.submit { inbox.open(owner) }.get()
        for number in 100..<200 { inbox.deliver { $0.heard.append(number) } }
        #expect(try await loop.submit { owner.heard }.get() == Array(0..<200))
    }
}
