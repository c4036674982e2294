import Channels
import Primitives
import Trust
import Wire

/// A few directories on virtual time, each linked to each. A message takes a millisecond.
final class DirectoryMesh {
    private enum Happening {
        case message(TableMessage, from: Int)
        case digest(TableDigest, from: Int)
    }

    let sealings: [TransparentSealing]
    let mesh: MeshID
    var directories: [ChannelDirectory] = []
    private(set) var now = Instant.zero + .seconds(10)
    /// Pairs between which nothing passes; the lower number first.
    private var cuts: Set<[Int]> = []
    private var sessions: UInt8 = 0
    private var queue: [(at: Instant, to: Int, Happening)] = []
    private(set) var events: [[DirectoryEvent]]
    /// Why a node did not take channels back.
    private(set) var notTakenBack: [[DirectoryRefusal]]
    /// What each node's state file would hold.
    private(set) var stored: [[ChannelID: [UInt8]]]
    private(set) var messagesSent = 0
    /// Messages for which this returns true are lost.
    var drops: (TableMessage) -> Bool = { _ in false }
    /// Whether all digests are lost.
    var dropsDigests = false

    init(_ count: Int, linked: Bool = true) {
        sealings = (0..<count).map { TransparentSealing(seed: UInt64(70 + $0)) }
        mesh = MeshID(ofOpenMesh: "test", sealing: sealings[0])
        events = Array(repeating: [], count: count)
        notTakenBack = Array(repeating: [], count: count)
        stored = Array(repeating: [:], count: count)
        for index in 0..<count {
            directories.append(ChannelDirectory(mesh: mesh, sealing: sealings[index], seed: UInt64(index)))
            input(index, .wallClock(EntryMaker.nowSeconds))
        }
        for a in 0..<count { for b in 0..<a where linked { link(a, b) } }
    }

    func id(_ name: String) -> ChannelID { ChannelID(of: channelName(name), in: mesh, sealing: sealings[0]) }

    private func channelName(_ name: String) -> ChannelName {
        guard let name = ChannelName(name) else { preconditionFailure("a bad name in a test") }
        return name
    }

    func link(_ a: Int, _ b: Int) {
        cuts.remove([min(a, b), max(a, b)])
        sessions += 1
        let nonces = [UInt8](repeating: sessions, count: 64)
        input(a, .sessionBegan(PeerSlot(index: b), sealings[b].nodeID, nonces: nonces))
        input(b, .sessionBegan(PeerSlot(index: a), sealings[a].nodeID, nonces: nonces))
    }

    func cut(_ a: Int, _ b: Int) {
        cuts.insert([min(a, b), max(a, b)])
        input(a, .peerDown(PeerSlot(index: b)))
        input(b, .peerDown(PeerSlot(index: a)))
    }

    /// Lets a node listen to channels, and its neighbours know it.
    func listen(_ index: Int, _ names: [String]) {
        input(index, .listens(names.map(id)))
        for other in directories.indices where other != index {
            input(other, .peerListens(PeerSlot(index: index), names.map(id)))
        }
    }

    func input(_ index: Int, _ input: DirectoryInput) {
        directories[index].handle(input, now: now)
        drain(index)
    }

    func create(_ name: String, at index: Int) throws { try perform(.create(channelName(name)), at: index) }
    func delete(_ name: String, at index: Int) throws { try perform(.delete(channelName(name)), at: index) }
    func rename(_ name: String, to other: String, at index: Int) throws {
        try perform(.rename(channelName(name), to: channelName(other)), at: index)
    }
    func claim(_ name: String, at index: Int) { input(index, .claim(channelName(name))) }

    private func perform(_ command: DirectoryCommand, at index: Int) throws {
        defer { drain(index) }
        try directories[index].perform(command, now: now)
    }

    func entry(_ name: String, at index: Int) -> DirectoryEntry? { directories[index].table[id(name)] }
    func isLive(_ name: String, at index: Int) -> Bool? { entry(name, at: index)?.isLive }
    var areEqual: Bool { directories.allSatisfy { $0.table.entries == directories[0].table.entries } }

    func run(for length: Interval) {
        let end = now + length
        while true {
            let due = directories.indices.min { directories[$0].nextDeadline < directories[$1].nextDeadline } ?? 0
            let next = min(directories[due].nextDeadline, queue.first?.at ?? .distantFuture)
            guard next <= end else { break }
            now = max(now, next)
            if let first = queue.first, first.at <= now {
                queue.removeFirst()
                deliver(first.2, to: first.to)
            } else {
                input(due, .deadline)
            }
        }
        now = end
    }

    private func deliver(_ happening: Happening, to index: Int) {
        switch happening {
        case .message(let message, let sender):
            input(index, .message(message, from: PeerSlot(index: sender)))
        case .digest(let digest, let sender):
            input(index, .digests([digest], from: PeerSlot(index: sender), rtt: .milliseconds(2)))
        }
    }

    private func drain(_ index: Int) {
        while let output = directories[index].nextOutput() {
            switch output {
            case .send(let message, let slot):
                messagesSent += 1
                if !drops(message) { send(.message(message, from: index), from: index, to: slot.index) }
            case .sendDigest(let digest, let slot, _):
                if !dropsDigests { send(.digest(digest, from: index), from: index, to: slot.index) }
            case .store(let channel, let bytes): stored[index][channel] = bytes
            case .forget(let channel): stored[index][channel] = nil
            case .event(let event): events[index].append(event)
            case .notTakenBack(_, _, let refusal): notTakenBack[index].append(refusal)
            }
        }
    }

    private func send(_ happening: Happening, from: Int, to: Int) {
        guard !cuts.contains([min(from, to), max(from, to)]) else { return }
        queue.append((now + .milliseconds(1), to, happening))
    }
}
