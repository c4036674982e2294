import Channels
import NIOCore
import Primitives
import SystemClock
import Wire

/// One attack that needs TLS, from its first connection to its end. `Assault+Strangers` has what strangers do.
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
    /// Blocks at each tick: 1,000 a second.
    private static let blocksAtOnce = 2
    private static let blockInterval = Interval.milliseconds(2)
    /// Ports from which a member's datagrams come in turn.
    private static let strayPorts = 64
    private static let reportInterval = Interval.milliseconds(500)
    private static let inventionInterval = Interval.milliseconds(100)
    private static let nameInterval = Interval.milliseconds(200)
    /// Three of ten packets lost, each alone.
    private static let falseReport = ReceptionReport(
        lossPermille: 300, lossRunTenths: 10, latePermille: 0, jitterTargetSamples: 960)
    /// The sequence of a member's record with another name. The machines of the member stay below it during the attack.
    private static let recordSequence: UInt32 = 1_000

    let kind: AttackKind
    let options: AttackOptions
    let loop: any EventLoop
    private(set) var members: [Member] = []
    var strangers: [RawCarrier] = []
    var identities: [MemberIdentity] = []
    var doneBytes = 0
    var openedCount = 0
    var startedCount = 0
    private(set) var beganAt: Instant?
    private var actedAt: Instant?
    private var actCount = 0
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
                named: "hostile\(waves)-\(number)", of: options.mesh, on: channel, to: options.victim,
                strayPortCount: kind == .sessions ? Self.strayPorts : 0, loop: loop)
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
        if kind == .flags {
            for member in members { member.pen.begin(Self.toggle) }
        }
    }

    private static func toggle(_ block: inout ControlBlock) {
        let toggled: ControlFlags = [.takesPlain, .recording]
        block.flags = block.sequence % 2 == 0 ? block.flags.union(toggled) : block.flags.subtracting(toggled)
    }

    private func attack() {
        switch kind {
        case .unknownKind: pour(FloodFrames.unknownKind)
        case .channels: pour(FloodFrames.channels)
        case .gossip: pour(FloodFrames.gossip)
        case .voiceBurst: speak(Self.burst, every: Self.burstInterval, Self.silence)
        case .wrongChannel: speak(Self.framesAtOnce, every: Self.frameInterval, Self.noise, place: Self.unusedPlace)
        case .leaving: leave()
        case .sessions:
            for member in members { member.inviteAgain() }
            speak(Self.blocksAtOnce, every: Self.blockInterval, Self.silence)
        case .flags: speak(Self.blocksAtOnce, every: Self.blockInterval, Self.silence)
        case .reports: act(every: Self.reportInterval) { for member in members { member.report(Self.falseReport) } }
        case .dials: act(every: Self.inventionInterval, invent)
        case .names: act(every: Self.nameInterval, callNames)
        case .unknownKindUnlinked:
            fillWithStrangers()
            for carrier in strangers { carrier.pour(FloodFrames.unknownKind) }
        case .idleTLS, .refusers: fillWithStrangers()
        case .recordsBomb, .recordsAfterHello: bomb()
        case .sybils, .connectClose, .helloFin, .idle, .beacons, .guesses, .busy: break
        }
    }

    private func act(every interval: Interval, _ deed: () -> Void) {
        let now = Instant.monotonicNow()
        if let actedAt, now < actedAt + interval { return }
        actedAt = now
        deed()
        actCount += 1
    }

    /// Each member announces one more node, at addresses where dials hang.
    private func invent() {
        for (place, member) in members.enumerated() {
            guard let node = try? ClaimedNode() else { return }
            let number = actCount * members.count + place
            let endpoints = ClaimedNode.deadEndpoints(near: options.victim, number: number)
            let record = node.signed(node.record(named: "invented\(number)", at: endpoints))
            member.linkCarrier?.send(CarrierMessage.records([record]).encoded())
        }
    }

    /// Sends the next text, from each member and from a stranger.
    private func callNames() {
        let names = HostileNames(text: HostileNames.texts[actCount % HostileNames.texts.count])
        let sequence = Self.recordSequence + UInt32(truncatingIfNeeded: actCount)
        for member in members {
            for frame in names.frames(of: member.claim, sequence: sequence) { member.linkCarrier?.send(frame) }
        }
        connect()
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

/// What an attack has sent.
struct AttackReport: Sendable {
    var bytes: Int
    var connections: Int
    /// Times that a member was linked.
    var links: Int
}
