import Mesh
import Primitives
import Testing

@Suite("A view and its generation")
struct AdvertisedViewTests {
    private let start = Instant.zero + .seconds(1_000)

    @Test("a changed view gets the next generation; the same view is not sent twice in a session")
    func generations() {
        let view = SentView()
        #expect(view.generation == 0)
        #expect(view.send(0, now: start) && view.generation == 1)
        #expect(!view.send(0, now: start) && view.generation == 1)
        #expect(view.send(1, now: start) && view.send(0, now: start) && view.generation == 3)
        view.beginSession()
        #expect(view.send(0, now: start) && view.generation == 4)
    }

    @Test("a change waits while too many generations are not confirmed, and no longer once it is sent or taken back")
    func waiting() {
        let view = SentView(unconfirmedMax: 2)
        #expect(view.send(0, now: start) && view.send(1, now: start) && !view.isChangeWaiting)
        #expect(!view.send(2, now: start) && view.isChangeWaiting)
        #expect(!view.send(1, now: start) && !view.isChangeWaiting, "the change is taken back")
        #expect(!view.send(2, now: start) && view.isChangeWaiting)
        view.confirm(1)
        #expect(view.isChangeWaiting && view.send(2, now: start) && !view.isChangeWaiting)
        #expect(!view.send(3, now: start) && view.isChangeWaiting)
        view.beginSession()
        #expect(!view.isChangeWaiting)
    }

    @Test("after the highest generation comes 1, because 0 means that nothing is held")
    func wrapping() {
        let view = SentView()
        for number in 1...255 { #expect(view.send(number, now: start) && Int(view.generation) == number) }
        #expect(view.send(256, now: start) && view.generation == 1)
    }

    @Test("a view that is not held is sent again after a round trip and 250 ms, then at doubling intervals up to 4 s")
    func resending() {
        let view = SentView()
        #expect(view.resend(held: 9, rtt: nil, now: start) == nil, "nothing was sent")
        #expect(view.send(7, now: start))
        var sentAt = start
        for wait in [250, 500, 1_000, 2_000, 4_000, 4_000] as [Int64] {
            let due = sentAt + .milliseconds(30 + wait)
            #expect(view.resend(held: 0, rtt: .milliseconds(30), now: due) == nil)
            sentAt = due + .microseconds(1)
            #expect(view.resend(held: 0, rtt: .milliseconds(30), now: sentAt) == 7)
        }
        #expect(view.resend(held: 1, rtt: nil, now: sentAt + .seconds(60)) == nil, "it is held")
        #expect(view.generation == 1)
        #expect(view.send(8, now: sentAt))
        #expect(view.resend(held: 1, rtt: nil, now: sentAt + .milliseconds(251)) == 8, "a change begins anew")
    }

    @Test("a view in use is replaced by one of another generation; a view beyond the allowance is not held")
    func holding() {
        let view = ReceivingEnd(burst: 3, at: start)
        #expect(view.value == nil && view.generation == 0)
        for generation in 1...3 as ClosedRange<UInt8> {
            #expect(view.receive(Int(generation), generation: generation, isOfCandidate: false, now: start) == .changed)
        }
        #expect(view.receive(3, generation: 3, isOfCandidate: false, now: start) == .unchanged)
        #expect(view.receive(4, generation: 4, isOfCandidate: false, now: start) == .overRate)
        #expect(view.value == 3 && view.generation == 3)
        // The same view under another generation needs no allowance.
        #expect(view.receive(3, generation: 5, isOfCandidate: false, now: start) == .unchanged && view.generation == 5)
        let later = start + .milliseconds(500)
        #expect(view.receive(4, generation: 6, isOfCandidate: false, now: later) == .changed && view.value == 4)
    }

    @Test("a view that comes with the candidate is used when the candidate takes over, and not if it is given up")
    func candidate() {
        let view = ReceivingEnd(burst: 3, at: start)
        #expect(view.receive(1, generation: 8, isOfCandidate: false, now: start) == .changed)
        #expect(view.receive(2, generation: 9, isOfCandidate: true, now: start) == .unchanged)
        #expect(view.value == 1 && view.generation == 8 && view.candidateGeneration == 9)
        view.dropCandidate()
        #expect(view.candidateGeneration == 0)
        #expect(view.receive(3, generation: 2, isOfCandidate: true, now: start) == .unchanged)
        view.endSession()
        #expect(view.value == nil && view.generation == 0 && view.candidateGeneration == 2)
        view.beginSession(isSameBoot: false)
        #expect(view.value == 3 && view.generation == 2 && view.candidateGeneration == 0)
    }

    @Test(
        "without a view of the candidate, the view of the same boot stays in use, but none is held",
        arguments: [false, true])
    func takeover(isSameBoot: Bool) {
        let view = ReceivingEnd(burst: 3, at: start)
        #expect(view.receive(1, generation: 8, isOfCandidate: false, now: start) == .changed)
        view.beginSession(isSameBoot: isSameBoot)
        #expect(view.value == (isSameBoot ? 1 : nil) && view.generation == 0)
    }
}

/// A class, so that expectations can change it.
private final class SentView {
    private var view: AdvertisedView<Int, UInt8>
    init(unconfirmedMax: Int = .max) { view = AdvertisedView(unconfirmedMax: unconfirmedMax) }
    var generation: UInt8 { view.generation }
    var isChangeWaiting: Bool { view.isChangeWaiting }
    func confirm(_ held: UInt8) { view.confirm(held) }
    func send(_ value: Int, now: Instant) -> Bool { view.send(value, now: now) }
    func resend(held: UInt8, rtt: Interval?, now: Instant) -> Int? { view.resend(held: held, rtt: rtt, now: now) }
    func beginSession() { view.beginSession() }
}

/// A class, so that expectations can change it.
private final class ReceivingEnd {
    private var view: ReceivedView<Int, UInt8>
    init(burst: Int, at start: Instant) {
        view = ReceivedView(allowance: TokenBucket(burst: burst, interval: .milliseconds(500), now: start))
    }
    var value: Int? { view.value }
    var generation: UInt8 { view.generation }
    var candidateGeneration: UInt8 { view.candidateGeneration }
    func receive(
        _ value: Int, generation: UInt8, isOfCandidate: Bool, now: Instant
    ) -> ReceivedView<Int, UInt8>.Arrival {
        view.receive(value, generation: generation, isOfCandidate: isOfCandidate, now: now)
    }
    func beginSession(isSameBoot: Bool) { view.beginSession(isSameBoot: isSameBoot) }
    func dropCandidate() { view.dropCandidate() }
    func endSession() { view.endSession() }
}
