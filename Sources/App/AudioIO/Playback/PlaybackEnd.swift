import Handover
import Primitives
import Voice

/// The node loop's end of one playback thread: payloads, clocks and orders for the thread, and its report.
///
/// Used on the node loop only, except `thread` and `exchange`.
final class PlaybackEnd {
    /// The ring and the switch through which playback passes sound to a recorder.
    let recordingRing: FrameRing
    let recordingSwitch = RecordingSwitch()
    let thread: EndpointThread
    let exchange: DeviceExchange<any PlaybackEndpoint>

    private let ring: FrameRing
    private let entries: FrameRingProducer
    private var shares: RingShares
    private var orders = PeerOrders()
    private var lineOrders = LineOrders()
    private var published: LatestValueReader<PlaybackReport>

    /// Takes ownership of the decoders, one for each of `VoiceLimits.talkersMax` slots.
    init(
        _ configuration: AudioConfiguration, decoders: [VoiceDecoder], ownVoice: OwnVoiceLinks, second: SecondFeed?,
        savesPower: SharedFlag, stop: SharedFlag
    ) {
        ring = FrameRing(capacity: AudioLimits.downSlots, slotBytesMax: AudioLimits.downSlotBytesMax)
        entries = ring.takeProducer()
        shares = RingShares(capacity: ring.capacity)
        recordingRing = FrameRing(
            capacity: AudioLimits.recordedPieces,
            slotBytesMax: AudioLimits.recordedPieceSamples * MemoryLayout<StereoFrame>.size)
        let report = LatestValue(PlaybackReport())
        published = report.takeReader()
        let links = ThreadLinks(savesPower: savesPower, stop: stop, device: configuration.output.name)
        exchange = DeviceExchange(configuration.playbackRequests, savesPower: savesPower)
        // From here on only its own thread uses it.
        nonisolated(unsafe) let playback = PlaybackThread(
            configuration: configuration,
            links: PlaybackLinks(
                thread: links, exchange: exchange, ownVoice: ownVoice, second: second, ring: ring, report: report,
                tap: RecordingTap(ring: recordingRing.takeProducer(), control: recordingSwitch)),
            receiver: VoiceReceiver(decoders: decoders, outputChannels: 1))
        thread = EndpointThread(name: "audio playback", links: links) { playback.run() }
    }

    /// Passes on a peer's voice payload. False if it was refused, which is counted: the peer's share of the ring is
    /// full, or the payload is larger than the limit. Also false while an order waits for room in the ring.
    func deliver(_ payload: [UInt8], slot: PeerSlot, on lines: HeardLines, arrival: Instant) -> Bool {
        guard flush() else { return false }
        let header = PlaybackOrder.header(lines, of: slot, arrival: arrival)
        return payload.withUnsafeBytes { shares.push(header, $0, of: slot, into: entries) }
    }

    /// Passes on a peer's media clock. It is dropped and counted if the peer's share of the ring is full.
    func peerClock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        guard flush() else { return }
        let header = RingHeader(
            kind: PlaybackOrder.clock.rawValue, peerIndex: UInt16(slot.index), sampleTime: sampleTime,
            instant: arrival)
        _ = shares.push(header, UnsafeRawBufferPointer(start: nil, count: 0), of: slot, into: entries)
    }

    /// Gives an order. If the ring is full, the order waits, and goes before the next payload.
    func order<Answer>(_ give: (inout PeerOrders) -> Answer) -> Answer {
        let answer = give(&orders)
        _ = flush()
        return answer
    }

    /// Sets how a line sounds, or closes it if `sound` is nil. The order goes before the next payload.
    func orderLine(_ line: Int, _ sound: LineSound?) {
        if let sound { lineOrders.set(line, to: sound) } else { lineOrders.close(line) }
        _ = flush()
    }

    private func flush() -> Bool { lineOrders.flush(into: entries) && orders.flush(into: entries) }

    /// The latest report, without the statistics of peers that no longer have their slot.
    var report: PlaybackReport { orders.ofPresentHolders(published.latest()) }

    /// Payloads and clocks that were dropped because the thread was too slow.
    var payloadsRefused: Int { ring.refusedCount + shares.refusedCount }
}
