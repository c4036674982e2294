import Channels
import NIOCore
import Primitives
import SystemClock
import Wire

/// One attack that needs TLS, from its first connection to its end.
///
/// Touched on its loop alone.
final class Assault: @unchecked Sendable {
    /// Datagrams of voice in one burst: what a node allows at once.
    private static let burst = 1_000
    private static let burstInterval = Interval.seconds(1)
    /// 900 datagrams a second.
    private static let framesAtOnce = 18
    private static let frameInterval = Interval.milliseconds(20)
    /// The victim listens to one channel, which has the place 0.
    private static let unusedPlace = 3
    /// TOC of 20 ms CELT, mono, one frame (RFC 6716 §3.1); what follows decodes to silence, or to noise.
    private static let silence: [UInt8] = [0xF8, 0xFF, 0xFE]
    private static let noise: [UInt8] = [0xF8] + (0..<60).map { UInt8(truncatingIfNeeded: 37 &* $0 &+ 11) }

    let kind: AttackKind
    private let options: AttackOptions
    private let loop: any EventLoop
    private(set) var members: [Member] = []
    private var strangers: [RawCarrier] = []
    private var identities: [MemberIdentity] = []
    private var doneBytes = 0
    private var openedCount = 0
    private var startedCount = 0
    private var beganAt: Instant?
    private var spokenAt: [Instant] = []
    private var leaving: [RawCarrier] = []
    private var waves = 0

    init(_ kind: AttackKind, _ options: AttackOptions, on loop: any EventLoop) throws {
        (self.kind, self.options, self.loop) = (kind, options, loop)
        if kind.needsLink { try makeMembers() }
    }

    private func makeMembers() throws {
        waves += 1
        guard let channel = ChannelName(kind == .wrongChannel ? "elsewhere" : "main") else { return }
        members = try (1...options.members).map { number in
            try Member(
                named: "hostile\(waves)-\(number)", of: options.mesh, on: channel, to: options.victim, loop: loop)
        }
    }

    var linkedCount: Int { members.count { $0.slot != nil && $0.linkCarrier != nil } }

    /// What was sent, for the one who judges what a node did not take.
    var report: AttackReport {
        let open = strangers + leaving + members.compactMap(\.linkCarrier)
        return AttackReport(
            bytes: doneBytes + open.map(\.sentBytes).reduce(0, +), connections: openedCount,
            links: members.map(\.linkCount).reduce(0, +))
    }

    /// Honest work, without which no link lasts.
    func tick() {
        for member in members { member.tick() }
        if beganAt != nil { attack() }
    }

    func begin() {
        beganAt = .monotonicNow()
        spokenAt = members.indices.map { place in
            .monotonicNow() - Self.burstInterval + Self.burstInterval * Int64(place) / Int64(members.count)
        }
    }

    private func attack() {
        switch kind {
        case .unknownKind: pour(FloodFrames.unknownKind)
        case .channels: pour(FloodFrames.channels)
        case .gossip: pour(FloodFrames.gossip)
        case .voiceBurst: speak(Self.burst, every: Self.burstInterval, Self.silence)
        case .wrongChannel: speak(Self.framesAtOnce, every: Self.frameInterval, Self.noise, place: Self.unusedPlace)
        case .leaving: leave()
        case .unknownKindUnlinked:
            while strangers.count < options.connections { connect() }
            for carrier in strangers { carrier.pour(FloodFrames.unknownKind) }
        case .recordsBomb: bomb()
        case .connectClose, .helloFin, .beacons, .busy: break
        }
    }

    private func pour(_ chunk: ByteBuffer) {
        for member in members { member.linkCarrier?.pour(chunk) }
    }

    private func speak(_ count: Int, every interval: Interval, _ sound: [UInt8], place channel: Int = 0) {
        let now = Instant.monotonicNow()
        for (place, member) in members.enumerated() where spokenAt[place] + interval <= now {
            let isStart = spokenAt[place] + Interval.seconds(5) <= now
            spokenAt[place] = max(spokenAt[place] + interval, now - interval)
            member.speak(count, sound: sound, isStart: isStart, place: channel)
        }
    }

    /// All connections within the time, each with all that a node takes of one.
    private func bomb() {
        guard let beganAt else { return }
        let share = (Instant.monotonicNow() - beganAt).milliseconds * Int64(options.connections)
        let due = min(options.connections, 1 + Int(share / Int64(options.seconds * 1_000)))
        while startedCount < due { connect() }
    }

    private func connect() {
        if identities.count < options.connections, let new = try? MemberIdentity() { identities.append(new) }
        guard !identities.isEmpty else { return }
        let identity = identities[startedCount % identities.count]
        startedCount += 1
        let box = CarrierBox()
        let carrier = RawCarrier(to: options.victim, as: identity, on: loop) { step in
            guard let carrier = box.carrier else { return }
            self.note(step, of: carrier)
        }
        box.carrier = carrier
        strangers.append(carrier)
    }

    private func note(_ step: RawCarrier.Step, of carrier: RawCarrier) {
        switch step {
        case .opened:
            openedCount += 1
            carrier.send(FloodFrames.proof())
            if kind == .recordsBomb { carrier.write(FloodFrames.recordsBomb) }
        case .frame: break
        case .closed:
            doneBytes += carrier.sentBytes
            strangers.removeAll { $0 === carrier }
        }
    }

    /// All members say LEAVE, listen no more and go on sending; when the node has closed them others come.
    private func leave() {
        for carrier in leaving { carrier.pour(FloodFrames.gossip) }
        if !leaving.isEmpty {
            guard leaving.allSatisfy({ !$0.isOpen }) else { return }
            doneBytes += leaving.map(\.sentBytes).reduce(0, +)
            leaving = []
            return (try? makeMembers()) ?? ()
        }
        guard linkedCount == members.count, !members.isEmpty else { return }
        leaving = members.compactMap(\.linkCarrier)
        for carrier in leaving {
            carrier.stopReading()
            carrier.send(CarrierMessage.leave.encoded())
        }
        members = []
    }
}

/// Names a connection to what is told of it, which needs it before it is made.
private final class CarrierBox: @unchecked Sendable {
    var carrier: RawCarrier?
}

/// What an attack has sent.
struct AttackReport: Sendable {
    var bytes: Int
    var connections: Int
    /// Times that a member was linked.
    var links: Int
}
