package import Primitives
package import Wire

/// Turns coded frames into one payload per listener: the new frames, and copies, which are earlier frames sent once
/// more.
///
/// Belongs to the node loop. `append` takes a frame from the capture thread. `payload` then returns the bytes for one
/// listener, or nil if no packet to it is due. `ListenerSpurt` says which frames a listener may hear.
package struct VoicePacketizer: Sendable {
    private struct Kept: Sendable {
        var frame: VoiceFrame
        var bytes: [UInt8]
    }

    /// The latest frames, newest last.
    private var kept: [Kept] = []
    /// The number of the frame that is appended next. Frames are numbered through all spurts.
    private var nextNumber = 0
    /// The number of the first frame of the running spurt.
    private var firstNumber = 0
    private var schemes: [ListenerScheme]
    private var spurts: [ListenerSpurt]
    /// The blocks of the payload that is being made; kept here so that its memory is used again.
    private var blocks: [Block] = []
    /// Room for the largest payload, and the payload made last; kept here so that their memory is used again.
    private var room = [UInt8](repeating: 0, count: WireLimits.voicePayloadBytesMax)
    private var written: [UInt8] = []

    package init() {
        schemes = Array(repeating: .initial, count: VoiceLimits.talkersMax)
        spurts = Array(repeating: ListenerSpurt(), count: VoiceLimits.talkersMax)
        kept.reserveCapacity(VoiceLimits.frameHistory)
        blocks.reserveCapacity(WireLimits.voiceBlocksMax)
    }

    /// Takes the newest frame.
    package mutating func append(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer) {
        precondition(0 < bytes.count && bytes.count <= VoiceLimits.frameBytesMax, "a frame of \(bytes.count) B")
        if let newest = kept.last?.frame, newest.spurt != frame.spurt { startSpurt() }
        guard !frame.flags.contains(.again) else {
            if kept.last?.frame.spurt == frame.spurt { kept[kept.count - 1].frame.flags.insert(.again) }
            return
        }
        // The memory of the oldest frame is used again.
        var copy = kept.count == VoiceLimits.frameHistory ? kept.removeFirst().bytes : []
        copy.removeAll(keepingCapacity: true)
        copy.append(contentsOf: bytes)
        kept.append(Kept(frame: frame, bytes: copy))
        nextNumber += 1
    }

    // MARK: Listeners

    /// Sets how a listener is served, from its next packet on.
    package mutating func setScheme(_ scheme: ListenerScheme, for listener: PeerSlot) {
        schemes[listener.index] = scheme
    }

    package func scheme(for listener: PeerSlot) -> ListenerScheme { schemes[listener.index] }

    /// Sets how a listener reads the next frames. A listener that is addressed as nobody gets no new frame. If it has
    /// got a part of a spurt, it gets the last frame of that part three times, as the end.
    /// - Parameter isRetargeted: whether the talker's targets have changed; else the listener's list has.
    package mutating func setAddress(_ address: VoiceAddress, of listener: PeerSlot, isRetargeted: Bool) {
        spurts[listener.index].setAddress(address, isRetargeted: isRetargeted, next: nextNumber)
    }

    /// Whether a listener's spurt runs, or its end is still to be sent.
    package func isRunning(for listener: PeerSlot) -> Bool { spurts[listener.index].isRunning }

    /// Forgets how the listener of this slot was served. The next listener in the slot is served as every new one.
    package mutating func forget(_ listener: PeerSlot) {
        schemes[listener.index] = .initial
        spurts[listener.index].forget()
    }

    // MARK: Payloads

    /// Returns the payload for `listener` after the frame just appended; nil if none is due. Call it once for each
    /// frame and listener. The next payload takes the memory of this one if the caller no longer holds it.
    package mutating func payload(for listener: PeerSlot) -> [UInt8]? {
        guard let newest = kept.last else { return nil }
        let scheme = schemes[listener.index]
        let due = spurts[listener.index].advance(
            newest.frame.flags, newest: nextNumber - 1, first: firstNumber, group: scheme.bundling.frameCount)
        guard let packet = due else { return nil }
        let spurt = spurts[listener.index]
        chooseBlocks(of: packet, scheme, spurt)
        // The last frame of a listener may have left the history.
        guard let first = blocks.first else { return nil }
        let former = blocks.first { $0.label != first.label }.map { FormerLabel(label: $0.label, age: $0.age) }
        let hasPlace = first.label.hasPlace || former?.label.hasPlace == true
        let header = VoicePayloadHeader(
            flags: flags(of: packet, scheme.bundling, from: spurt.from),
            address: VoiceAddress(label: first.label, generation: hasPlace ? spurt.address.generation : 0),
            former: former,
            spurt: spurt.number, sampleTime: kept[first.index].frame.sampleTime, bundling: scheme.bundling)
        let count = room.withUnsafeMutableBytes { [kept, blocks] buffer in
            VoicePacketizer.write(header, blocks, of: kept, into: buffer)
        }
        written.removeAll(keepingCapacity: true)
        written.append(contentsOf: room[..<count])
        return written
    }

    /// Writes blocks of kept frames, and leaves out those that do not fit; returns the number of bytes.
    private static func write(
        _ header: VoicePayloadHeader, _ blocks: [Block], of kept: [Kept], into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var writer = VoicePayloadWriter(into: buffer, header: header)
        for block in blocks {
            let frame = kept[block.index].frame
            _ = kept[block.index].bytes.withUnsafeBytes { bytes in
                writer.append(
                    VoiceBlock(
                        age: block.age, duration: frame.duration, sound: bytes, isPlain: frame.flags.contains(.plain)))
            }
        }
        return writer.byteCount
    }

    /// - Parameter from: the first frame of the listener's spurt.
    private func flags(
        of packet: ListenerSpurt.Packet, _ bundling: VoiceBundling, from: Int
    ) -> VoicePayloadFlags {
        // Not `[]`: the set would be made from an array, for each payload.
        var flags = VoicePayloadFlags(rawValue: 0)
        if packet.isStart { flags.insert(.spurtStart) }
        if packet.isEnd { flags.insert(.spurtEnd) }
        let oldest = max(from, packet.newest + 1 - bundling.frameCount)
        if isPreRoll(oldest) || isPreRoll(packet.newest) { flags.insert(.preRoll) }
        return flags
    }

    private func isPreRoll(_ number: Int) -> Bool {
        index(of: number).map { kept[$0].frame.flags.contains(.preRoll) } ?? false
    }

    /// A frame that goes into a packet, by its index in `kept`.
    private struct Block: Sendable {
        var index: Int
        var age: UInt8
        var label: VoiceLabel
    }

    /// Chooses the frames of a packet, the newest first: the new ones, then a group of earlier frames as copies for
    /// each copy distance. A frame that is not kept, too old or not for the listener ends its group.
    private mutating func chooseBlocks(
        of packet: ListenerSpurt.Packet, _ scheme: ListenerScheme, _ spurt: ListenerSpurt
    ) {
        let group = scheme.bundling.frameCount
        blocks.removeAll(keepingCapacity: true)
        addBlocks(of: packet, back: 0, group: group, spurt)
        for distance in scheme.copyDistances { addBlocks(of: packet, back: distance * group, group: group, spurt) }
    }

    /// Adds a group of frames, of which the newest lies `back` frames before the newest of the packet.
    private mutating func addBlocks(
        of packet: ListenerSpurt.Packet, back: Int, group: Int, _ spurt: ListenerSpurt
    ) {
        for number in 0..<group {
            guard let block = block(packet.newest - back - number, of: packet, spurt) else { return }
            blocks.append(block)
        }
    }

    /// Returns a frame as a block of a packet; nil if the frame is not kept, is too old for the field of its age, or is
    /// not for the listener.
    private func block(_ number: Int, of packet: ListenerSpurt.Packet, _ spurt: ListenerSpurt) -> Block? {
        guard let label = spurt.label(of: number), let index = index(of: number),
            let newest = self.index(of: packet.newest)
        else { return nil }
        let samples = Int(kept[newest].frame.sampleTime.distance(after: kept[index].frame.sampleTime))
        guard let age = UInt8(exactly: samples / VoiceLimits.gridSamples), samples % VoiceLimits.gridSamples == 0
        else { return nil }
        return Block(index: index, age: age, label: label)
    }

    private var firstKept: Int { nextNumber - kept.count }

    private func index(of number: Int) -> Int? {
        firstKept <= number && number < nextNumber ? number - firstKept : nil
    }

    private mutating func startSpurt() {
        firstNumber = nextNumber
        for index in spurts.indices { spurts[index].endTalkerSpurt(last: nextNumber - 1) }
    }
}
