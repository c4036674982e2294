package import Handover
import Primitives
import SystemClock
import Voice

/// A second output with a mix of its own, for example a loudspeaker beside a headset: its thread and what the others
/// need of it.
///
/// Used on the node loop only, except `thread` and `exchange`.
final class SecondOutput {
    let thread: EndpointThread
    let exchange: DeviceExchange<any PlaybackEndpoint>
    /// The playback thread's end.
    let feed: SecondFeed
    private let counts: SecondCounts

    init(
        _ output: EndpointSource<any PlaybackEndpoint>, _ configuration: AudioConfiguration, savesPower: SharedFlag,
        stop: SharedFlag
    ) {
        let (left, right) = (
            SampleRing(capacity: AudioLimits.secondSamples), SampleRing(capacity: AudioLimits.secondSamples)
        )
        feed = SecondFeed(left: left.takeProducer(), right: right.takeProducer())
        counts = SecondCounts()
        exchange = DeviceExchange(configuration.playbackRequests, savesPower: savesPower)
        let links = ThreadLinks(savesPower: savesPower, stop: stop, device: output.name)
        // From here on only its own thread uses it.
        nonisolated(unsafe) let second = SecondThread(
            DeviceLoop(
                source: output, realTime: configuration.realTime, exchange: exchange, links: links,
                standIn: ClockDevices.nothing, traits: { $0.traits }),
            left: left.takeConsumer(), right: right.takeConsumer(), lead: feed.lead, counts: counts,
            blocksPerPeriod: configuration.blocksPerPeriod)
        thread = EndpointThread(name: "audio playback2", links: links) { second.run() }
    }

    var status: SecondStatus {
        SecondStatus(
            device: thread.device, isStuck: thread.isStuck, underruns: counts.underruns.value, gaps: counts.gaps.value,
            droppedBlocks: counts.droppedBlocks.value)
    }
}

/// The second output at one moment.
package struct SecondStatus: Sendable {
    package var device: DeviceStatus
    /// Whether its thread hangs in a call of the device.
    package var isStuck: Bool
    /// Times that the device ran dry.
    package var underruns: UInt64
    /// Times that the mix did not come in time.
    package var gaps: UInt64
    /// Blocks that the device did not take.
    package var droppedBlocks: UInt64
}

/// The playback thread's end of the second output.
package final class SecondFeed: @unchecked Sendable {
    private let left: SampleRingProducer
    private let right: SampleRingProducer
    /// How late the playback thread may come, in samples, before the first output runs dry: the lead of its device. The
    /// second output must not have a gap before that either.
    let lead: SharedNumber

    package init(left: consuming SampleRingProducer, right: consuming SampleRingProducer) {
        self.left = left
        self.right = right
        lead = SharedNumber()
    }

    /// Passes on a block of the second mix. If there is no room, the newest samples are dropped.
    package func push(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int) {
        // The other thread may make room in one ring only. Both must take the same samples, or left and right would be
        // shifted against each other from then on.
        let fitting = min(count, self.left.room, self.right.room)
        self.left.push(left, count: fitting)
        self.right.push(right, count: fitting)
    }
}

/// Counts of the second output. Its thread writes them.
private struct SecondCounts: Sendable {
    let underruns = SharedNumber()
    let gaps = SharedNumber()
    let droppedBlocks = SharedNumber()
}

/// From the second mix to the second output, which has a clock of its own (`ClockBridge`).
///
/// While a device runs, a round allocates nothing, takes no lock and logs nothing.
private final class SecondThread {
    private let devices: DeviceLoop<any PlaybackEndpoint>
    private let left: SampleRingConsumer
    private let right: SampleRingConsumer
    private let lead: SharedNumber
    private let counts: SecondCounts
    private let blocksPerPeriod: Int
    private var bridge = ClockBridge()
    private var isSounding = false
    /// Whether another device has taken over since the latest block.
    private var hasGap = true
    private let block: UnsafeMutablePointer<Float>

    init(
        _ devices: DeviceLoop<any PlaybackEndpoint>, left: consuming SampleRingConsumer,
        right: consuming SampleRingConsumer, lead: SharedNumber, counts: SecondCounts, blocksPerPeriod: Int
    ) {
        self.devices = devices
        self.left = left
        self.right = right
        self.lead = lead
        self.counts = counts
        self.blocksPerPeriod = blocksPerPeriod
        block = .allocate(capacity: ClockBridge.countMax * AudioLimits.channelsMax)
        block.initialize(repeating: 0, count: ClockBridge.countMax * AudioLimits.channelsMax)
    }

    deinit { block.deallocate() }

    /// Returns when the stop flag is raised.
    func run() { devices.run(round: round, onChange: { hasGap = true })?.finish() }

    /// Waits for the queue of the device to fall to the lead, or writes one block.
    private func round(_ device: any PlaybackEndpoint) -> DeviceFault? {
        devices.links.heartbeat.beat()
        switch device.queued() {
        case .lost(let fault): return fault
        case .underrun:
            countUnderrun()
            return nil
        case .samples(let queued):
            guard queued <= device.leadSamples else {
                let missing = Interval(samples: queued - device.leadSamples)
                let wait = min(max(missing, AudioLimits.waitMin), AudioLimits.waitMax)
                device.wait(until: .monotonicNow() + wait)
                return nil
            }
            hasGap = false
            let count = blockSamples(of: device.traits)
            fill(count: count, channels: device.traits.channels)
            let fault = write(count: count, to: device)
            devices.links.reportLoss(of: device)
            return fault
        }
    }

    private func blockSamples(of traits: EndpointTraits) -> Int {
        let period = min(traits.periodSamples, ClockBridge.countMax)
        let isWhole = devices.links.savesPower.isOn || traits.movesWholePeriods
        return isWhole ? period : min(period, max(period / blocksPerPeriod, AudioLimits.blockSamplesMin))
    }

    private func fill(count: Int, channels: Int) {
        let plan = bridge.plan(
            waiting: min(left.count, right.count), count: count, reserve: Int(clamping: lead.value))
        if isSounding, plan.taking == 0 { counts.gaps.value += 1 }
        isSounding = plan.taking != 0
        left.drop(plan.skipping)
        right.drop(plan.skipping)
        left.take(into: bridge.left, count: plan.taking)
        right.take(into: bridge.right, count: plan.taking)
        bridge.render(plan, into: block, count: count, channels: channels)
    }

    private func write(count: Int, to device: any PlaybackEndpoint) -> DeviceFault? {
        switch device.offer(block, count: count, onUnderrun: countUnderrun) {
        case .written: break
        case .lost(let fault): return fault
        case .noRoom, .underrun: counts.droppedBlocks.value += 1
        }
        return nil
    }

    private func countUnderrun() {
        // A device that takes over may run dry before its first block.
        guard !hasGap else { return }
        counts.underruns.value += 1
        hasGap = true
    }
}
