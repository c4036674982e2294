package import Channels
package import Mesh
import MeshSimulator
package import Node
package import Primitives
package import Trust
package import Voice
import Wire

/// A few mesh nodes on virtual time, for tests that need an exact order of events. Each message takes `delay`.
package final class MeshCluster {
    /// A fault of the network between two nodes.
    package enum Cut: Hashable {
        /// Datagrams from one node to the other are lost.
        case datagrams(from: Int, to: Int)
        /// Dials from one node to the other fail.
        case dials(from: Int, to: Int)
        /// Everything that either side writes into an open carrier between the two is lost.
        case carriers(Int, Int)
    }

    package final class Member {
        package var node: VoiceNode
        package var sealing: any Sealing
        package var configuration: MeshConfiguration
        package var isRunning = true
        package var events: [(at: Instant, event: MeshEvent)] = []
        package var plainTold: [(slot: PeerSlot, takesPlain: Bool)] = []
        package var voices: [(at: Instant, payload: [UInt8], slot: PeerSlot)] = []
        package var beacons: [(at: Instant, bytes: [UInt8])] = []
        package var dials: [(at: Instant, endpoint: Endpoint)] = []
        package var tunnelDials: [Instant] = []
        package var remembered: [NodeID: [Endpoint]] = [:]
        package var directoryNotes: [DirectoryNote] = []
        package var codeEvents: [ChannelCodeEvent] = []
        package var carriedVoices = 0
        /// Inputs that wait for a paused node; nil while the node runs.
        fileprivate var held: [MeshInput]?
        /// The source that others see, if it is not the node's own address (NAT).
        package var mappedEndpoint: Endpoint?
        fileprivate var carriers: [CarrierID: Line] = [:]
        fileprivate var tunnels: TunnelShell
        /// By carrier, as in a real shell. Inputs that a test gives by itself meet no gate.
        var gates: [CarrierID: FrameGate<MeshInput>] = [:]
        fileprivate var dialing: Set<DialID> = []

        fileprivate init(_ node: consuming VoiceNode, _ sealing: any Sealing, _ settings: MeshConfiguration) {
            self.node = node
            self.sealing = sealing
            configuration = settings
            tunnels = TunnelShell(own: sealing.nodeID)
        }
    }

    fileprivate struct Line {
        var far: Int
        var farID: CarrierID
    }

    fileprivate enum Happening {
        case input(Int, MeshInput, boot: Int)
    }

    package private(set) var now = Instant.zero + .seconds(100)
    package var members: [Member] = []
    package var cuts: Set<Cut> = []
    package var delay = Interval.milliseconds(1)
    /// Time from the request for a higher instance until it is written.
    package var diskDelay = Interval.milliseconds(10)
    /// Datagrams for which this returns true are lost, from any sender.
    package var dropsDatagram: (Int, Int, [UInt8]) -> Bool = { _, _, _ in false }
    /// Frames of carriers for which this returns true are lost, from any sender.
    package var dropsFrame: ([UInt8]) -> Bool = { _ in false }
    /// Called with every datagram before the network takes it.
    package var tap: (Int, Int, [UInt8]) -> Void = { _, _, _ in }
    package private(set) var carrierFrames = 0
    private var boots: [Int] = []
    private var queue: [(at: Instant, order: Int, what: Happening)] = []
    private var nextOrder = 0
    private var nextCarrier: UInt64 = 0

    package init() {}

    // MARK: Nodes

    /// Starts a node. The seed decides the NodeID, so tests find the leader by comparing `id(of:)`. All
    /// nodes of a cluster have one kind of `sealing`, the transparent one if nil.
    @discardableResult
    package func start(
        seed: UInt64, mesh: String = "test", admissionPolicy: AdmissionPolicy = .open, instance: UInt64 = 1,
        beaconEnabled: Bool = false, blocked: [NodeID] = [], staticPeers: [Endpoint] = [], takesPlain: Bool = false,
        channels: [ChannelID] = [], standing: MeshStanding = .open, sealing given: (any Sealing)? = nil
    ) -> Int {
        let index = members.count
        var configuration = MeshCluster.configuration(
            index: index, seed: seed, mesh: mesh, admissionPolicy: admissionPolicy, instance: instance,
            beaconEnabled: beaconEnabled, blocked: blocked, staticPeers: staticPeers)
        (configuration.takesPlain, configuration.channels) = (takesPlain, channels)
        configuration.standing = standing
        let sealing: any Sealing = given ?? TransparentSealing(seed: seed)
        members.append(
            Member(MeshCluster.node(configuration, sealing, seed: seed &* 7919, now: now), sealing, configuration))
        boots.append(0)
        drain(index)
        return index
    }

    /// Kills the process: its carriers close at once, as the kernel would close them.
    package func kill(_ index: Int) {
        for id in members[index].carriers.keys.sorted() {
            guard let line = members[index].carriers[id] else { continue }
            close(farEndOf: line, from: index, end: .reset)
        }
        powerOff(index)
    }

    /// Cuts the power of the machine: no carrier is closed, so no peer is informed.
    package func powerOff(_ index: Int) {
        members[index].isRunning = false
        boots[index] += 1
        members[index].carriers = [:]
    }

    /// Starts a killed node again, with the same identity.
    package func restart(_ index: Int, instance: UInt64, bootNonce: UInt64? = nil) {
        var configuration = members[index].configuration
        configuration.instance = Instance(exactly: instance) ?? .max
        configuration.bootNonce = BootNonce(number: bootNonce ?? (configuration.bootNonce.number &+ 1))
        members[index].configuration = configuration
        members[index].node = MeshCluster.node(
            configuration, members[index].sealing, seed: instance &* 104_729, now: now)
        members[index].tunnels = TunnelShell(own: members[index].sealing.nodeID)
        members[index].isRunning = true
        drain(index)
    }

    package func id(of index: Int) -> NodeID { members[index].sealing.nodeID }

    package func endpoint(of index: Int) -> Endpoint {
        Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(index + 1)), port: 7400)
    }

    // MARK: Inputs from outside

    package func input(_ index: Int, _ input: MeshInput) {
        members[index].node.handle(input, now: now)
        drain(index)
    }

    package func command(_ index: Int, _ command: MeshCommand) { input(index, .command(command)) }

    /// Tells `finder` the address of `found`, as Avahi would.
    package func discover(_ found: Int, by finder: Int) {
        input(finder, .discovered(PeerHint(source: .avahi, node: id(of: found), endpoints: [endpoint(of: found)])))
    }

    /// The node sends a frame of its own voice.
    package func send(_ frame: VoiceFrame, _ bytes: [UInt8], from index: Int) {
        bytes.withUnsafeBytes { members[index].node.queue(frame, bytes: $0, now: now) }
        drain(index)
    }

    package func speak(_ index: Int, to peer: Int, _ payload: [UInt8]) {
        guard let slot = slot(of: peer, at: index) else { return }
        input(index, .voice(payload, to: slot))
    }

    /// Cuts or restores datagrams, dials and carriers between the two.
    package func separate(_ a: Int, _ b: Int, _ isSeparated: Bool = true) {
        for cut in [
            Cut.datagrams(from: a, to: b), .datagrams(from: b, to: a), .dials(from: a, to: b), .dials(from: b, to: a),
            .carriers(a, b), .carriers(b, a),
        ] {
            if isSeparated { cuts.insert(cut) } else { cuts.remove(cut) }
        }
    }

    /// Resets every carrier between the two, as a lost conntrack entry does.
    package func resetCarriers(_ a: Int, _ b: Int) {
        for id in members[a].carriers.keys.sorted() {
            guard let line = members[a].carriers[id], line.far == b else { continue }
            close(farEndOf: line, from: a, end: .reset)
            members[a].carriers[id] = nil
            schedule(after: delay, .input(a, .carrierClosed(id, .reset), boot: boots[a]))
        }
    }

    // MARK: Observations

    package func status(_ index: Int) -> MeshStatus { members[index].node.mesh.status(now: now) }

    package func peer(_ peer: Int, at index: Int) -> PeerStatus? {
        status(index).peers.first { $0.node == id(of: peer) }
    }

    package func peerSnapshot(at index: Int, of peer: Int) -> PeerSnapshot.Knowledge? {
        members[index].node.mesh.peerSnapshot(of: id(of: peer), now: now).known
    }

    package func slot(of peer: Int, at index: Int) -> PeerSlot? { self.peer(peer, at: index)?.slot }

    package func isUp(_ a: Int, _ b: Int) -> Bool {
        peer(b, at: a)?.state == .up && peer(a, at: b)?.state == .up
    }

    package func counter(_ name: MeshCounter, at index: Int) -> UInt64 {
        status(index).counters.first { $0.name == "\(name)" }?.value ?? 0
    }

    package func openCarriers(_ index: Int) -> Int { members[index].carriers.count }

    package func firstCarrier(of index: Int) -> CarrierID? { members[index].carriers.keys.min() }

    package func events(_ index: Int) -> [MeshEvent] { members[index].events.map(\.event) }

    // MARK: Time

    /// Runs until `condition` holds; false if it does not hold within `limit`.
    @discardableResult
    package func drive(atMost limit: Interval, until condition: () -> Bool) -> Bool {
        let end = now + limit
        while !condition() {
            guard step(until: end) else { return condition() }
        }
        return true
    }

    package func drive(for duration: Interval) {
        let end = now + duration
        while step(until: end) {}
        now = end
    }

    /// Pauses the node `index` while time passes for all others.
    package func pause(_ index: Int, for duration: Interval) {
        members[index].isRunning = false
        members[index].held = []
        drive(for: duration)
        members[index].isRunning = true
        let held = members[index].held ?? []
        members[index].held = nil
        for input in held { schedule(after: .zero, .input(index, input, boot: boots[index])) }
    }

    /// Handles an input of a paused node: the kernel keeps the events of carriers, and loses datagrams and all else.
    private func hold(_ input: MeshInput, of index: Int) {
        switch input {
        case .carrierFrame, .carrierClosed, .carrierOpened, .dialFailed, .tunnelledCarrierOpened, .tunnelSend,
            .tunnelTook, .tunnelFinished:
            members[index].held?.append(input)
        default: break
        }
    }

    private func step(until end: Instant) -> Bool {
        var at = queue.first?.at ?? .distantFuture
        var due: Int?
        for index in members.indices where members[index].isRunning {
            if let deadline = members[index].node.nextDeadline, deadline.at < at {
                at = max(deadline.at, now)
                due = index
            }
        }
        guard at <= end else { return false }
        now = at
        if let due {
            input(due, .deadline)
        } else {
            perform(queue.removeFirst().what)
        }
        return true
    }

    private func perform(_ happening: Happening) {
        switch happening {
        case .input(let index, let input, let boot):
            guard boots[index] == boot else { return }
            guard members[index].isRunning else {
                hold(input, of: index)
                return
            }
            if case .carrierClosed(let id, _) = input { members[index].carriers[id] = nil }
            if passesGate(input, at: index) { self.input(index, input) }
        }
    }

    private func schedule(after wait: Interval, _ what: Happening) {
        let at = now + wait
        nextOrder += 1
        let place = queue.firstIndex { at < $0.at } ?? queue.endIndex
        queue.insert((at, nextOrder, what), at: place)
    }

    func drain(_ index: Int) {
        while let output = members[index].node.runUntilOutput() { perform(output, of: index) }
        while let note = members[index].node.nextNote() { take(note, of: index) }
    }

    private func perform(_ output: MeshOutput, of index: Int) {
        if case .carrierClose(let id) = output { members[index].gates[id] = nil }
        if members[index].tunnels.perform(output, now: now) {
            if case .dialThrough = output { members[index].tunnelDials.append(now) }
            for word in members[index].tunnels.takeWords() {
                schedule(after: .zero, .input(index, word, boot: boots[index]))
            }
            return
        }
        switch output {
        case .dialThrough, .acceptThrough, .tunnelBytes, .tunnelReady, .tunnelClose:
            preconditionFailure("\(output) is the tunnels'")
        case .send(let bytes, let endpoint): send(bytes, to: endpoint, from: index)
        case .dial(let dial, let endpoint, let expected): self.dial(dial, endpoint, expected, from: index)
        case .cancelDial(let dial): members[index].dialing.remove(dial)
        case .carrierSend(let id, let frame): send(frame, on: id, from: index)
        case .carrierSendVoice(let id, let frame):
            members[index].carriedVoices += 1
            send(frame, on: id, from: index)
        case .carrierClose(let id):
            guard let line = members[index].carriers.removeValue(forKey: id) else { return }
            close(farEndOf: line, from: index, end: .closed)
        case .sendBeacon(let bytes):
            members[index].beacons.append((now, bytes))
            for other in members.indices where other != index && members[other].isRunning {
                guard !cuts.contains(.datagrams(from: index, to: other)) else { continue }
                schedule(after: delay, .input(other, .beacon(bytes, from: endpoint(of: index)), boot: boots[other]))
            }
        case .voice(let payload, let slot): members[index].voices.append((now, payload, slot))
        case .event(let event): members[index].events.append((now, event))
        case .advanceInstance(let instance):
            schedule(after: diskDelay, .input(index, .instanceAdvanced(instance), boot: boots[index]))
        case .storeMesh(let mesh):
            members[index].configuration.standing = .member(mesh)
            let answer = MeshInput.meshStored(epoch: mesh.newestKeys.number, isDurable: true)
            schedule(after: diskDelay, .input(index, answer, boot: boots[index]))
        case .remember(let node, _, let endpoints): members[index].remembered[node] = endpoints
        case .peerTakesPlain(let takesPlain, let slot): members[index].plainTold.append((slot, takesPlain))
        case .announce, .announceSealed, .peerMediaClock, .peerReport, .sessionBegan, .table, .tableDigests, .call,
            .channelJoin, .enteredMesh, .peerListens, .channelsAdvertised, .peerHoldsChannels:
            break
        case .carrierAdmitFrame(let id): openGate(of: id, at: index) { $0.admitFrame() }
        case .carrierTrust(let id): openGate(of: id, at: index) { $0.trust() }
        case .proveCode(let id, let task):
            let result = task.result(with: TransparentCode())
            schedule(after: .milliseconds(1), .input(index, .codeProved(id, result), boot: boots[index]))
        }
    }

    private func send(_ bytes: [UInt8], to endpoint: Endpoint, from index: Int) {
        let reached = members.indices.first {
            (members[$0].mappedEndpoint ?? self.endpoint(of: $0)) == endpoint
        }
        guard let reached, members[reached].isRunning else { return }
        tap(index, reached, bytes)
        guard !cuts.contains(.datagrams(from: index, to: reached)), !dropsDatagram(index, reached, bytes) else {
            return
        }
        let source = members[index].mappedEndpoint ?? self.endpoint(of: index)
        schedule(after: delay, .input(reached, .datagram(bytes, from: source), boot: boots[reached]))
    }

    private func dial(_ dial: DialID, _ endpoint: Endpoint, _ expected: NodeID?, from index: Int) {
        members[index].dials.append((now, endpoint))
        members[index].dialing.insert(dial)
        let reached = members.indices.first { self.endpoint(of: $0) == endpoint }
        guard let reached, members[reached].isRunning, !cuts.contains(.dials(from: index, to: reached)) else {
            schedule(after: delay * 2, .input(index, .dialFailed(dial, .refused), boot: boots[index]))
            return
        }
        if reached == index || (expected != nil && expected != id(of: reached)) {
            let failure: DialFailure = reached == index ? .own : .otherIdentity
            schedule(after: delay * 2, .input(index, .dialFailed(dial, failure), boot: boots[index]))
            return
        }
        nextCarrier += 2
        let (near, far) = (CarrierID(number: nextCarrier), CarrierID(number: nextCarrier + 1))
        members[index].carriers[near] = Line(far: reached, farID: far)
        members[reached].carriers[far] = Line(far: index, farID: near)
        let remote = Endpoint(address: self.endpoint(of: index).address, port: 40_000)
        schedule(
            after: delay * 3,
            .input(
                reached, .carrierOpened(far, peer: id(of: index), dial: nil, remote: remote), boot: boots[reached]))
        schedule(
            after: delay * 3,
            .input(index, .carrierOpened(near, peer: id(of: reached), dial: dial, remote: endpoint), boot: boots[index])
        )
    }

    private func send(_ frame: [UInt8], on id: CarrierID, from index: Int) {
        guard let line = members[index].carriers[id], !cuts.contains(.carriers(index, line.far)) else { return }
        if dropsFrame(frame) { return }
        carrierFrames += 1
        schedule(after: delay, .input(line.far, .carrierFrame(line.farID, frame), boot: boots[line.far]))
    }

    private func close(farEndOf line: Line, from index: Int, end: CarrierEnd) {
        guard !cuts.contains(.carriers(index, line.far)) else { return }
        schedule(after: delay, .input(line.far, .carrierClosed(line.farID, end), boot: boots[line.far]))
    }
}
