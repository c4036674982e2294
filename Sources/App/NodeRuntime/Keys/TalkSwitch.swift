package import Primitives
package import Voice

/// Decides by which keys voice leaves this node. It holds every talk key, and the cough switch, which silences them
/// all.
///
/// Keys do not influence each other: of several that are down, each speaks to its own targets.
package struct TalkSwitch {
    private enum Cough {
        case off
        /// `until` is nil if only an order ends it.
        case on(until: Instant?)
    }

    /// By key.
    package private(set) var keys: [KeySwitch]
    /// By key: the mode that it gets when it is up; nil if it keeps its mode.
    private var nextModes: [TalkMode?]
    /// The longest time that a key may be held; nil for no limit.
    package let keyLimit: Interval?
    private var cough = Cough.off
    private let isHalfDuplex: Bool
    /// The keys of the frames that are sent now.
    package private(set) var sentKeys: KeySet = []
    /// Whether a frame was sent since the latest `missesSpurtEnd`.
    private var hasSent = false

    /// - Parameters:
    ///   - modes: the mode of each key; at least one, at most `TalkLimits.keysMax`.
    ///   - isHalfDuplex: whether the keys wait while others talk.
    package init(modes: [TalkMode], keyLimit: Interval? = TalkLimits.keyLimit, isHalfDuplex: Bool = false) {
        precondition(!modes.isEmpty && modes.count <= TalkLimits.keysMax, "\(modes.count) keys")
        keys = modes.map { KeySwitch(mode: $0, limit: keyLimit) }
        nextModes = modes.map { _ in nil }
        self.keyLimit = keyLimit
        self.isHalfDuplex = isHalfDuplex
    }

    /// Makes a key, which is up. It is a further one, or takes the place of another.
    /// - Precondition: `key` is the number of an idle key, or of the next one and below `TalkLimits.keysMax`.
    package mutating func set(_ mode: TalkMode, of key: Int) {
        let made = KeySwitch(mode: mode, limit: keyLimit)
        if key == keys.count {
            precondition(keys.count < TalkLimits.keysMax, "a key too many")
            keys.append(made)
            nextModes.append(nil)
        } else {
            precondition(isIdle(key), "another key in the place of key \(key), which is in use")
            (keys[key], nextModes[key]) = (made, nil)
        }
    }

    /// Gives a key another mode. A key that a person has pressed keeps its mode until it is up, since the finger that
    /// lets it go in another mode could leave the microphone open. No finger holds an open or a voice-operated key, so
    /// it changes at once; one that a person has switched off stays off.
    package mutating func change(to mode: TalkMode, of key: Int) {
        nextModes[key] = mode == keys[key].mode ? nil : mode
        changeModes()
    }

    /// Returns the mode that a key gets when it is up; nil if it keeps its mode.
    package func nextMode(of key: Int) -> TalkMode? { nextModes[key] }

    /// - Parameter closed: keys that have just been switched off. A mode that starts down does not open them.
    private mutating func changeModes(closed: KeySet = []) {
        for (index, key) in keys.enumerated() {
            guard let mode = nextModes[index], !key.isPressed || key.mode.isDownByItself else { continue }
            let isOff = closed.contains(.key(index)) || key.mode.isDownByItself && !key.isPressed
            (keys[index], nextModes[index]) = (KeySwitch(mode: mode, limit: keyLimit, isOff: isOff), nil)
        }
    }

    /// The keys by which this node talks, as peers are told: those that are down. With vox and half-duplex they are
    /// only those of them by which frames are sent now. A voice-operated key stays down, so its talk ends with the
    /// spurt.
    package var talkingKeys: KeySet {
        guard !isCoughing else { return [] }
        var talking: KeySet = []
        for (index, key) in keys.enumerated() where key.isDown {
            let followsVoice = key.mode == .vox || isHalfDuplex
            if !followsVoice || sentKeys.contains(.key(index)) { talking.insert(.key(index)) }
        }
        return talking
    }

    /// The modes of the keys by which this node talks, each once.
    package var talkingModes: [TalkMode] {
        let talking = talkingKeys
        return keys.enumerated().reduce(into: []) { modes, key in
            let mode = key.element.mode
            if talking.contains(.key(key.offset)), !modes.contains(mode) { modes.append(mode) }
        }
    }

    /// Whether this node talks.
    package var isTalking: Bool { !talkingKeys.isEmpty }

    /// Whether this node talks by a key that a person presses. The voice works a key with vox, and nobody an open one.
    package var isTalkingByPress: Bool {
        let talking = talkingKeys
        return keys.indices.contains { talking.contains(.key($0)) && !keys[$0].mode.isDownByItself }
    }

    /// Whether the microphone is off for a cough, whatever keys are down.
    package var isCoughing: Bool {
        if case .on = cough { true } else { false }
    }

    /// The keys that were held for too long.
    package var stuckKeys: KeySet {
        var stuck: KeySet = []
        for (index, key) in keys.enumerated() where key.isStuck { stuck.insert(.key(index)) }
        return stuck
    }

    /// Whether a key was held for too long.
    package var isStuck: Bool { !stuckKeys.isEmpty }

    /// Whether nobody presses a key, not even for too long, and its frames have all been sent: it may get other
    /// targets.
    package func isIdle(_ key: Int) -> Bool { !keys[key].isPressed && !sentKeys.contains(.key(key)) }

    /// The keys that are down, whether or not a voice is heard.
    package var downKeys: KeySet { gateKeys.down.union(gateKeys.voice) }

    /// The keys as the capture thread must have them.
    package var gateKeys: TalkGate.Keys {
        var gate = TalkGate.Keys.none
        for (index, key) in keys.enumerated() where key.isDown {
            if key.mode == .vox { gate.voice.insert(.key(index)) } else { gate.down.insert(.key(index)) }
        }
        return gate
    }

    /// The next instant at which a hold, a cough or the limit of a key ends; nil if there is none. Call `expire` then.
    package var releasesAt: Instant? {
        var earliest = Instant.distantFuture
        for key in keys { earliest = min(earliest, key.releasesAt ?? .distantFuture) }
        if case .on(let until?) = cough { earliest = min(earliest, until) }
        return earliest == .distantFuture ? nil : earliest
    }

    /// Carries out an order of a person, a program or a key.
    /// - Precondition: `key` is the number of a key.
    package mutating func perform(_ order: TalkOrder, key: Int = 0, now: Instant) {
        switch order {
        case .cough(let seconds):
            // A cough that lasts until `uncough` must not end after a short touch of the cough key.
            if seconds != nil, case .on(until: nil) = cough { break }
            cough = .on(until: seconds.map { now + Interval(nanoseconds: Int64($0 * 1e9)) })
        case .uncough: cough = .off
        case .on, .off, .toggle, .hold, .press, .release, .tap: keys[key].perform(order, now: now)
        }
        changeModes()
    }

    /// Switches every key off on request of a peer. A key that is held opens again when it is pressed anew.
    package mutating func closeAll(now: Instant) { close(KeySet(keys.indices.map(KeySet.key)), now: now) }

    /// Switches keys off, such as one that would talk elsewhere. As after `closeAll`, a key opens when it is pressed
    /// anew.
    package mutating func close(_ closed: KeySet, now: Instant) {
        for key in keys.indices where closed.contains(.key(key)) { keys[key].close(now: now) }
        changeModes(closed: closed)
    }

    /// Switches off every key that is down only by a press: the machine has slept, or the process was stopped, and
    /// nobody knows whether a finger is still there. An open or a voice-operated key stays as it is. As after
    /// `closeAll`, a key opens when it is pressed anew.
    package mutating func closePressed(now: Instant) {
        close(KeySet(keys.indices.filter { !keys[$0].mode.isDownByItself }.map(KeySet.key)), now: now)
    }

    /// Ends the holds and the cough whose time is over at `now`, and updates the guards.
    package mutating func expire(now: Instant) {
        for key in keys.indices { keys[key].expire(now: now) }
        if case .on(let until?) = cough, until <= now { cough = .off }
        changeModes()
    }

    /// Call it when the frames of the capture thread begin to have other keys; with none when a talk spurt has ended.
    package mutating func setSent(_ keys: KeySet) { (sentKeys, hasSent) = (keys, true) }

    /// Call it when a frame is sent that has the same keys as the one before.
    package mutating func noteSent() { hasSent = true }

    /// Returns whether keys are still sent, and no frame came since the latest call: the frame that ends the spurt was
    /// lost in a full ring. Call it every half second.
    package mutating func missesSpurtEnd() -> Bool {
        defer { hasSent = false }
        return !hasSent && !sentKeys.isEmpty
    }
}
