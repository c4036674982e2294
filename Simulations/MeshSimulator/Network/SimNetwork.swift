package import Primitives

/// The parts of a machine and of its process that the network can see.
package struct SimHost: Sendable {
    package let node: NodeID
    /// Hosts of one site share a link; multicast stays within it.
    package var site: Int
    package var address: IPAddress
    /// Whether the machine is on. A machine that is off sends not even a refusal.
    package var isPowered = true
    /// Whether the host has a network. It is false with a pulled cable or in airplane mode, and the host knows it.
    package var isOnline = true
    package var isListening = false
    /// Counts the starts and the ends of the process. Events for another life are dropped.
    package var life: UInt32 = 0

    package init(node: NodeID, index: Int, site: Int) {
        self.node = node
        self.site = site
        address = SimHost.address(index: index, site: site, move: 0)
    }

    /// Returns 10.site.move.(index + 1). The address alone gives its node.
    static func address(index: Int, site: Int, move: UInt8) -> IPAddress {
        IPAddress(v4: 10, UInt8(truncatingIfNeeded: site), move, UInt8(truncatingIfNeeded: index + 1))
    }

    static func index(of address: IPAddress) -> Int? {
        guard let v4 = address.v4, v4 >> 24 == 10, 0 < v4 & 255 else { return nil }
        return Int(v4 & 255) - 1
    }

    package var endpoint: Endpoint { Endpoint(address: address, port: SimLimits.port) }

    package mutating func move(index: Int) {
        let third = UInt8(truncatingIfNeeded: (address.v4 ?? 0) >> 8)
        address = SimHost.address(index: index, site: site, move: third &+ 1)
    }
}

/// The routes between hosts, and what happens to a packet on them.
///
/// Every ordered pair of hosts has its own rule, cut and burst state. So one-way failures and partitions that are not
/// transitive are as easy as clean ones.
package struct SimNetwork {
    package var hosts: [SimHost]
    /// Whether packets are routed between sites.
    package var isRouted = true
    private var rules: [LinkRule]
    private var cuts: [Bool]
    /// By ordered pair, when the queue will be empty.
    private var queueFreeAt: [Instant]
    private var bursts: [BurstState]
    private var losses: [LossHistory]
    /// A generator for each ordered pair. One more packet from one host to another leaves the delays of all other
    /// pairs as they were, so that a run without one of its faults still resembles the full run.
    private var randoms: [SeededRandom]

    package init(hosts: [SimHost], rule: LinkRule, random: SeededRandom) {
        precondition(hosts.count <= SimLimits.nodesMax, "\(hosts.count) hosts of \(SimLimits.nodesMax)")
        self.hosts = hosts
        let pairs = hosts.count * hosts.count
        var source = random
        randoms = (0..<pairs).map { _ in source.split() }
        rules = Array(repeating: rule, count: pairs)
        cuts = Array(repeating: false, count: pairs)
        queueFreeAt = Array(repeating: .zero, count: pairs)
        bursts = Array(repeating: BurstState(), count: pairs)
        losses = Array(repeating: LossHistory(), count: pairs)
    }

    // MARK: Settings

    package subscript(from: Int, to: Int) -> LinkRule {
        get { rules[pair(from, to)] }
        set { rules[pair(from, to)] = newValue }
    }

    package mutating func setAllRules(_ rule: LinkRule) {
        for index in rules.indices { rules[index] = rule }
    }

    package mutating func cut(from: Int, to: Int) { cuts[pair(from, to)] = true }
    package mutating func mend(from: Int, to: Int) { cuts[pair(from, to)] = false }

    package mutating func mendAll() {
        for index in cuts.indices { cuts[index] = false }
    }

    package func isCut(from: Int, to: Int) -> Bool { cuts[pair(from, to)] }

    // MARK: The fate of a packet

    /// Whether any packet at all gets from one host to the other now.
    package func isOpen(from: Int, to: Int) -> Bool {
        let (a, b) = (hosts[from], hosts[to])
        return a.isPowered && b.isPowered && a.isOnline && b.isOnline && (isRouted || a.site == b.site)
            && !cuts[pair(from, to)]
    }

    /// The host that has `address` now.
    // Inlined, so that a call does not retain every table of the network.
    @inline(__always)
    package func host(at address: IPAddress) -> Int? {
        guard let index = SimHost.index(of: address), index < hosts.count, hosts[index].address == address
        else { return nil }
        return index
    }

    /// Draws what happens to one datagram, and notes whether it was lost.
    package mutating func transit(from: Int, to: Int, now: Instant) -> DatagramFate {
        let fate = fate(from: from, to: to, now: now)
        let isDamaged = if case .arrives(_, _, true) = fate { true } else { false }
        losses[pair(from, to)].note(isLost: fate == .lost, isDamaged: isDamaged, now: now)
        return fate
    }

    /// Returns how much longer than usual a silence in this direction may last, because of recent loss.
    func patience(from: Int, to: Int) -> Interval { losses[pair(from, to)].patience }

    /// Returns when the last datagram in this direction was lost or damaged; nil if none was.
    package func lastLost(from: Int, to: Int) -> Instant? { losses[pair(from, to)].lastLostAt }

    private mutating func fate(from: Int, to: Int, now: Instant) -> DatagramFate {
        let index = pair(from, to)
        let rule = rules[index]
        guard !rule.dropsDatagrams, isOpen(from: from, to: to), !loses(from: from, to: to, now: now)
        else { return .lost }
        let isCorrupt = 0 < rule.corruptPermille && randoms[index].chance(permille: rule.corruptPermille)
        let isDoubled = 0 < rule.duplicatePermille && randoms[index].chance(permille: rule.duplicatePermille)
        guard let waiting = enqueue(from: from, to: to, now: now) else { return .lost }
        let first = waiting + delay(from: from, to: to)
        return .arrives(after: first, again: isDoubled ? delay(from: from, to: to) : nil, isCorrupt: isCorrupt)
    }

    /// Returns the time that a datagram spends in the queue, its own service included; nil if the queue is full.
    private mutating func enqueue(from: Int, to: Int, now: Instant) -> Interval? {
        let index = pair(from, to)
        guard let queue = rules[index].queue else { return .zero }
        let free = max(now, queueFreeAt[index])
        guard free - now < queue.service * Int64(queue.capacity) else { return nil }
        queueFreeAt[index] = free + queue.service
        return queueFreeAt[index] - now
    }

    /// Draws whether the loss models drop a packet.
    package mutating func loses(from: Int, to: Int, now: Instant) -> Bool {
        let index = pair(from, to)
        let rule = rules[index]
        if 0 < rule.lossPermille, randoms[index].chance(permille: rule.lossPermille) { return true }
        guard let model = rule.bursts, bursts[index].isBad(model, now: now, using: &randoms[index])
        else { return false }
        return randoms[index].chance(permille: model.badLossPermille)
    }

    package mutating func delay(from: Int, to: Int) -> Interval {
        let index = pair(from, to)
        return rules[index].delayMin + Exponential.interval(mean: rules[index].delayMean, using: &randoms[index])
    }

    /// Returns the longest delay that the present rules allow for a packet from `host`, without waits in queues.
    package func longestDelay(from host: Int) -> Interval {
        hosts.indices.map { rules[pair(host, $0)].delayMax }.max() ?? .zero
    }

    /// Returns a copy of the bytes with one bit flipped, drawn from the pair's generator.
    package mutating func corrupted(_ bytes: [UInt8], from: Int, to: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var damaged = bytes
        let bit = randoms[pair(from, to)].below(UInt64(bytes.count) * 8)
        damaged[Int(bit / 8)] ^= 1 << UInt8(bit % 8)
        return damaged
    }

    private func pair(_ from: Int, _ to: Int) -> Int { from * hosts.count + to }
}

package enum DatagramFate: Hashable, Sendable {
    case lost
    /// `again` is the delay of a second copy; nil if there is none.
    case arrives(after: Interval, again: Interval?, isCorrupt: Bool)
}
