import Mesh
import MeshSimulator
import Primitives

extension SimNetwork {
    /// Hosts with power and a listening process, in their first life.
    static func bench(hosts count: Int, rule: LinkRule, seed: UInt64) -> SimNetwork {
        let hosts = (0..<count).map { index in
            var host = SimHost(node: NodeID(words: (UInt64(index) + 1, 0, 0, 0)), index: index, site: 0)
            host.isListening = true
            host.life = 1
            return host
        }
        return SimNetwork(hosts: hosts, rule: rule, random: SeededRandom(seed: seed))
    }
}

/// A queue cannot be copied, and a bench is a value.
private final class StreamQueue {
    var events = EventQueue<CarrierModel.StreamTicket>()
}

/// The stream model alone: two hosts, a queue, and a list of inputs to their processes.
struct StreamBench {
    struct Word {
        let at: Instant
        let host: Int
        let input: MeshInput
    }

    var network: SimNetwork
    var model = CarrierModel()
    var words: [Word] = []
    var now = Instant.zero
    private let queue = StreamQueue()

    /// 5 ms in each direction, without loss.
    init(rule: LinkRule = LinkRule(delayMin: .milliseconds(5), delayMean: .zero), seed: UInt64 = 5) {
        network = SimNetwork.bench(hosts: 3, rule: rule, seed: seed)
    }

    mutating func dial(_ number: UInt64, from host: Int, to target: Int, expecting: Int? = nil) {
        let endpoint = network.hosts[target].endpoint
        let node = expecting.map { network.hosts[$0].node }
        model.dial(
            DialID(number: number), from: host, to: endpoint, expecting: node, network: &network, now: now)
        takeEffects()
    }

    mutating func send(_ bytes: [UInt8], on carrier: CarrierID, of host: Int, isVoice: Bool = false) {
        model.send(bytes, digest: 0, isVoice: isVoice, on: carrier, of: host, network: &network, now: now)
        takeEffects()
    }

    mutating func close(_ carrier: CarrierID, of host: Int) {
        model.close(carrier, of: host, network: &network, now: now)
        takeEffects()
    }

    mutating func endProcess(_ host: Int, silently: Bool) {
        model.processEnded(on: host, silently: silently, network: &network, now: now)
        takeEffects()
        network.hosts[host].isListening = false
        network.hosts[host].life += 1
        if silently { network.hosts[host].isPowered = false }
    }

    mutating func run(for length: Interval) {
        let end = now + length
        while let next = queue.events.nextInstant, next <= end, let event = queue.events.popFirst() {
            now = event.at
            model.handle(event.payload, network: &network, now: now)
            takeEffects()
        }
        now = end
    }

    /// Dials and waits until both sides are open.
    mutating func connect() -> (dialler: CarrierID, acceptor: CarrierID)? {
        dial(1, from: 0, to: 1)
        run(for: .milliseconds(100))
        guard let dialler = opened(at: 0), let acceptor = opened(at: 1) else { return nil }
        words = []
        return (dialler, acceptor)
    }

    func opened(at host: Int) -> CarrierID? {
        for word in words where word.host == host {
            if case .carrierOpened(let carrier, _, _, _) = word.input { return carrier }
        }
        return nil
    }

    func frames(at host: Int) -> [[UInt8]] {
        words.compactMap { word in
            if case .carrierFrame(_, let bytes) = word.input, word.host == host { bytes } else { nil }
        }
    }

    func closed(at host: Int) -> (end: CarrierEnd, at: Instant)? {
        for word in words where word.host == host {
            if case .carrierClosed(_, let end) = word.input { return (end, word.at) }
        }
        return nil
    }

    func dialFailure(at host: Int) -> (failure: DialFailure, at: Instant)? {
        for word in words where word.host == host {
            if case .dialFailed(_, let failure) = word.input { return (failure, word.at) }
        }
        return nil
    }

    private mutating func takeEffects() {
        let effects = model.effects
        model.effects = []
        for effect in effects {
            switch effect {
            case .schedule(let ticket, let at): queue.events.schedule(ticket, at: at)
            case .tell(let host, _, let input, _): words.append(Word(at: now, host: host, input: input))
            }
        }
    }
}
