import Channels
import Mesh
import MeshSimulator
import MeshTestKit
import Node
import Primitives
import Trust
import Wire

/// Three nodes on virtual time, each linked with the others: two honest ones and, in the last place, that of the
/// hostile member.
final class HostileMesh {
    static let hostile = 2
    static let honest = 0..<hostile

    final class Member {
        var node: VoiceNode
        let sealing: any Sealing
        fileprivate var tunnels: TunnelShell
        fileprivate var dials: Set<DialID> = []

        fileprivate init(_ node: consuming VoiceNode, _ sealing: any Sealing) {
            self.node = node
            self.sealing = sealing
            tunnels = TunnelShell(own: sealing.nodeID)
        }
    }

    /// The end of a carrier at a node.
    struct End: Hashable {
        var member: Int
        var id: CarrierID
    }

    private enum Happening {
        case input(Int, MeshInput)
        /// A node has the result of slow work.
        case worked(Int, ChannelTaskID, CodeResult)
        /// A dial comes through.
        case open(DialID, by: Int, to: Int)
    }

    private(set) var now = HostileMesh.begin
    private(set) var members: [Member] = []
    let channel: ChannelID
    /// The honest nodes have this channel. The hostile member has it too if it knows the code.
    let coded: CodedChannel
    let hostileHasCode: Bool
    let isClosed: Bool
    let meshID: MeshID
    /// The last step of a proof that each honest node has sent to the hostile member's node.
    private(set) var joinsSent: [ChannelJoin?] = [nil, nil]
    /// Runs in which each honest node has compared the code with that of a peer.
    private var comparisons = [0, 0]
    /// The latest frames and beacons of the hostile member's own node.
    private(set) var tape: [[UInt8]] = []
    private(set) var beacons: [[UInt8]] = []
    /// Called with each frame of an honest node to a carrier that no node has.
    var heard: (End, [UInt8]) -> Void = { _, _ in }
    /// Bytes that honest nodes have sent, and that the hostile member has.
    private var honestBytes = 0
    private var hostileBytes = 0
    private var honestLinksLost = 0
    /// The other end of each carrier; nil for one whose other end is the hostile member's hand.
    private var carriers: [End: End?] = [:]
    private var carrierCount: UInt64 = 0
    private var queue: [(at: Instant, what: Happening)] = []

    private static let begin = Instant.zero + .seconds(100)

    init(isClosed: Bool, hostileHasCode: Bool) {
        (self.isClosed, self.hostileHasCode) = (isClosed, hostileHasCode)
        let honest = (0..<UInt64(2)).map { TransparentSealing(seed: $0 + 1) }
        let hostile = ForgingSealing(TransparentSealing(seed: 3))
        let sealings: [any Sealing] = honest + [hostile]
        var mesh: ClosedMesh?
        if isClosed, let secret = EpochSecret(number: 1, bytes: [UInt8](repeating: 7, count: 32)) {
            mesh = ClosedMesh(
                id: MeshID(high: 1, low: 0), name: "test", secrets: [secret],
                codeKey: [UInt8](repeating: 9, count: 32), proved: sealings.map(\.nodeID), with: hostile)
        }
        meshID = mesh?.id ?? MeshID(ofOpenMesh: "test", sealing: hostile)
        guard let name = ChannelName("stage") else { preconditionFailure("a channel's name") }
        channel = ChannelID(of: name, in: meshID, sealing: hostile)
        coded = CodedChannel(
            ChannelID(high: 3, low: 0, hasCode: true), codeKey: [UInt8](repeating: 8, count: CodeSizes.codeKeyBytes))
        for (index, sealing) in sealings.enumerated() {
            var configuration = MeshCluster.configuration(
                index: index, seed: UInt64(index), beaconEnabled: index == HostileMesh.hostile)
            configuration.channels = channels(of: index)
            if let mesh { configuration.standing = .member(mesh) }
            members.append(Member(MeshCluster.node(configuration, sealing, seed: UInt64(index), now: now), sealing))
            if hasCode(index) { members[index].node.handle(.hold(coded, isNews: false), now: now) }
            drain(index)
        }
        for finder in members.indices {
            for found in members.indices where found != finder {
                let id = members[found].sealing.nodeID
                input(finder, .discovered(PeerHint(source: .avahi, node: id, endpoints: [endpoint(of: found)])))
            }
        }
        while !members.indices.allSatisfy({ members[$0].node.mesh.summary.isCliqueComplete }) || !isProved {
            precondition(elapsed < .seconds(10), "three honest nodes do not link, or do not prove their code")
            drive(for: .milliseconds(50))
        }
    }

    private func hasCode(_ index: Int) -> Bool { index != HostileMesh.hostile || hostileHasCode }

    /// The channels on which a node is.
    func channels(of index: Int) -> [ChannelID] { [channel] + (hasCode(index) ? [coded.channel] : []) }

    /// Whether each honest node has proved the code to the other one.
    private var isProved: Bool {
        HostileMesh.honest.allSatisfy { knowing(at: $0).contains(members[HostileMesh.hostile - 1 - $0].sealing.nodeID) }
    }

    /// The peers of an honest node that have proved the code.
    private func knowing(at index: Int) -> [NodeID] { members[index].node.codes.peers(knowing: [coded.channel]) }

    var elapsed: Interval { now - HostileMesh.begin }

    var slotOfHostile: [PeerSlot?] {
        let id = members[HostileMesh.hostile].sealing.nodeID
        return HostileMesh.honest.map { peer(id, at: $0)?.slot }
    }

    func peer(_ id: NodeID, at index: Int) -> MeshSummary.Peer? {
        members[index].node.mesh.summary.peers.first { $0.node == id }
    }

    func endpoint(of index: Int) -> Endpoint {
        Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(index + 1)), port: 7_400)
    }

    /// The ends of carriers at this honest node whose other end is the hostile member's node.
    func hostileEnds(at index: Int) -> [End] {
        carriers.filter { $0.key.member == index && $0.value?.member == HostileMesh.hostile }.map(\.key)
            .sorted { $0.id < $1.id }
    }

    // MARK: Deeds

    func input(_ index: Int, _ input: MeshInput) {
        members[index].node.handle(input, now: now)
        drain(index)
    }

    /// Opens a carrier that no node has at its other end.
    func openCarrier(to index: Int, as identity: NodeID) -> End {
        let end = End(member: index, id: newCarrier())
        carriers[end] = .some(nil)
        let remote = Endpoint(address: endpoint(of: HostileMesh.hostile).address, port: 40_000)
        input(index, .carrierOpened(end.id, peer: identity, dial: nil, remote: remote))
        return end
    }

    /// Hands an honest node a frame of the hostile member; nothing if the carrier is closed.
    func forge(_ frame: [UInt8], on end: End) {
        guard carriers[end] != nil else { return }
        hostileBytes += frame.count
        input(end.member, .carrierFrame(end.id, frame))
    }

    func forge(_ datagram: [UInt8], to index: Int, from source: Endpoint) {
        hostileBytes += datagram.count
        input(index, .datagram(datagram, from: source))
    }

    func forgeBeacon(_ beacon: [UInt8], to index: Int) {
        hostileBytes += beacon.count
        input(index, .beacon(beacon, from: endpoint(of: HostileMesh.hostile)))
    }

    func reset(_ end: End) {
        guard let far = carriers.removeValue(forKey: end) else { return }
        input(end.member, .carrierClosed(end.id, .reset))
        if let far, carriers.removeValue(forKey: far) != nil {
            schedule(.input(far.member, .carrierClosed(far.id, .reset)))
        }
    }

    // MARK: Time

    func drive(for duration: Interval) {
        let end = now + duration
        while true {
            var at = queue.first?.at ?? .distantFuture
            var due: Int?
            for index in members.indices {
                if let deadline = members[index].node.nextDeadline?.at, deadline < at { (at, due) = (deadline, index) }
            }
            guard at <= end else { break }
            now = max(now, at)
            if let due { input(due, .deadline) } else { perform(queue.removeFirst().what) }
        }
        now = end
    }

    private func schedule(_ what: Happening, after wait: Interval = .milliseconds(1)) {
        let at = now + wait
        queue.insert((at, what), at: queue.firstIndex { at < $0.at } ?? queue.endIndex)
    }

    private func perform(_ happening: Happening) {
        switch happening {
        case .input(let index, .carrierFrame(let id, let frame)):
            if carriers[End(member: index, id: id)] != nil { input(index, .carrierFrame(id, frame)) }
        case .input(let index, let input): self.input(index, input)
        case .worked(let index, let task, let result):
            members[index].node.handle(.worked(task, result), now: now)
            drain(index)
        case .open(let dial, let dialler, let reached):
            guard members[dialler].dials.remove(dial) != nil else { return }
            let (near, far) = (End(member: dialler, id: newCarrier()), End(member: reached, id: newCarrier()))
            (carriers[near], carriers[far]) = (far, near)
            let remote = Endpoint(address: endpoint(of: dialler).address, port: 40_000)
            let (own, peer) = (members[dialler].sealing.nodeID, members[reached].sealing.nodeID)
            input(reached, .carrierOpened(far.id, peer: own, dial: nil, remote: remote))
            input(dialler, .carrierOpened(near.id, peer: peer, dial: dial, remote: endpoint(of: reached)))
        }
    }

    private func newCarrier() -> CarrierID {
        carrierCount += 1
        return CarrierID(number: carrierCount)
    }

    // MARK: The shell

    func drain(_ index: Int) {
        while let output = members[index].node.runUntilOutput() { perform(output, of: index) }
        while members[index].node.nextLineOrder() != nil {}
        while let note = members[index].node.nextNote() {
            guard case .code(.work(let task, let work)) = note else { continue }
            if HostileMesh.honest.contains(index), work.compares(coded) { comparisons[index] += 1 }
            schedule(.worked(index, task, work.result(with: TransparentCode())))
        }
    }

    private func perform(_ output: MeshOutput, of index: Int) {
        if members[index].tunnels.perform(output, now: now) {
            for word in members[index].tunnels.takeWords() { schedule(.input(index, word), after: .zero) }
            return
        }
        switch output {
        case .send(let bytes, let endpoint):
            count(bytes, of: index)
            guard let reached = members.indices.first(where: { self.endpoint(of: $0) == endpoint }) else { return }
            schedule(.input(reached, .datagram(bytes, from: self.endpoint(of: index))))
        case .dial(let dial, let endpoint, let expected): self.dial(dial, endpoint, expected, by: index)
        case .cancelDial(let dial): members[index].dials.remove(dial)
        case .carrierSend(let id, let frame), .carrierSendVoice(let id, let frame):
            send(frame, on: End(member: index, id: id))
        case .carrierClose(let id): close(End(member: index, id: id))
        case .sendBeacon(let bytes):
            note(bytes, in: &beacons)
            for other in members.indices where other != index {
                schedule(.input(other, .beacon(bytes, from: endpoint(of: index))))
            }
        case .voice(let payload, let slot): _ = members[index].node.heardLines(of: payload, from: slot)
        case .storeMesh(let mesh):
            schedule(
                .input(index, .meshStored(epoch: mesh.newestKeys.number, isDurable: true)), after: .milliseconds(10))
        case .advanceInstance(let instance):
            schedule(.input(index, .instanceAdvanced(instance)), after: .milliseconds(10))
        case .proveCode(let id, let task):
            schedule(.input(index, .codeProved(id, task.result(with: TransparentCode()))))
        case .event(.peerDown(_, let peer, _, _)):
            let isOfHonest = members[HostileMesh.honest].contains { $0.sealing.nodeID == peer }
            if HostileMesh.honest.contains(index), isOfHonest { honestLinksLost += 1 }
        default: break
        }
    }

    private func dial(_ dial: DialID, _ endpoint: Endpoint, _ expected: NodeID?, by index: Int) {
        let reached = members.indices.first { self.endpoint(of: $0) == endpoint }
        guard let reached, reached != index else {
            schedule(.input(index, .dialFailed(dial, reached == index ? .own : .refused)))
            return
        }
        guard expected == nil || expected == members[reached].sealing.nodeID else {
            schedule(.input(index, .dialFailed(dial, .otherIdentity)))
            return
        }
        members[index].dials.insert(dial)
        schedule(.open(dial, by: index, to: reached), after: .milliseconds(3))
    }

    private func send(_ frame: [UInt8], on end: End) {
        guard let far = carriers[end] else { return }
        count(frame, of: end.member)
        if end.member == HostileMesh.hostile {
            note(frame, in: &tape)
        } else if far?.member == HostileMesh.hostile,
            case .channelJoin(let join)? = try? CarrierMessage(parsing: frame, isBeforeHello: false)
        {
            joinsSent[end.member] = join
        }
        if let far {
            schedule(.input(far.member, .carrierFrame(far.id, frame)))
        } else {
            heard(end, frame)
        }
    }

    private func close(_ end: End) {
        guard let far = carriers.removeValue(forKey: end) else { return }
        // The frames before it arrive first.
        if let far { schedule(.input(far.member, .carrierClosed(far.id, .closed))) }
    }

    private func note(_ bytes: [UInt8], in tape: inout [[UInt8]]) {
        tape.append(bytes)
        if HostileMember.tapeMax < tape.count { tape.removeFirst() }
    }

    private func count(_ bytes: [UInt8], of index: Int) {
        if index == HostileMesh.hostile { hostileBytes += bytes.count } else { honestBytes += bytes.count }
    }

    // MARK: Judgement

    func judge(_ when: String) {
        let allowed =
            Self.bytesAtOnce + Self.bytesPerSecond * Int(elapsed.milliseconds) / 1_000
            + Self.bytesForByte * hostileBytes
        hold(honestBytes <= allowed, "\(honestBytes) bytes of honest nodes for \(hostileBytes) in \(elapsed) \(when)")
        hold(honestLinksLost == 0, "an honest link was lost \(when)")
        for index in HostileMesh.honest {
            let other = members[HostileMesh.hostile - 1 - index].sealing.nodeID
            let state = peer(other, at: index)?.state
            hold(state == .up || state == .verifying, "an honest link is \(String(describing: state)) \(when)")
            let peers = members[index].node.mesh.summary.peers.count
            hold(peers <= MeshScale.peersMax, "\(peers) peers \(when)")
            var known = 0
            members[index].node.mesh.visitNodesThere(now: now) { _, _ in known += 1 }
            hold(known <= MeshLimits.recordsMax, "\(known) records \(when)")
            let entries = members[index].node.directory.table.rows.count
            hold(entries <= WireLimits.tableEntriesMax, "\(entries) entries \(when)")
            let calls = members[index].node.calls.incoming.count
            hold(calls <= CallLimits.incomingMax, "\(calls) calls \(when)")
            judgeCode(at: index, when)
            let open = carriers.keys.count { $0.member == index }
            hold(open <= MeshScale.peersMax * MeshLimits.carriersPerPeerMax, "\(open) carriers \(when)")
        }
    }

    /// The honest nodes go on with their channel. Nobody else is on it without the code, or may compare codes more
    /// often than it has guesses. A pairing window takes a few failures.
    private func judgeCode(at index: Int, _ when: String) {
        let node = members[index].node.codes
        hold(node.held == [coded], "\(node.held.count) channels with a code \(when)")
        let others = members.map(\.sealing.nodeID).filter { $0 != members[index].sealing.nodeID }
        let entitled = hostileHasCode ? others : others.filter { $0 != members[HostileMesh.hostile].sealing.nodeID }
        let knowing = knowing(at: index)
        hold(knowing.allSatisfy(entitled.contains), "a node without the code is on the channel \(when)")
        hold(
            entitled.contains { $0 != members[HostileMesh.hostile].sealing.nodeID && knowing.contains($0) },
            "the honest nodes have lost their channel \(when)")
        let guesses =
            ChannelCodeLimits.guessesBurst + 1
            + Int(elapsed.milliseconds / ChannelCodeLimits.guessInterval.milliseconds)
        // Proofs of nodes that have the code cost no guess.
        hold(
            hostileHasCode || comparisons[index] <= HostileMember.identityCount * guesses + Self.ownComparisons,
            "\(comparisons[index]) comparisons of the code \(when)")
        let failures = members[index].node.mesh.pairing(now: now)?.failures ?? 0
        hold(failures < MeshLimits.pairingFailuresMax, "\(failures) failures of a pairing code \(when)")
    }

    /// A release build does not print the message of a precondition.
    private func hold(_ isHeld: Bool, _ otherwise: @autoclosure () -> String) {
        if !isHeld { fatalError(otherwise()) }
    }

    /// What honest nodes may send: at once, in each second, and for each byte of the hostile member.
    private static let bytesAtOnce = 20_000
    private static let bytesPerSecond = 6_000
    private static let bytesForByte = 4
    /// Comparisons of the two honest nodes with each other: their first proof, and one more if their runs cross.
    private static let ownComparisons = 2
}

extension CodeTask {
    /// Whether the task compares the code of this channel with that of a peer.
    fileprivate func compares(_ coded: CodedChannel) -> Bool {
        switch self {
        case .begin: false
        case .answer(let exchange, _, _), .confirm(let exchange, _, _, _): exchange.isOf(codeKey: coded.codeKey)
        }
    }
}
