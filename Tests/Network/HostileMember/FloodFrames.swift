import NIOCore
import Primitives
import Trust
import Wire

/// What is poured into a carrier: frames as they travel, made once and sent for as long as the node reads.
enum FloodFrames {
    private static let chunkBytes = 64 << 10

    /// PROOF of an open mesh, which anybody can send: so a stranger comes as near to HELLO as strangers can.
    static func proof() -> [UInt8] {
        CarrierMessage.admission(
            .proof(
                Proof(
                    nonce: MemberIdentity.randomBytes(count: WireSizes.nonceBytes), form: .open,
                    versionMin: WireLimits.version, versionMax: WireLimits.version))
        ).encoded()
    }

    /// Of a kind that no version has: counted and skipped, five bytes each.
    static let unknownKind = chunk([[200]])

    /// CHANNELS of one channel and of none, by turns: each is a change.
    static let channels = chunk([
        CarrierMessage.channels([ChannelID(high: 1, low: 1)], generation: 1).encoded(),
        CarrierMessage.channels([], generation: 2).encoded(),
    ])

    /// The largest LINK_STATES and the largest RECORD_VERSIONS, by turns, of nodes that do not exist.
    static let gossip = chunk([row(generation: 1), versions(), row(generation: 2), versions()])

    /// RECORDS that ends where a record begins, over and over: the largest that may come before HELLO.
    static let records: [UInt8] = {
        let recordsKind: UInt8 = 11
        let empty: [UInt8] = [0x0A, 0x00]
        let count = (WireLimits.carrierFrameBytesBeforeHelloMax - 1) / empty.count
        return [recordsKind] + (0..<count).flatMap { _ in empty }
    }()

    /// As many of them as a node reads before it waits for HELLO: 254 KiB.
    static let recordsBomb: ByteBuffer = {
        let frame = records.count + 4
        return RawCarrier.lengthened(Array(repeating: records, count: (254 << 10) / frame))
    }()

    /// 254 KiB of records with wrong signatures, 16 in a frame. Each record costs a check until the sender's allowance
    /// is spent.
    static let forgedRecords: ByteBuffer = {
        guard let sealing = (try? ClaimedNode())?.sealing else { return ByteBuffer() }
        let forged = SignedRecord(publicKey: sealing.publicKey, body: [1], signature: sealing.signature(over: []))
        let frame = CarrierMessage.records(Array(repeating: forged, count: WireLimits.recordsPerFrameMax)).encoded()
        return RawCarrier.lengthened(Array(repeating: frame, count: (254 << 10) / (frame.count + 4)))
    }()

    /// Each reason in turn, in a REFUSE and then in a DECLINE.
    static func refusal(_ number: Int) -> [UInt8] {
        let reasons = RefusalReason.allCases
        let reason = reasons[number % reasons.count]
        let isLeaders = number / reasons.count % 2 == 0
        return (isLeaders ? CarrierMessage.refuse(reason, retryAfterMilliseconds: 0) : .decline(reason)).encoded()
    }

    private static func chunk(_ frames: [[UInt8]]) -> ByteBuffer {
        var chunk = ByteBuffer()
        repeat {
            var some = RawCarrier.lengthened(frames)
            chunk.writeBuffer(&some)
        } while chunk.readableBytes < chunkBytes
        return chunk
    }

    private static func stranger() -> NodeID {
        var generator = SystemRandomNumberGenerator()
        return NodeID(words: (generator.next(), generator.next(), generator.next(), generator.next()))
    }

    private static func row(generation: UInt16) -> [UInt8] {
        let entries = (0..<WireLimits.linkStatesMax).map { _ in
            AdvertisedLink(
                peer: stranger(), instance: ClaimedNode.instance, path: .direct, rttClass: 0, lossClass: 0)
        }
        return CarrierMessage.linkStates(entries, generation: generation).encoded()
    }

    private static func versions() -> [UInt8] {
        let entries = (0..<WireLimits.recordVersionsPerFrameMax).map { _ in
            NodeVersion(
                node: stranger(), version: RecordVersion(instance: ClaimedNode.instance, sequence: 1),
                seenSecondsAgo: 0)
        }
        return CarrierMessage.recordVersions(entries).encoded()
    }
}
