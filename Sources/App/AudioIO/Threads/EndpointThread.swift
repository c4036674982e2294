import CLinux
import Handover
import Primitives
import SystemClock

/// The values that every audio thread shares with the engine, for capture and playback alike.
struct ThreadLinks: Sendable {
    /// Whether the thread wakes up as rarely as it can. The node loop sets it, and the thread reads it once a block.
    let savesPower: SharedFlag
    /// Asks the thread to return. The thread reads it once a round.
    let stop: SharedFlag
    let heartbeat = ThreadHeartbeat()
    let board: LockedValue<DeviceStatus>
    /// Whether the sound of the capture device is over. The thread sets it in each round, so it is not on the board,
    /// which has a lock.
    let hasEnded = SharedFlag()
    /// Whether the device runs and its sound is lost, since a disk refuses it. The thread sets it in each round.
    let losesSound = SharedFlag()
    /// The samples that a file as output has lost since the start. The thread adds to it in each round.
    let lostSamples = SharedNumber()

    init(savesPower: SharedFlag, stop: SharedFlag, device: String) {
        self.savesPower = savesPower
        self.stop = stop
        board = LockedValue(DeviceStatus(device: device))
    }

    /// Reports whether the device loses sound, and how much since the last call. A playback thread calls it after each
    /// block.
    func reportLoss(of device: any PlaybackEndpoint) {
        lostSamples.value += device.takeLost()
        losesSound.isOn = device.losesSound
    }
}

/// One audio thread as the engine sees it. An engine has one for each endpoint.
///
/// The node loop watches it. Another thread may stop it meanwhile.
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

    /// Waits until the thread has returned, or until `deadline`. Returns false if it hangs in a driver. Then it is left
    /// to itself, with all that it uses.
    func join(until deadline: Instant) -> Bool {
        guard let thread else { return true }
        self.thread = nil
        return thread.join(until: deadline)
    }

    /// Checks that the thread still makes progress. Call it every half second.
    func look() { watch.look(at: links.heartbeat.count) }

    /// Whether the thread makes no more rounds, because its device does not return from a call.
    var isStuck: Bool { watch.standsStill }

    var device: DeviceStatus {
        var status = links.board.current
        status.hasEnded = links.hasEnded.isOn
        (status.losesSound, status.lostSamples) = (links.losesSound.isOn, links.lostSamples.value)
        return status
    }
}

/// Decides when an audio thread publishes its report: every `AudioLimits.publishEvery`.
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

/// A pthread for one audio loop. A Task would not do, since the threads of its pool have neither the priority nor the
/// punctuality.
final class AudioThread: Sendable {
    /// The thread keeps it alive until it has returned.
    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let handle: UInt

    /// Starts `run` on a thread named `name` (at most 15 bytes). Throws if the machine has no thread left.
    static func start(name: String, run: @escaping @Sendable () -> Void) throws(AudioThreadError) -> AudioThread {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var handle: UInt = 0
        let code = linux_thread_start(
            &handle, AudioLimits.stackBytes,
            { context in
                guard let context else { return }
                let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                linux_thread_set_name(body.name)
                linux_stack_prefault(AudioLimits.stackBytesPrefaulted)
                body.run()
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw AudioThreadError(code: code)
        }
        return AudioThread(handle: handle)
    }

    private init(handle: UInt) { self.handle = handle }

    /// Waits until the loop has returned, or until `deadline`. Returns false if the loop has not returned. Then the
    /// thread is left to itself: it ends when the loop returns. Call it once.
    func join(until deadline: Instant) -> Bool { linux_thread_join(handle, deadline.nanoseconds) == 0 }
}

/// The machine had no thread left. The code is an errno.
package struct AudioThreadError: Error, Hashable, Sendable {
    package let code: Int32
}
