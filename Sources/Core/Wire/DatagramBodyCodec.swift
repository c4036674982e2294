import Primitives

/// The layout of a datagram body (docs/WIRE.md, "Datagram body").
extension DatagramBody {
    fileprivate enum Section {
        static let control: UInt8 = 1
        static let pathChallenge: UInt8 = 2
        static let pathAnswer: UInt8 = 4
        static let voice: UInt8 = 8
        static let relayToward: UInt8 = 16
        static let relayFrom: UInt8 = 32
        static let padding: UInt8 = 64
        /// A second byte of section bits follows the first.
        static let more: UInt8 = 128
        /// Sections that extend to the end of the body; a body has at most one of them.
        static let tail: UInt8 = voice | relayToward | relayFrom | padding
    }

    /// The bits of the second byte.
    fileprivate enum SecondSection {
        static let listening: UInt8 = 1
        static let tableDigests: UInt8 = 2
        static let tally: UInt8 = 4
        static let known: UInt8 = listening | tableDigests | tally
        /// Sections that have no room beside voice and a relayed datagram.
        static let tailless: UInt8 = listening | tableDigests
    }

    /// - Precondition: voice payload, relayed datagram and padding are within their limits.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Replaces the bytes of `writer` by this body. Their memory is used again.
    /// - Precondition: as for `encoded`.
    package func encode(into writer: inout ByteWriter) {
        precondition(tally == nil || relayed == nil, "a tally beside a relayed datagram")
        let second = content.secondSections | (tally == nil ? 0 : SecondSection.tally)
        writer.removeAll(capacity: 96 + content.tailBytes + paddingBytes)
        writer.u8(
            (control == nil ? 0 : Section.control) | (pathChallenge == nil ? 0 : Section.pathChallenge)
                | (pathAnswer == nil ? 0 : Section.pathAnswer) | content.section
                | (paddingBytes == 0 ? 0 : Section.padding) | (second == 0 ? 0 : Section.more))
        if second != 0 { writer.u8(second) }
        control?.write(to: &writer)
        if let pathChallenge { writer.u64(pathChallenge) }
        if let pathAnswer { writer.u64(pathAnswer) }
        if case .news(let listening, let digests) = content {
            listening?.write(to: &writer)
            if !digests.isEmpty { digests.write(to: &writer) }
        }
        tally?.write(to: &writer)
        switch content {
        case .none, .news: break
        case .voice(let payload):
            precondition(payload.count <= WireLimits.voicePayloadBytesMax, "a voice payload of \(payload.count) bytes")
            writer.raw(payload)
        case .relayed(let relayed): relayed.write(to: &writer)
        }
        precondition(0...WireLimits.paddingBytesMax ~= paddingBytes, "\(paddingBytes) bytes of padding")
        for _ in 0..<paddingBytes { writer.u8(0) }
    }

    /// Reads the opened body of a datagram.
    /// - Throws: `oversized` above a limit, `unknownKind` for sections that are unknown or exclude each other,
    ///   `outOfRange` for padding that is not zero, `truncated` or `trailing` for a wrong length, and the errors of the
    ///   sections.
    // Consuming, so that voice stays in the memory of the body. A caller that keeps the body pays for a copy.
    package init(parsing bytes: consuming [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.datagramBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        let sections = try reader.u8()
        guard (sections & Section.tail).nonzeroBitCount <= 1 else { throw .unknownKind }
        let second = sections & Section.more == 0 ? 0 : try DatagramBody.secondSections(from: &reader, beside: sections)
        let control = sections & Section.control == 0 ? nil : try ControlBlock(from: &reader)
        let pathChallenge = sections & Section.pathChallenge == 0 ? nil : try reader.u64()
        let pathAnswer = sections & Section.pathAnswer == 0 ? nil : try reader.u64()
        var content = Content.none
        if second & SecondSection.tailless != 0 {
            let listening = second & SecondSection.listening == 0 ? nil : try ListeningChange(from: &reader)
            let digests = second & SecondSection.tableDigests == 0 ? [] : try [TableDigest](from: &reader)
            // Digests of unknown tables are left out, so none may be left.
            if listening != nil || !digests.isEmpty { content = .news(listening, digests) }
        }
        let tally = second & SecondSection.tally == 0 ? nil : try Tally(from: &reader)
        var paddingBytes = 0
        if sections & Section.padding != 0 {
            paddingBytes = try DatagramBody.paddingBytes(from: &reader)
        } else if sections & Section.tail != 0 {
            content = try Content(tail: sections, from: &reader)
        }
        try reader.finish()
        self.init(
            control: control, pathChallenge: pathChallenge, pathAnswer: pathAnswer, tally: tally, content: content,
            paddingBytes: paddingBytes)
    }

    /// Reads the second byte of section bits. It is not 0, so that each body has one encoding only.
    private static func secondSections(
        from reader: inout ByteReader, beside sections: UInt8
    ) throws(WireError) -> UInt8 {
        let second = try reader.u8()
        let isTailed = sections & (Section.tail & ~Section.padding) != 0
        guard second != 0, second & ~SecondSection.known == 0, !isTailed || second & SecondSection.tailless == 0,
            second & SecondSection.tally == 0 || sections & (Section.relayToward | Section.relayFrom) == 0
        else { throw .unknownKind }
        return second
    }

    /// Reads the padding, which is all that is left.
    private static func paddingBytes(from reader: inout ByteReader) throws(WireError) -> Int {
        guard reader.remaining <= WireLimits.paddingBytesMax else { throw .oversized }
        let padding = reader.rest()
        guard !padding.isEmpty else { throw .truncated }
        // Padding must be zero, so that each body has one encoding only.
        guard padding.allSatisfy({ $0 == 0 }) else { throw .outOfRange }
        return padding.count
    }
}

extension DatagramBody.Content {
    fileprivate var section: UInt8 {
        switch self {
        case .none, .news: 0
        case .voice: DatagramBody.Section.voice
        case .relayed(let relayed): relayed.section
        }
    }

    fileprivate var secondSections: UInt8 {
        guard case .news(let listening, let digests) = self else { return 0 }
        return (listening == nil ? 0 : DatagramBody.SecondSection.listening)
            | (digests.isEmpty ? 0 : DatagramBody.SecondSection.tableDigests)
    }

    /// The greatest part of the bytes: the writer has room for it from the start.
    fileprivate var tailBytes: Int {
        switch self {
        case .none, .news: 0
        case .voice(let payload): payload.count
        case .relayed(let relayed): relayed.datagram.count
        }
    }

    /// Reads the voice or the relayed datagram, which extends to the end of the body.
    fileprivate init(tail sections: UInt8, from reader: inout ByteReader) throws(WireError) {
        if sections & DatagramBody.Section.voice != 0 {
            guard reader.remaining <= WireLimits.voicePayloadBytesMax else { throw .oversized }
            let payload = reader.rest()
            guard !payload.isEmpty else { throw .truncated }
            self = .voice(payload)
        } else if sections & DatagramBody.Section.relayToward != 0 {
            self = .relayed(try RelayedDatagram(from: &reader) { .toward($0) })
        } else {
            self = .relayed(try RelayedDatagram(from: &reader) { .from($0) })
        }
    }
}

extension RelayedDatagram {
    fileprivate var section: UInt8 {
        switch leg {
        case .toward: DatagramBody.Section.relayToward
        case .from: DatagramBody.Section.relayFrom
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        precondition(datagram.count <= WireLimits.relayedDatagramBytesMax, "\(datagram.count) bytes to relay")
        switch leg {
        case .toward(let node), .from(let node): writer.raw(node.bytes)
        }
        writer.raw(datagram)
    }

    fileprivate init(from reader: inout ByteReader, _ leg: (NodeID) -> Leg) throws(WireError) {
        guard let node = NodeID(try reader.bytes(count: NodeID.byteCount)) else { throw .outOfRange }
        guard reader.remaining <= WireLimits.relayedDatagramBytesMax else { throw .oversized }
        self.init(leg(node), reader.rest())
        guard !datagram.isEmpty else { throw .truncated }
    }
}

extension ControlBlock {
    private enum Part {
        static let echo: UInt8 = 1
        static let report: UInt8 = 2
        static let known: UInt8 = echo | report
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.u8((echo == nil ? 0 : Part.echo) | (report == nil ? 0 : Part.report))
        writer.u8(flags.intersection(.known).rawValue)
        writer.u32(sequence)
        writer.u32(sampleTime.samples)
        writer.u32(digest)
        writer.u16(held.linkStates)
        writer.u8(held.channels)
        if let echo {
            writer.u32(echo)
            writer.u32(echoDelayMicroseconds)
        }
        report?.write(to: &writer)
    }

    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        let parts = try reader.u8()
        guard parts & ~Part.known == 0 else { throw .unknownKind }
        let flags = ControlFlags(rawValue: try reader.u8()).intersection(.known)
        let sequence = try reader.u32()
        let sampleTime = SampleTime(samples: try reader.u32())
        let digest = try reader.u32()
        let held = HeldGenerations(linkStates: try reader.u16(), channels: try reader.u8())
        var echo: UInt32?
        var echoDelayMicroseconds: UInt32 = 0
        if parts & Part.echo != 0 {
            echo = try reader.u32()
            echoDelayMicroseconds = try reader.u32()
        }
        let report = parts & Part.report == 0 ? nil : try ReceptionReport(from: &reader)
        self.init(
            sequence: sequence, echo: echo, echoDelayMicroseconds: echoDelayMicroseconds, digest: digest, held: held,
            sampleTime: sampleTime, report: report, flags: flags)
    }
}

extension ControlFlags {
    /// The flags that this node knows. It ignores others, which newer nodes may set: flags are only advice.
    fileprivate static let known: ControlFlags = [
        .probe, .talking, .takesPlain, .recording, .refusesPrivate, .refusesToAll,
    ]
}

extension ReceptionReport {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.u16(min(1_000, lossPermille))
        writer.u16(lossRunTenths)
        writer.u16(min(1_000, latePermille))
        writer.u16(jitterTargetSamples)
        writer.u16(captureSamples)
        writer.u16(playoutSamples)
    }

    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            lossPermille: try reader.u16(), lossRunTenths: try reader.u16(), latePermille: try reader.u16(),
            jitterTargetSamples: try reader.u16(), captureSamples: try reader.u16(),
            playoutSamples: try reader.u16())
        guard lossPermille <= 1_000, latePermille <= 1_000 else { throw .outOfRange }
    }
}
