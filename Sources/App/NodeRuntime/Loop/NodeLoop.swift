import AudioIO
import Channels
import Discovery
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock
import Trust
import Voice
import Wire

/// The owner of the node: it holds `VoiceNode`, performs its outputs and wakes it at its deadline. Everything here runs
/// on the event loop `loop`. Other threads use `loop.execute`; audio threads pass data through their rings
/// (docs/THREADS.md).
final class NodeLoop: NodeInboxOwner, @unchecked Sendable {
    let loop: any EventLoop
    let parts: NodeParts
    var core: VoiceNode
    var talk: TalkSwitch
    var keys: KeyBook
    let peerDirectory: PeerDirectory
    var channels: ChannelBook
    /// The options that are in force: those of the start, with what reloads have applied since.
    var options: RunOptions
    /// How this node introduces itself now.
    var profile: NodeProfile
    private var pauses: PauseDetector
    private var wakeUp = WakeUp()
    private var turnDepth = 0
    private var fedAt = Instant.zero
    /// Peers that are up.
    var openSlots: [PeerSlot] = []
    /// Channels that the user does not want to see in lists.
    var hiddenChannels: [ChannelID] = []
    /// The channels on which the free key speaks, as `keepChannels` last saw them.
    var freelySpoken: [ChannelID]
    /// Keys that were let go because they speak elsewhere now. Frames that the capture thread had taken before
    /// belong to their former channels, and are not sent. A key that goes down again is no longer among them.
    var withheld: KeySet = []
    /// The channels that sound at the second output; empty for all.
    var secondChannels: [ChannelID] = []
    /// Whether the listener wants a beep for a peer that is lost or back.
    var beepsOnLoss = false
    /// The events that the listener hears as a tone.
    var tones: [Tone] = []
    /// Nil before the start, and after the end.
    var battery: BatteryWatch?
    var power = PowerReading()
    var batteryAlarm = BatteryAlarm()
    /// The number of dB by which the whole mix is lowered.
    private(set) var dimDecibels = 0.0
    /// Called once, when the mesh has said good-bye.
    var onLeft: (@Sendable () -> Void)?
    private(set) var isLeaving = false
    var watch = NodeWatch()
    /// The node that feeds the programme of this one, with its sound, its log, and what starts or ends its
    /// announcements; nil if there is none. Of the sound only `devices` is read.
    var programme: (node: NodeID, audio: AudioEngine, log: NodeLog, advertise: @Sendable (Bool) -> Void)?
    /// The change of the code that a person has ordered, until the mesh hands its epoch over to be stored.
    var codeChange: CodeChange?
    var words = ComparedWordsBook()
    /// Pings that wait for the round trip.
    var pings = AwaitedAnswers<Interval>()
    /// The codes of channels of this mesh that are kept, also of channels that the node has not joined in this run.
    var channelCodes: [RememberedCode] = []
    /// What the last reload has done; nothing before the first one.
    var lastReload = ReloadDocument()
    var reloads = ReloadOrder()
    /// Channels that the node wanted to join at its start, and whose code it did not have then.
    var channelsWithoutCode: [ChannelName] = []
    /// Channels that the files name, and that the last reload could not join, each with its sentence in that document.
    var channelsRefused: [(name: ChannelName, refusal: String)] = []
    /// Requests that wait until it is known whether a linked peer has the code of a channel.
    var codeWaits: [(channel: ChannelID, promise: EventLoopPromise<Void>)] = []
    var keyWarnings = KeyWarnings()
    /// The peers that have priority by their roles.
    var priority = Grant.nobody
    /// Whether this node announces itself. It finds others in both cases.
    private(set) var isAdvertised = false

    init(
        loop: any EventLoop, parts: NodeParts, core: consuming VoiceNode, talk: TalkSwitch, keys: KeyBook,
        peerDirectory: PeerDirectory, channels: ChannelBook, profile: NodeProfile, options: RunOptions
    ) {
        self.loop = loop
        self.parts = parts
        freelySpoken = core.listening.list.talked
        self.core = core
        self.talk = talk
        self.keys = keys
        self.peerDirectory = peerDirectory
        self.channels = channels
        self.options = options
        self.profile = profile
        pauses = PauseDetector(asleep: parts.asleep())
        isAdvertised = canAdvertise
    }

    /// Gives the node one input, then performs every output that it causes.
    func feed(_ input: MeshInput, now: Instant = .monotonicNow()) {
        change(now: now) { core.handle(input, now: $0) }
    }

    /// Sends one coded frame of this node's voice to each of its listeners.
    func send(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        change(now: now) { core.queue(frame, bytes: bytes, now: $0) }
    }

    /// Changes the node, then performs every output that this causes.
    func change(now instant: Instant = .monotonicNow(), _ change: (Instant) -> Void) {
        turn {
            // The instant of an arrival may lie before that of the latest input. The node's time must never run
            // backwards.
            let now = max(instant, fedAt)
            fedAt = now
            change(now)
            performOutputs(now: now)
        }
    }

    private func performOutputs(now: Instant) {
        while let order = core.nextLineOrder() { interpret(order) }
        while let output = core.runUntilOutput() { interpret(output, now: now) }
        while let note = core.nextNote() {
            switch note {
            case .directory(let note): take(note)
            case .call(let event): take(event)
            case .code(let note): take(note)
            }
        }
    }

    /// Runs `body` as one round of the loop. The datagrams that it sends leave together at its end, and the next
    /// wake-up is set once, however many inputs it feeds. If this node stood still before, the mesh learns that first.
    func turn(_ body: () -> Void) {
        loop.preconditionInEventLoop()
        turnDepth += 1
        if turnDepth == 1 { noticePause() }
        body()
        turnDepth -= 1
        guard turnDepth == 0 else { return }
        parts.media.flush()
        // The outputs of the round may have changed what the listeners need.
        parts.audio.encoderOrder.give(
            core.voice.encoderChoice.settings, independentRequests: core.voice.independentRequests)
        rearm()
    }

    func start() {
        loop.preconditionInEventLoop()
        let now = Instant.monotonicNow()
        turn {
            // The mesh has outputs from the moment it was made.
            performOutputs(now: now)
            sendMediaClock(now: now)
            // An open microphone talks from the start, and no key press would report it to the mesh.
            if talk.isTalking { change(now: now) { core.setTalking(by: talk.talkingKeys, now: $0) } }
        }
        watchForPauses()
    }

    func leave() {
        loop.preconditionInEventLoop()
        guard !isLeaving else { return }
        isLeaving = true
        feed(.command(.leave))
        pings.endAll()
        words.waiting.endAll()
        answerCodeWaits()
        onLeft?()
        onLeft = nil
    }

    /// Sets the timer for the earliest deadline.
    func rearm() {
        let due = core.nextDeadline?.at ?? .distantFuture
        wakeUp.set(for: min(due, talk.releasesAt ?? .distantFuture), on: loop) { self.wake() }
    }

    private func wake() {
        wakeUp.forget()
        let now = Instant.monotonicNow()
        if let releases = talk.releasesAt, releases <= now { changeTalk { $0.expire(now: now) } }
        turn {
            sendMediaClock(now: now)
            feed(.deadline, now: now)
        }
    }

    /// Looks at the clock: a gap means that this node stood still, not its peers. After a sleep of the machine, or a
    /// long stop, keys that were pressed before are up.
    private func noticePause() {
        let now = Instant.monotonicNow()
        guard let pause = pauses.wake(now: now, asleep: parts.asleep()) else { return }
        feed(.resumed(gap: pause.gap, slept: pause.slept), now: now)
        tell(.resumed(gap: pause.gap))
        if pause.releasesKeys { changeTalk { $0.closePressed(now: now) } }
    }

    /// Looks at the clock twice a second, also if nothing arrives.
    private func watchForPauses() {
        noticePause()
        let next = Interval.milliseconds(500)
        pauses.willSleep(until: .monotonicNow() + next)
        loop.scheduleTask(in: .nanoseconds(next.nanoseconds)) { self.watchForPauses() }
    }

    /// Whether the options give this node a way to announce itself.
    var canAdvertise: Bool { parts.beacon != nil || parts.avahi != nil }

    /// Starts or ends the announcements of this node: beacon and Avahi service. Those of the node that feeds its
    /// programme start and end with them, because they would show this machine too.
    func advertise(_ isAdvertised: Bool) {
        loop.preconditionInEventLoop()
        programme?.advertise(isAdvertised)
        guard isAdvertised != self.isAdvertised else { return }
        self.isAdvertised = isAdvertised
        parts.avahi?.setPublished(isAdvertised)
        if parts.beacon != nil { feed(.command(.setBeacons(isAdvertised))) }
    }

    /// Lowers the whole mix by `decibels`; 0 ends it.
    func dim(by decibels: Double) {
        loop.preconditionInEventLoop()
        dimDecibels = decibels
        parts.audio.setMaster(to: Decibels.factor(of: -decibels))
    }
}

extension NodeLoop {
    /// Shows another profile to the mesh from now on.
    func introduce(as profile: NodeProfile) {
        loop.preconditionInEventLoop()
        guard profile != self.profile else { return }
        self.profile = profile
        peerDirectory.name(core.mesh.node, profile.name)
        feed(.command(.setProfile(profile)))
    }

    /// Keeps the fields of the profile that a person has chosen, for the next start. All others may be another default
    /// then, or stand in a file.
    ///
    /// - Parameter wish: has the fields that the person has named.
    func keepProfile(_ wish: ProfileWords) {
        let shown = ProfileWords(profile)
        var chosen = ProfileWords()
        for field in ProfileWords.fields where wish[field] != nil { chosen[field] = shown[field] ?? "" }
        parts.state.database.remember(profile: chosen.kept)
    }

    /// A sentence for each field that a person has chosen and that the next start does not have.
    func warningsOfNextStart(after wish: ProfileWords) -> [String] {
        let shown = ProfileWords(profile)
        let next = ProfileWords(options.startProfile(parts.state.isGuest ? [:] : wish.kept))
        return ProfileWords.fields.filter { wish[$0] != nil && next[$0] != shown[$0] }.map { field in
            let reason =
                options.introduction[field] == nil ? "a guest keeps nothing" : "its options or files name another one"
            return "this node has this \(field.key.rawValue) until its next start: \(reason)"
        }
    }
}
