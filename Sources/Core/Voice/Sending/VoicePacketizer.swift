package import Primitives
import Wire

/// Turns coded frames into one payload per listener: the new frames, and copies, which are earlier frames sent once
/// more.
///
/// Belongs to the node loop. `append` takes a frame from the capture thread. `payload` then returns the bytes for
/// each listener, or nil while that listener's bundle is not full.
package struct VoicePacketizer: Sendable {
    private struct Kept: Sendable {
        var frame: VoiceFrame
        var bytes: [UInt8]
    }

    /// Frames of the running spurt, newest last.
    private var kept: [Kept] = []
    /// Frames of the running spurt so far.
    private var framesInSpurt = 0
    private var schemes: [ListenerScheme]
    /// `framesInSpurt` at each listener's last packet.
    private var sentUpTo: [Int]

    package init() {
        schemes = Array(repeating: .initial, count: VoiceLimits.talkersMax)
        sentUpTo = Array(repeating: 0, count: VoiceLimits.talkersMax)
        kept.reserveCapacity(VoiceLimits.frameHistory + 1)
    }

    /// Takes the newest frame; frames of an earlier spurt are forgotten.
    package mutating func append(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer) {
        precondition(0 < bytes.count && bytes.count <= VoiceLimits.frameBytesMax, "a frame of \(bytes.count) B")
        if let newest = kept.last?.frame, newest.spurt != frame.spurt { startSpurt() }
        guard !frame.flags.contains(.again) else {
            if !kept.isEmpty { kept[kept.count - 1].frame.flags.insert(.again) }
            return
        }
        kept.append(Kept(frame: frame, bytes: Array(bytes)))
        if VoiceLimits.frameHistory < kept.count { kept.removeFirst() }
        framesInSpurt += 1
    }

    /// Sets how a listener is served, from its next packet on.
    package mutating func setScheme(_ scheme: ListenerScheme, for listener: PeerSlot) {
        schemes[listener.index] = scheme
    }

    package func scheme(for listener: PeerSlot) -> ListenerScheme { schemes[listener.index] }

    /// Forgets how the listener of this slot was served. The next listener in the slot is served as every new one.
    package mutating func forget(_ listener: PeerSlot) {
        schemes[listener.index] = .initial
        sentUpTo[listener.index] = framesInSpurt
    }

    /// Returns the payload for `listener` after the frame just appended; nil if none is due. Call it once for each
    /// frame and listener.
    package mutating func payload(for listener: PeerSlot, channelSlot: UInt8) -> [UInt8]? {
        guard let newest = kept.last else { return nil }
        let scheme = schemes[listener.index]
        let unsent = framesInSpurt - sentUpTo[listener.index]
        let isEnd = newest.frame.flags.contains(.spurtEnd)
        guard isEnd || scheme.bundling.frameCount <= unsent else { return nil }
        sentUpTo[listener.index] = framesInSpurt
        return Array(
            unsafeUninitializedCapacity: WireLimits.voicePayloadBytesMax
        ) { buffer, count in
            count = write(scheme, channelSlot: channelSlot, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    private func write(
        _ scheme: ListenerScheme, channelSlot: UInt8, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let newest = kept[kept.count - 1].frame
        let group = scheme.bundling.frameCount
        var writer = VoicePayloadWriter(
            into: buffer, header: header(of: newest, bundling: scheme.bundling, channelSlot: channelSlot))
        append(framesBack: 0..<group, to: &writer)
        for distance in scheme.copyDistances {
            append(framesBack: (distance * group)..<((distance + 1) * group), to: &writer)
        }
        return writer.byteCount
    }

    private func header(
        of newest: VoiceFrame, bundling: VoiceBundling, channelSlot: UInt8
    ) -> VoicePayloadHeader {
        var flags: VoicePayloadFlags = []
        let oldestNew = max(0, kept.count - bundling.frameCount)
        if kept[oldestNew].frame.flags.contains(.spurtStart) { flags.insert(.spurtStart) }
        if newest.flags.contains(.spurtEnd) { flags.insert(.spurtEnd) }
        if newest.flags.contains(.preRoll) || kept[oldestNew].frame.flags.contains(.preRoll) { flags.insert(.preRoll) }
        return VoicePayloadHeader(
            flags: flags, channelSlot: channelSlot, spurt: newest.spurt, sampleTime: newest.sampleTime,
            bundling: bundling)
    }

    private func append(framesBack range: Range<Int>, to writer: inout VoicePayloadWriter) {
        let newest = kept[kept.count - 1].frame
        for back in range {
            guard back < kept.count else { return }
            let old = kept[kept.count - 1 - back]
            let samples = newest.sampleTime.distance(after: old.frame.sampleTime)
            guard let age = UInt8(exactly: Int(samples) / VoiceLimits.gridSamples),
                Int(samples) % VoiceLimits.gridSamples == 0
            else { return }
            let fits = old.bytes.withUnsafeBytes { bytes in
                writer.append(
                    VoiceBlock(
                        age: age, duration: old.frame.duration, opus: bytes,
                        isPlain: old.frame.flags.contains(.plain)))
            }
            guard fits else { return }
        }
    }

    private mutating func startSpurt() {
        kept.removeAll(keepingCapacity: true)
        framesInSpurt = 0
        for index in sentUpTo.indices { sentUpTo[index] = 0 }
    }
}
