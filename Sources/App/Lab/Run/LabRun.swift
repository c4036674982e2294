import Glibc
import NodeRuntime
import Primitives
import SystemClock

/// Runs a lab: starts the nodes, presses their talk keys, causes the faults, requests their status, and ends them.
///
///     start → (settle) → schedule: keys, faults, requests → (echo) → stop → judge
final class LabRun {
    enum Failure: Error, CustomStringConvertible {
        case noPorts
        case nodeEnded(Int, lastWords: [Substring])
        case interrupted

        var description: String {
            switch self {
            case .noPorts: "no free ports on 127.0.0.1"
            case .nodeEnded(let node, let words):
                (["node \(node) did not stay up; its last words:"] + words.map { "    " + $0 })
                    .joined(separator: "\n")
            case .interrupted: "interrupted"
            }
        }
    }

    let plan: LabPlan
    let folder: LabFolder
    private(set) var nodes: [LabNode] = []
    private(set) var scheduleStart = Instant.zero
    private(set) var sightings: [PeerSightings] = []
    /// Time from the first start until all nodes first reported links to all others; nil if they never did.
    private(set) var cliqueAfter: Interval?
    /// Whether they reported it just before they were ended.
    private(set) var wasCliqueCompleteAtEnd = false
    /// Commands that a node did not accept, one sentence each.
    private(set) var complaints: [String] = []
    private var startedAt = Instant.zero
    /// The nodes that have yet to be told their channels.
    private var unseated: [Int] = []
    private var nextTurn = 0
    private var nextFault = 0
    private var nextPoll = Instant.zero
    /// The turns in the order of their starts.
    private let turns: [TalkSchedule.Turn]

    init(plan: LabPlan, folder: LabFolder) {
        self.plan = plan
        self.folder = folder
        turns = plan.schedule.turns.sorted { $0.start < $1.start }
    }

    /// Runs the whole lab. All nodes have ended when this returns or throws.
    /// - Throws: `noPorts`, `nodeEnded` if a node ended without being told to, `interrupted`, or the error of a file or
    ///   process that could not be made.
    func run() throws {
        defer { stop() }
        try start()
        let end = scheduleStart + plan.schedule.length + LabLimits.echoAtEnd
        while .monotonicNow() < end {
            guard !Interruption.isPending else { throw Failure.interrupted }
            try step(now: .monotonicNow())
            usleep(UInt32(LabLimits.tick.microseconds))
        }
        for node in nodes {
            node.poll()
            node.gauge(at: .monotonicNow())
        }
        wasCliqueCompleteAtEnd = isCliqueComplete
    }

    private func start() throws {
        let count = plan.nodes
        guard let ports = LoopbackPorts.free(count) else { throw Failure.noPorts }
        let mesh = "lab-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        startedAt = .monotonicNow()
        scheduleStart = startedAt + LabLimits.settle + LabLimits.settlePerNode * Int64(count)
        for node in 0..<count {
            let track = MicrophoneTrack.samples(of: node, in: plan.schedule, voice: VoiceClip.samples(of: node))
            try folder.write(track, to: folder.microphone(node), startsAt: scheduleStart)
            try folder.writeConfiguration(plan.seating.keyTables(of: node), of: node)
            let arguments = LabRun.arguments(
                node: node, ports: ports, mesh: mesh, state: folder.state(node), control: folder.control(node),
                configuration: folder.configuration(node), microphone: folder.microphone(node), seating: plan.seating)
            let cuts = plan.cuts(node) ? ["--simcut"] : []
            let process = LabNode(index: node, folder: folder, arguments: arguments + cuts)
            nodes.append(process)
            try process.start()
        }
        unseated = plan.seating.isDivided ? Array(0..<count) : []
    }

    static func arguments(
        node: Int, ports: [UInt16], mesh: String, state: String, control: String, configuration: String,
        microphone: String, seating: ChannelSeating
    ) -> [String] {
        // A loudness match would hide the levels of the channels.
        let loudness = seating.isDivided ? ["--loudness", "off"] : []
        let channels = seating.joined(by: node).flatMap { ["--channel", $0] }
        let peers = ports.indices.filter { $0 != node }.flatMap { ["--peer", "127.0.0.1:\(ports[$0])"] }
        let many = LabLimits.oneAtATimeNodesMax < ports.count
        return [
            "--name", "node-\(node)", "--nick", "node \(node)", "--mesh", mesh, "--state-dir", state,
            "--control", control, "--config", configuration, "--listen", "127.0.0.1:\(ports[node])",
            "--discovery", "none", "--input", "file:" + microphone, "--talk", "ptt", "--key-limit", "0",
            "--profile", many ? "normal" : "low",
        ] + channels + loudness + peers
    }

    private func step(now: Instant) throws {
        if !unseated.isEmpty { seat(now: now) }
        while nextTurn < turns.count, scheduleStart + turns[nextTurn].start - LabLimits.keyLead <= now {
            let turn = turns[nextTurn]
            nextTurn += 1
            let node = nodes[turn.speaker]
            guard node.isRunning else { continue }
            for (order, key) in plan.seating.keys(for: turn.channels).enumerated() {
                let length = turn.end - turn.start + LabLimits.keyLead + LabLimits.keyLag * Int64(order)
                guard !node.talk(by: key, for: length) else { continue }
                complain("node \(turn.speaker) did not take its talk key", of: turn)
            }
        }
        while nextFault < plan.faults.count, scheduleStart + plan.faults[nextFault].at <= now {
            try strike(plan.faults[nextFault])
            nextFault += 1
        }
        if nextPoll <= now {
            try poll(now: now)
            let isWatching = cliqueAfter == nil || sightings.contains { now - $0.struckAt < LabLimits.watchMax }
            let interval = isWatching ? LabLimits.watchInterval : LabLimits.pollInterval
            // The requests to a large mesh take long. They must not use more than a fifth of the time, since the nodes
            // need the processors.
            let asked = Instant.monotonicNow()
            nextPoll = asked + max(interval, (asked - now) * 4)
        }
    }

    /// Notes that a speaker did not answer, if somebody must hear the turn. A node that starts again does not answer
    /// yet.
    private func complain(_ sentence: String, of turn: TalkSchedule.Turn) {
        if plan.mustBeHeard(turn) { complaints.append(sentence) }
    }

    /// Tells nodes their channels. A node that does not answer yet is asked again until the schedule begins.
    private func seat(now: Instant) {
        unseated.removeAll { nodes[$0].isRunning && nodes[$0].sit(on: plan.seating.seats(of: $0)) }
        guard scheduleStart <= now else { return }
        complaints += unseated.map { "node \($0) did not join its channels" }
        unseated = []
    }

    private func poll(now: Instant) throws {
        for node in nodes {
            if !node.isRunning, plan.isAlive(node.index, after: nextFault) {
                throw Failure.nodeEnded(node.index, lastWords: folder.lastWords(of: node.index))
            }
            guard node.poll() else { continue }
            let seenAt = Instant.monotonicNow()
            for index in sightings.indices where sightings[index].struck != node.index {
                let name = "node \(sightings[index].struck)"
                let peer = node.status?.peers.first { $0.name == name }
                sightings[index].see(peer, by: node.index, at: seenAt)
            }
            if scheduleStart <= seenAt { node.gauge(at: seenAt) }
        }
        if cliqueAfter == nil, isCliqueComplete { cliqueAfter = Instant.monotonicNow() - startedAt }
    }

    /// Whether every node that runs reports a link to every other node that runs.
    private var isCliqueComplete: Bool {
        let alive = nodes.filter(\.isRunning)
        return alive.allSatisfy { node in
            guard let status = node.status else { return false }
            let up = status.peers.filter { $0.state == "up" }.map(\.name)
            return alive.allSatisfy { $0.index == node.index || up.contains("node \($0.index)") }
        }
    }

    private func strike(_ fault: Fault) throws {
        switch fault.act {
        case .kill(let node):
            watch(node)
            nodes[node].kill()
        case .restart(let node):
            watch(node)
            nodes[node].kill()
            try nodes[node].start()
        case .block(let first, let second):
            // A node that was killed cannot be cut off, and its peer drops everything from and to it.
            for (node, other) in [(first, second), (second, first)] where plan.isAlive(node, after: nextFault) {
                let isCut = nodes[other].status.map { nodes[node].cut(from: $0.node.id) } ?? false
                if !isCut { complaints.append("node \(node) was not cut from node \(other)") }
            }
        }
    }

    private func watch(_ node: Int) {
        // The others have seen an earlier kill, and will see its end.
        guard nodes[node].isRunning else { return }
        sightings.append(
            PeerSightings(
                struck: node, struckAt: .monotonicNow(), instanceBefore: nodes[node].status?.node.instance ?? 0,
                observers: nodes.count))
        nextPoll = .zero
    }

    private func stop() {
        for node in nodes { node.terminate() }
        let deadline = Instant.monotonicNow() + LabLimits.stopWaitMax
        while nodes.contains(where: \.isRunning), .monotonicNow() < deadline {
            usleep(UInt32(LabLimits.tick.microseconds))
        }
        for node in nodes { node.kill() }
    }
}

/// Finds ports of 127.0.0.1 that are free for both TCP and UDP.
enum LoopbackPorts {
    /// Returns `count` different ports; nil if there are not enough. Every port stays bound until all are found, so
    /// that none is found twice.
    static func free(_ count: Int) -> [UInt16]? {
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        var ports: [UInt16] = []
        for _ in 0..<(4 * count) where ports.count < count {
            guard let stream = bound(Int32(SOCK_STREAM.rawValue), port: 0) else { return nil }
            held.append(stream.descriptor)
            guard let datagram = bound(Int32(SOCK_DGRAM.rawValue), port: stream.port) else { continue }
            held.append(datagram.descriptor)
            ports.append(stream.port)
        }
        return ports.count == count ? ports : nil
    }

    private static func bound(_ kind: Int32, port: UInt16) -> (descriptor: Int32, port: UInt16)? {
        let descriptor = socket(AF_INET, kind | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard 0 <= descriptor else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
