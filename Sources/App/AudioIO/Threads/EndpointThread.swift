import Handover
import Primitives
import SystemClock

/// What an audio thread shares with the engine, whichever way its sound goes.
struct ThreadLinks: Sendable {
    /// Whether to wake up as seldom as may be; the node loop moves it, the thread looks once a block.
    let savesPower: SharedFlag
    /// Asks the thread to return; it looks once a round.
    let stop: SharedFlag
    let heartbeat = ThreadHeartbeat()
    let board: LockedValue<DeviceStatus>

    init(savesPower: SharedFlag, stop: SharedFlag, device: String) {
        self.savesPower = savesPower
        self.stop = stop
        board = LockedValue(DeviceStatus(device: device))
    }
}

/// One audio thread as the engine sees it: an engine has one for each endpoint.
///
/// It is looked at on the node loop, and may be stopped from elsewhere meanwhile.
final class EndpointThread {
    private let name: String
    private let links: ThreadLinks
    private let body: @Sendable () -> Void
    private var watch = ThreadWatch(looksInVainMax: AudioLimits.looksInVainMax)
    private var thread: AudioThread?

    /// - Parameter name: at most 15 bytes.
    init(name: String, links: ThreadLinks, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.links = links
        self.body = body
    }

    func start() throws(AudioThreadError) {
        precondition(thread == nil && !links.stop.isOn, "an audio thread starts once")
        thread = try AudioThread.start(name: name, run: body)
    }

    /// Waits until the thread has returned, where one runs.
    func join() {
        thread?.join()
        thread = nil
    }

    /// Looks whether the thread still goes round; to be called every half second.
    func look() { watch.look(at: links.heartbeat.count) }

    /// Its device does not return from a call.
    var isStuck: Bool { watch.standsStill }

    var device: DeviceStatus { links.board.current }
}

/// When an audio thread publishes what it has measured: every `AudioLimits.publishEvery`.
struct PublishPace {
    private var publishedAt = Instant.zero

    /// Whether to publish now.
    mutating func isDue() -> Bool {
        let now = Instant.monotonicNow()
        guard AudioLimits.publishEvery <= now - publishedAt else { return false }
        publishedAt = now
        return true
    }
}
