import Primitives
import Wire

/// One generation of a pair's media keys: a key for each direction, the own counter, and what was
/// opened already.
struct MediaGeneration {
    /// ```
    /// install          startSending          a later one starts      retiredLifetime over
    /// ───────► waiting ────────────► sealing ────────────────► retired ─────────────────► gone
    ///             └──────────────────────────────────────────────▲
    /// ```
    enum Life {
        /// Opens, because the peer may seal already.
        case waiting
        /// Opens and seals.
        case sealing
        /// Opens what is still on its way.
        case retired(until: Instant)
    }

    let number: UInt32
    /// The own key id: what the peer writes into its datagrams.
    let ownKeyID: UInt32
    let peerKeyID: UInt32
    let installedAt: Instant
    var life = Life.waiting
    private(set) var sealedCount: UInt64 = 0

    private let sealingKey: any MediaAEAD
    private let openingKey: any MediaAEAD
    private var window = ReplayWindow()
    /// What the tag of one datagram vouches for beside its body; its room is kept for the next one.
    private var additionalData: [UInt8] = []

    init(
        number: UInt32, ownKeyID: UInt32, peerKeyID: UInt32, sealingKey: any MediaAEAD, openingKey: any MediaAEAD,
        installedAt: Instant
    ) {
        self.number = number
        self.ownKeyID = ownKeyID
        self.peerKeyID = peerKeyID
        self.sealingKey = sealingKey
        self.openingKey = openingKey
        self.installedAt = installedAt
    }

    var isWaiting: Bool {
        if case .waiting = life { true } else { false }
    }

    var isSealing: Bool {
        if case .sealing = life { true } else { false }
    }

    func isOver(now: Instant) -> Bool {
        if case .retired(let until) = life, until <= now { return true }
        return MediaKeyLimits.generationLifetime <= now - installedAt
    }

    func needsRekey(afterDatagrams countMax: UInt64, now: Instant) -> Bool {
        countMax <= sealedCount
            || MediaKeyLimits.generationAge - MediaKeyLimits.rekeyMargin <= now - installedAt
    }

    /// What mark, header and tag add to the next body.
    var overheadBytes: Int {
        1 + SFrameHeader(keyID: peerKeyID, counter: sealedCount).byteCount + SealedDatagram.tagBytes
    }

    /// Nil where the counters of this generation are used up.
    mutating func seal(_ body: [UInt8]) -> [UInt8]? {
        guard sealedCount < MediaKeyLimits.packetsMax else { return nil }
        let header = SFrameHeader(keyID: peerKeyID, counter: sealedCount)
        sealedCount += 1
        var datagram: [UInt8] = []
        datagram.reserveCapacity(SealedDatagram.overheadBytesMax + body.count)
        datagram.append(SealedDatagram.mark)
        header.append(to: &datagram)
        setAdditionalData(header: datagram[1...])
        sealingKey.seal(body, counter: header.counter, additionalData: additionalData, onto: &datagram)
        return datagram
    }

    /// The window is asked first, which is cheap, and told last, when the tag was good.
    mutating func open(_ datagram: SealedDatagram, now: Instant) throws(OpenError) -> [UInt8] {
        guard !isOver(now: now), datagram.header.counter < MediaKeyLimits.packetsMax else { throw .expiredKey }
        guard window.isFresh(datagram.header.counter) else { throw .replayed }
        setAdditionalData(header: datagram.clear)
        guard
            let body = openingKey.open(
                datagram.sealed, counter: datagram.header.counter, additionalData: additionalData)
        else { throw .forged }
        window.insert(datagram.header.counter)
        return body
    }

    /// The SFrame header, then the mark, which is RFC 9605's metadata.
    private mutating func setAdditionalData(header: ArraySlice<UInt8>) {
        additionalData.removeAll(keepingCapacity: true)
        additionalData.append(contentsOf: header)
        additionalData.append(SealedDatagram.mark)
    }
}
