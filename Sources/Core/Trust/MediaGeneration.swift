import Primitives
import Wire

/// One generation of a pair's media keys: a key for each direction, the counter of sealed datagrams, and the replay
/// window of opened ones.
struct MediaGeneration {
    /// ```
    /// install          startSending          a later one starts      retiredLifetime passes
    /// ───────► waiting ────────────► sending ────────────────► retired ─────────────────► gone
    ///             └──────────────────────────────────────────────▲
    /// ```
    enum Life {
        /// Opens datagrams, because the peer may already seal with it; does not seal yet.
        case waiting
        /// Opens and seals.
        case sending
        /// Opens the datagrams that are still on their way; no longer seals.
        case retired(until: Instant)
    }

    let number: UInt32
    /// Key id that this node chose: datagrams from the peer carry it.
    let ownKeyID: UInt32
    /// Key id that the peer chose: datagrams to the peer carry it.
    let peerKeyID: UInt32
    let installedAt: Instant
    var life = Life.waiting
    private(set) var sealedCount: UInt64 = 0

    private let sealingKey: any MediaAEAD
    private let openingKey: any MediaAEAD
    private var window = ReplayWindow()
    /// Additional authenticated data of the present datagram; kept here so that its memory is used again.
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

    var isSending: Bool {
        if case .sending = life { true } else { false }
    }

    func isOver(now: Instant) -> Bool {
        if case .retired(let until) = life, until <= now { return true }
        return MediaKeyLimits.generationLifetime <= now - installedAt
    }

    func needsRekey(afterDatagrams countMax: UInt64, now: Instant) -> Bool {
        countMax <= sealedCount
            || MediaKeyLimits.generationAge - MediaKeyLimits.rekeyMargin <= now - installedAt
    }

    /// Bytes of mark, header and tag of the next datagram.
    var overheadBytes: Int {
        1 + SFrameHeader(keyID: peerKeyID, counter: sealedCount).byteCount + SealedDatagram.tagBytes
    }

    /// Returns the sealed datagram; nil if the counters of this generation are used up.
    mutating func seal(_ body: [UInt8]) -> [UInt8]? {
        guard sealedCount < MediaKeyLimits.packetsMax else { return nil }
        let header = SFrameHeader(keyID: peerKeyID, counter: sealedCount)
        sealedCount += 1
        var datagram: [UInt8] = []
        datagram.reserveCapacity(SealedDatagram.overheadBytesMax + body.count)
        datagram.append(SealedDatagram.mark)
        header.append(to: &datagram)
        setAdditionalData(header: datagram[1...])
        let start = datagram.count
        datagram.append(contentsOf: body)
        sealingKey.seal(bodyOf: &datagram, from: start, counter: header.counter, additionalData: additionalData)
        return datagram
    }

    /// Returns the body of a datagram. The replay window is checked before decryption, since that is cheap, and updated
    /// after it, when the tag has proved the datagram authentic.
    /// - Throws: `expiredKey` if the generation is over or the counter too large, `replayed` if the counter was opened
    ///   before or is below the window, `forged` if the tag is wrong.
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

    /// The additional data of RFC 9605: the SFrame header, then the metadata, which here is the mark.
    private mutating func setAdditionalData(header: ArraySlice<UInt8>) {
        // Written in place: a call that replaces all bytes costs more than these loops.
        while additionalData.count <= header.count { additionalData.append(SealedDatagram.mark) }
        while header.count + 1 < additionalData.count { additionalData.removeLast() }
        for (offset, byte) in header.enumerated() { additionalData[offset] = byte }
        additionalData[header.count] = SealedDatagram.mark
    }
}
