package import Primitives

/// The section *listening list* of a datagram body: a change of the channels to which the sender listens, ahead of
/// CHANNELS, which TCP may hold back.
package struct ListeningChange: Hashable, Sendable {
    /// The generation of the CHANNELS with this list; not 0.
    package var generation: UInt8
    /// In the order of CHANNELS, at most `WireLimits.channelsListenedMax`, none twice.
    package var channels: [ChannelID]

    package init(_ channels: [ChannelID], generation: UInt8) {
        self.channels = channels
        self.generation = generation
    }

    func write(to writer: inout ByteWriter) {
        precondition(channels.count <= WireLimits.channelsListenedMax, "\(channels.count) channels")
        precondition(generation != 0, "a list without a generation")
        writer.u8(generation)
        writer.u8(UInt8(truncatingIfNeeded: channels.count))
        for channel in channels { writer.channel(channel) }
    }

    /// - Throws: `outOfRange` for generation 0, `oversized` for too many channels, `malformed` for one twice, or
    ///   `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        generation = try reader.u8()
        guard generation != 0 else { throw .outOfRange }
        let count = Int(try reader.u8())
        guard count <= WireLimits.channelsListenedMax else { throw .oversized }
        channels = []
        for _ in 0..<count {
            let channel = try reader.channel()
            guard !channels.contains(channel) else { throw .malformed }
            channels.append(channel)
        }
    }
}

/// The section *tally* of a datagram body: the channels on which the sender talks, as places of its CHANNELS.
package struct Tally: Hashable, Sendable {
    /// The generation of the sender's CHANNELS for this neighbour; not 0.
    package var generation: UInt8
    /// Bit n: place n among the channels to which the sender listens, followed by those on which it only talks. Not 0.
    package var places: UInt32

    package init(generation: UInt8, places: UInt32) { (self.generation, self.places) = (generation, places) }

    func write(to writer: inout ByteWriter) {
        precondition(generation != 0 && places != 0, "an empty tally")
        writer.u8(generation)
        writer.u32(places)
    }

    /// - Throws: `outOfRange` for generation 0 or no place, or `truncated`.
    init(from reader: inout ByteReader) throws(WireError) {
        generation = try reader.u8()
        places = try reader.u32()
        guard generation != 0, places != 0 else { throw .outOfRange }
    }
}
