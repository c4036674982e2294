import Carrier
import MediaSocket
import NodeRuntime
import Primitives
import Synchronization
import Testing

@Suite("a cable that is cut")
struct TrafficCutTests {
    private let peer = NodeID(words: (1, 0, 0, 0))
    private let other = NodeID(words: (2, 0, 0, 0))
    private let address = Endpoint(address: IPAddress(v4: 192, 0, 2, 1), port: 7400)
    private let otherAddress = Endpoint(address: IPAddress(v4: 192, 0, 2, 2), port: 7400)

    private func opened(_ carrier: UInt64, by peer: NodeID, dial: UInt64? = nil) -> CarrierEvent {
        .opened(CarrierID(number: carrier), peer: peer, dial: dial.map(DialID.init), remote: address)
    }

    private func frame(on carrier: UInt64) -> CarrierEvent { .frame(CarrierID(number: carrier), [1]) }
    private func closed(_ carrier: UInt64) -> CarrierEvent { .closed(CarrierID(number: carrier), .closed) }

    @Test("a cut stops the frames of an open stream, but not its end; after the cut they pass again")
    func openBefore() {
        let cut = TrafficCut()
        for event in [opened(1, by: peer), opened(2, by: other)] { #expect(cut.passed(event) != nil) }
        cut.sever(peer, at: address)
        #expect(cut.passed(frame(on: 1)) == nil)
        #expect(cut.passed(frame(on: 2)) != nil)
        cut.mend(peer)
        #expect(cut.passed(frame(on: 1)) != nil)
        cut.sever(peer, at: address)
        #expect(cut.passed(closed(1)) != nil)
    }

    @Test("the node never learns of a stream that opened during the cut, even when the cut has ended")
    func openDuring() {
        let cut = TrafficCut()
        cut.sever(peer, at: address)
        #expect(cut.passed(opened(1, by: peer)) == nil)
        cut.mend(peer)
        #expect(cut.passed(frame(on: 1)) == nil)
        #expect(cut.passed(closed(1)) == nil)
        #expect(cut.passed(opened(2, by: peer)) != nil)
    }

    @Test("a dial that opens a stream during the cut is reported as failed")
    func dialDuring() {
        let cut = TrafficCut()
        cut.sever(peer, at: nil)
        guard case .dialFailed(let dial, .timedOut)? = cut.passed(opened(1, by: peer, dial: 7)) else {
            Issue.record("the dial has no end")
            return
        }
        #expect(dial == DialID(number: 7))
    }

    @Test("a tunnel goes around the cable")
    func tunnel() {
        let cut = TrafficCut()
        cut.sever(peer, at: address)
        let tunnel = TunnelID(number: 1)
        #expect(cut.passed(.openedThrough(CarrierID(number: 1), peer: peer, tunnel)) != nil)
        #expect(cut.passed(frame(on: 1)) != nil)
    }

    @Test("dials to the cut address or NodeID fail and are not made; others are made")
    func dials() {
        let (cut, carriers) = (TrafficCut(), CarrierRecord())
        let ends = Mutex<[UInt64]>([])
        let subject = CutCarrier(carriers, cut: cut) { event in
            guard case .dialFailed(let dial, .unreachable) = event else { return }
            ends.withLock { $0.append(dial.number) }
        }
        cut.sever(peer, at: address)
        subject.dial(DialID(number: 1), address, expecting: nil)
        subject.dial(DialID(number: 2), otherAddress, expecting: peer)
        subject.dial(DialID(number: 3), otherAddress, expecting: other)
        subject.dialThrough(DialID(number: 4), TunnelID(number: 1), expecting: peer)
        #expect(ends.withLock { $0 } == [1, 2])
        #expect(carriers.orders == ["dial 3", "dialThrough 4"])
    }

    @Test("frames on a stream to the cut peer are lost; other streams and orders go on")
    func frames() {
        let (cut, carriers) = (TrafficCut(), CarrierRecord())
        let subject = CutCarrier(carriers, cut: cut) { _ in }
        for event in [opened(1, by: peer), opened(2, by: other)] { _ = cut.passed(event) }
        cut.sever(peer, at: address)
        for carrier in [1, 2].map(CarrierID.init) {
            subject.send([1], on: carrier)
            subject.sendVoice([1], on: carrier)
            subject.trust(carrier)
            subject.close(carrier)
        }
        #expect(carriers.orders == ["trust 1", "close 1", "send 2", "sendVoice 2", "trust 2", "close 2"])
    }

    @Test("only datagrams to the addresses of the cut peer are lost")
    func datagrams() {
        let (cut, media) = (TrafficCut(), MediaRecord())
        let subject = CutMedia(media, cut: cut)
        cut.sever(peer, at: address)
        for endpoint in [address, otherAddress] { subject.send([1], to: endpoint) }
        cut.mend(peer)
        subject.send([1], to: address)
        subject.flush()
        #expect(media.sent == [otherAddress, address])
        #expect(media.flushes == 1)
    }
}

/// Records the datagrams that it is asked to send.
private final class MediaRecord: MediaAdapter {
    var sent: [Endpoint] = []
    var flushes = 0
    let counters = Counters<MediaSocketCounter>()

    func send(_ bytes: [UInt8], to endpoint: Endpoint) { sent.append(endpoint) }
    func flush() { flushes += 1 }
}

/// Records the orders that it gets, with the number of the dial or carrier.
private final class CarrierRecord: CarrierAdapter {
    private let written = Mutex<[String]>([])
    var orders: [String] { written.withLock { $0 } }

    private func write(_ order: String, _ number: UInt64) { written.withLock { $0.append("\(order) \(number)") } }

    func dial(_ dial: DialID, _ endpoint: Endpoint, expecting peer: NodeID?) { write("dial", dial.number) }
    func dialThrough(_ dial: DialID, _ tunnel: TunnelID, expecting peer: NodeID) { write("dialThrough", dial.number) }
    func send(_ frame: [UInt8], on carrier: CarrierID) { write("send", carrier.number) }
    func sendVoice(_ frame: [UInt8], on carrier: CarrierID) { write("sendVoice", carrier.number) }
    func close(_ carrier: CarrierID) { write("close", carrier.number) }
    func admitFrame(_ carrier: CarrierID) { write("admitFrame", carrier.number) }
    func trust(_ carrier: CarrierID) { write("trust", carrier.number) }

    func setNetworks(_ networks: [LocalNetwork]) {}
    func cancelDial(_ dial: DialID) {}
    func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {}
    func tunnelBytes(_ tunnel: TunnelID, _ bytes: [UInt8]) {}
    func tunnelReady(_ tunnel: TunnelID) {}
    func closeTunnel(_ tunnel: TunnelID) {}
    func counters() async -> Counters<CarrierCounter> { Counters() }
}
