import Carrier
import MediaSocket
import NIOCore
package import Primitives
import SystemClock

/// The simulated faults that the options put between the adapters and the node loop: a bad network for demonstrations
/// (`--simloss`, `--simdelay`, `--simjitter`), and cables that the laboratory can cut (`--simcut`).
///
///     MediaSocket ──datagrams──▶ cut ──▶ impairment ──▶ node loop ──▶ CutMedia ──▶ MediaSocket
///     CarrierService ──events──▶ cut ────────────────▶ node loop ──▶ CutCarrier ──▶ CarrierService
///
/// Each function returns its argument unchanged if the options ask for no fault.
struct NetworkImpairment: Sendable {
    /// Nil if no cable can be cut.
    let cut: TrafficCut?
    private let settings: ImpairmentSettings
    private let loop: any EventLoop

    init(_ options: RunOptions, loop: any EventLoop) {
        cut = options.isCuttable ? TrafficCut() : nil
        settings = options.impairment
        self.loop = loop
    }

    /// - Parameter tell: passes datagrams to the node, on its loop.
    func datagrams(_ tell: @escaping @Sendable (DatagramBatch) -> Void) -> @Sendable (DatagramBatch) -> Void {
        var tell = tell
        if !settings.isNothing {
            let arrivals = ImpairedArrivals(
                ArrivalImpairment(settings, seed: OSRandom.number()), loop: loop, tell: tell)
            tell = { arrivals.arrived($0) }
        }
        guard let cut else { return tell }
        return { [tell] batch in
            var batch = batch
            batch.datagrams.removeAll { cut.severs($0.from) }
            if !batch.datagrams.isEmpty { tell(batch) }
        }
    }

    /// - Parameter tell: passes an event to the node, on its loop.
    func events(_ tell: @escaping @Sendable (CarrierEvent) -> Void) -> @Sendable (CarrierEvent) -> Void {
        guard let cut else { return tell }
        return { event in
            if let passed = cut.passed(event) { tell(passed) }
        }
    }

    /// The adapter through which the node sends its datagrams.
    func media(_ socket: MediaSocket) -> any MediaAdapter {
        guard let cut else { return socket }
        return CutMedia(socket, cut: cut)
    }

    /// The adapter through which the node uses its carriers.
    ///
    /// - Parameter tell: passes an event to the node, on its loop.
    func carrier(
        _ service: CarrierService, _ tell: @escaping @Sendable (CarrierEvent) -> Void
    ) -> any CarrierAdapter {
        guard let cut else { return service }
        return CutCarrier(service, cut: cut) { [loop] event in loop.execute { tell(event) } }
    }
}

/// Loses or delays datagrams between the media socket and the node. Used on the node loop only.
private final class ImpairedArrivals: @unchecked Sendable {
    private var impairment: ArrivalImpairment
    private let loop: any EventLoop
    private let tell: @Sendable (DatagramBatch) -> Void

    init(_ impairment: ArrivalImpairment, loop: any EventLoop, tell: @escaping @Sendable (DatagramBatch) -> Void) {
        self.impairment = impairment
        self.loop = loop
        self.tell = tell
    }

    func arrived(_ batch: DatagramBatch) {
        var atOnce = DatagramBatch(arrivedAt: batch.arrivedAt, datagrams: [])
        for datagram in batch.datagrams {
            guard let at = impairment.passes(batch.arrivedAt) else { continue }
            if at <= batch.arrivedAt { atOnce.datagrams.append(datagram) } else { tell(datagram, at: at) }
        }
        if !atOnce.datagrams.isEmpty { tell(atOnce) }
    }

    private func tell(_ datagram: ReceivedDatagram, at instant: Instant) {
        let wait = max(.zero, instant - .monotonicNow())
        loop.scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [tell] in
            tell(DatagramBatch(arrivedAt: max(instant, .monotonicNow()), datagrams: [datagram]))
        }
    }
}

/// Simulates a bad network for demonstrations (`--simloss`, `--simdelay`, `--simjitter`): loses or delays media
/// datagrams between the socket and the node loop. TCP is not changed.
package struct ArrivalImpairment {
    private let settings: ImpairmentSettings
    private var random: SeededRandom
    /// The instant at which the previous datagram passes. As in a queue, no datagram overtakes another.
    private var latestAt = Instant.zero

    /// - Parameter seed: the seed of the random losses and delays.
    package init(_ settings: ImpairmentSettings, seed: UInt64) {
        self.settings = settings
        random = SeededRandom(seed: seed)
    }

    /// The instant at which the node gets a datagram that arrived at `arrival`; nil if it is lost.
    package mutating func passes(_ arrival: Instant) -> Instant? {
        guard !random.chance(permille: UInt64(settings.lossPermille)) else { return nil }
        let jitter = settings.jitter
        let swing = random.interval(in: .zero...jitter * 2) - jitter
        let at = max(latestAt, arrival + max(.zero, settings.delay + swing))
        latestAt = at
        return at
    }
}

/// The values of `--simloss`, `--simdelay` and `--simjitter`.
package struct ImpairmentSettings: Hashable, Sendable {
    /// The share of arriving media datagrams that is lost at random, in thousandths.
    package var lossPermille = 0
    /// The mean delay that is added to each datagram.
    package var delay = Interval.zero
    /// The delay of each datagram differs from the mean by at most this, at random.
    package var jitter = Interval.zero

    package init() {}

    package var isNothing: Bool { self == ImpairmentSettings() }
}

extension ImpairmentSettings: CustomStringConvertible {
    /// For people; empty if nothing is simulated.
    package var description: String {
        guard !isNothing else { return "" }
        let loss = lossPermille == 0 ? [] : ["\(lossPermille / 10).\(lossPermille % 10) % loss"]
        let delay = delay == .zero ? [] : ["\(delay.milliseconds) ms delay"]
        let jitter = jitter == .zero ? [] : ["\(jitter.milliseconds) ms jitter"]
        return "simulated on what arrives: " + (loss + delay + jitter).joined(separator: ", ")
    }
}
