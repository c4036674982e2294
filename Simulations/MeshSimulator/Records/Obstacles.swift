import Primitives

/// The obstacles between two nodes that would explain a missing link, as the world knows them.
struct Obstacles {
    private(set) var lines: [String] = []

    init(between a: Int, and b: Int, in world: World) {
        for node in [a, b] { lines += Obstacles.of(node, in: world) }
        for (from, to) in [(a, b), (b, a)] { lines += Obstacles.betweenHosts(from, to, in: world) }
        let hosts = world.network.hosts
        if !world.network.isRouted, hosts[a].site != hosts[b].site {
            lines.append("\(world.name(a)) and \(world.name(b)) are on links of their own, and nothing is routed")
        }
        for (listener, subject) in [(a, b), (b, a)] { lines += Obstacles.ofWord(listener, subject, in: world) }
    }

    private static func of(_ node: Int, in world: World) -> [String] {
        let name = world.name(node)
        let host = world.network.hosts[node]
        if !host.isPowered, world.isOff(node) { return ["\(name) has vanished: its machine answers nothing"] }
        if !host.isPowered { return ["\(name) is suspended"] }
        if world.isOff(node) { return ["\(name) is off"] }
        if !world.isRunning(node) { return ["\(name) stands still, its kernel goes on"] }
        return host.isOnline ? [] : ["\(name) has no network"]
    }

    private static func betweenHosts(_ from: Int, _ to: Int, in world: World) -> [String] {
        let direction = "\(world.name(from)) -> \(world.name(to))"
        let rule = world.network[from, to]
        var lines: [String] = []
        if world.network.isCut(from: from, to: to) { lines.append("\(direction) is cut") }
        if rule.dropsDatagrams { lines.append("\(direction): a firewall drops datagrams, connections pass") }
        if rule.dropsStreams { lines.append("\(direction): a firewall drops connections, datagrams pass") }
        if let queue = rule.queue {
            lines.append(
                "\(direction) has a line of \(TimeText.text(queue.service)) a datagram, \(queue.capacity) may wait")
        }
        if 0 < rule.lossPermille { lines.append("\(direction) loses \(rule.lossPermille) ‰ of its packets") }
        if let bursts = rule.bursts {
            lines.append(
                "\(direction) has bad times of \(TimeText.text(bursts.badMean)) "
                    + "every \(TimeText.text(bursts.goodMean)), \(bursts.badLossPermille) ‰ lost in them")
        }
        if Obstacles.slowDelay < rule.delayMin + rule.delayMean {
            lines.append("\(direction) takes \(TimeText.text(rule.delayMin + rule.delayMean)) on average")
        }
        return lines
    }

    private static func ofWord(_ listener: Int, _ subject: Int, in world: World) -> [String] {
        let (hears, of) = (world.name(listener), world.name(subject))
        if !world.discovery.canHear(listener, subject) {
            return ["\(hears) cannot discover \(of) by beacon or directory"]
        }
        let rule = world.discovery.rule
        return rule.hasBeacon || rule.hasDirectory
            ? [] : ["\(hears) has neither beacon nor directory to learn of \(of)"]
    }

    /// Mean delay above which an obstacle is listed.
    private static let slowDelay = Interval.milliseconds(20)
}
