import Primitives

/// The layout of a datagram body (docs/WIRE.md, "Datagram body").
extension DatagramBody {
    private enum Section {
        static let control: UInt8 = 1
        static let pathChallenge: UInt8 = 2
        static let pathAnswer: UInt8 = 4
        static let voice: UInt8 = 8
        static let known: UInt8 = control | pathChallenge | pathAnswer | voice
    }

    /// - Precondition: the voice payload is within its limit.
    package func encoded() -> [UInt8] {
        precondition(voice.count <= WireLimits.voicePayloadBytesMax, "a voice payload of \(voice.count) bytes")
        var writer = ByteWriter(capacity: 64 + voice.count)
        writer.u8(
            (control == nil ? 0 : Section.control) | (pathChallenge == nil ? 0 : Section.pathChallenge)
                | (pathAnswer == nil ? 0 : Section.pathAnswer) | (voice.isEmpty ? 0 : Section.voice))
        control?.write(to: &writer)
        if let pathChallenge { writer.u64(pathChallenge) }
        if let pathAnswer { writer.u64(pathAnswer) }
        writer.raw(voice)
        return writer.bytes
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireLimits.datagramBytesMax else { throw .oversized }
        var reader = ByteReader(bytes)
        let sections = try reader.u8()
        guard sections & ~Section.known == 0 else { throw .unknownKind }
        self.init()
        if sections & Section.control != 0 { control = try ControlBlock(from: &reader) }
        if sections & Section.pathChallenge != 0 { pathChallenge = try reader.u64() }
        if sections & Section.pathAnswer != 0 { pathAnswer = try reader.u64() }
        if sections & Section.voice != 0 {
            guard reader.remaining <= WireLimits.voicePayloadBytesMax else { throw .oversized }
            voice = reader.rest()
            guard !voice.isEmpty else { throw .truncated }
        }
        try reader.finish()
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
        writer.u64(digest)
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
        let digest = try reader.u64()
        var echo: UInt32?
        var echoDelayMicroseconds: UInt32 = 0
        if parts & Part.echo != 0 {
            echo = try reader.u32()
            echoDelayMicroseconds = try reader.u32()
        }
        let report = parts & Part.report == 0 ? nil : try ReceptionReport(from: &reader)
        self.init(
            sequence: sequence, echo: echo, echoDelayMicroseconds: echoDelayMicroseconds, digest: digest,
            sampleTime: sampleTime, report: report, flags: flags)
    }
}

extension ControlFlags {
    /// Newer nodes may set more; they are advice, so they are ignored and not refused.
    fileprivate static let known: ControlFlags = [.probe, .talking]
}

extension ReceptionReport {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.u16(min(1_000, lossPermille))
        writer.u16(lossRunTenths)
        writer.u16(min(1_000, latePermille))
        writer.u16(jitterTargetSamples)
    }

    fileprivate init(from reader: inout ByteReader) throws(WireError) {
        self.init(
            lossPermille: try reader.u16(), lossRunTenths: try reader.u16(), latePermille: try reader.u16(),
            jitterTargetSamples: try reader.u16())
        guard lossPermille <= 1_000, latePermille <= 1_000 else { throw .outOfRange }
    }
}
