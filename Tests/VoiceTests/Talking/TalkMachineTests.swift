import Primitives
import Testing
import Voice

@Suite("state machines of the talk key")
struct TalkMachineTests {
    private let start = Instant(nanoseconds: 7_000_000_000)

    /// Each state by the events that lead to it, each further event, and whether the key then talks and is held.
    @Test(
        "the smart key, for each state and event",
        arguments: [
            ([], SmartKey.Event.press, true, true), ([], .release, false, false), ([], .tap, false, false),
            ([.press], .press, true, true), ([.press], .release, true, false), ([.press], .tap, true, false),
            ([.press, .tap], .press, false, false), ([.press, .tap], .release, true, false),
            ([.press, .tap], .tap, true, false), ([.press, .tap, .press], .press, false, false),
            ([.press, .tap, .press], .release, false, false), ([.press, .tap, .press], .tap, false, false),
        ] as [([SmartKey.Event], SmartKey.Event, Bool, Bool)])
    func smart(before: [SmartKey.Event], event: SmartKey.Event, talks: Bool, isHeld: Bool) {
        var key = SmartKey()
        for event in before { key.handle(event, now: start) }
        key.handle(event, now: start + .milliseconds(100))
        #expect(key.isTalking == talks && key.isHeld == isHeld)
    }

    @Test(
        "for the smart key up to 0.4 s is a tap, and longer is a hold",
        arguments: [(400, true), (401, false), (5_000, false)])
    func tapOrHold(milliseconds: Int64, latches: Bool) {
        var key = SmartKey()
        key.handle(.press, now: start)
        #expect(key.isTalking)
        key.handle(.release, now: start + .milliseconds(milliseconds))
        #expect(key.isTalking == latches)
        key.letGo()
        #expect(!key.isTalking)
        key.latch()
        #expect(key.isTalking && !key.isHeld)
    }

    @Test("a smart key is ending from the press that ends its latch until it is up")
    func ending() {
        var key = SmartKey()
        let steps: [(SmartKey.Event, Bool)] = [
            (.press, false), (.tap, false), (.press, true), (.press, true), (.release, false), (.press, false),
        ]
        for (event, isEnding) in steps {
            key.handle(event, now: start)
            #expect(key.isEnding == isEnding)
        }
    }

    @Test("the press that ends a latch may repeat; one that comes a second after the last repeat is a new one")
    func endingRepeats() {
        var key = SmartKey()
        key.latch()
        for milliseconds in [0, 660, 1_660] as [Int64] {
            key.handle(.press, now: start + .milliseconds(milliseconds))
            #expect(key.isEnding && !key.isTalking, "\(milliseconds)")
        }
        key.handle(.press, now: start + .milliseconds(2_661))
        #expect(key.isHeld && key.isTalking)
        key.handle(.release, now: start + .milliseconds(4_000))
        #expect(!key.isTalking)
    }

    @Test("a key that is down for its limit is stuck, until it has been up")
    func stuck() {
        var key = StuckKey(limit: .seconds(10))
        key.update(isDown: false, now: start)
        #expect(key.deadline == nil && !key.isStuck)
        key.update(isDown: true, now: start)
        #expect(key.deadline == start + .seconds(10))
        key.update(isDown: true, now: start + .milliseconds(9_999))
        #expect(!key.isStuck)
        key.update(isDown: true, now: start + .seconds(10))
        #expect(key.isStuck && key.deadline == nil)
        key.update(isDown: true, now: start + .seconds(99))
        #expect(key.isStuck)
        key.update(isDown: false, now: start + .seconds(100))
        #expect(!key.isStuck)
        var endless = StuckKey(limit: nil)
        endless.update(isDown: true, now: start)
        endless.update(isDown: true, now: start + .seconds(100_000))
        #expect(!endless.isStuck && endless.deadline == nil)
    }

    /// Periods of 100 ms: whether the key wants to talk, whether others are heard, and whether it may talk.
    @Test(
        "in half-duplex a talker goes on, and a waiting key opens when the others are silent",
        arguments: [
            [(false, false, false), (true, false, true), (true, true, true), (true, true, true), (false, true, false)],
            [(true, true, false), (true, true, false), (true, false, false), (true, false, true)],
            [
                (false, true, false), (true, false, false), (true, false, true), (false, false, false),
                (true, false, true),
            ],
            [
                (true, true, false), (true, false, false), (true, true, false), (true, false, false),
                (true, false, true),
            ],
            [(true, false, true), (false, false, false), (true, true, false)],
        ])
    func halfDuplex(steps: [(wants: Bool, others: Bool, may: Bool)]) {
        var floor = HalfDuplex()
        for (number, step) in steps.enumerated() {
            let may = floor.mayTalk(
                wants: step.wants, isHeld: step.wants, othersHeard: step.others, samples: 4_800)
            #expect(may == step.may, "\(number)")
        }
    }

    @Test("in half-duplex a key that a person holds for 5 s opens although others never pause; the voice opens none")
    func heldAgainstOthers() {
        func may(_ floor: inout HalfDuplex, wants: Bool, isHeld: Bool) -> Bool {
            floor.mayTalk(wants: wants, isHeld: isHeld, othersHeard: true, samples: 4_800)
        }
        var (held, voice, released) = (HalfDuplex(), HalfDuplex(), HalfDuplex())
        // The first period only notices that others have the floor.
        for period in 0..<100 {
            let isDown = period % 50 != 49
            let talks = [
                may(&held, wants: true, isHeld: true), may(&voice, wants: true, isHeld: false),
                may(&released, wants: isDown, isHeld: isDown),
            ]
            #expect(talks == [50 <= period, false, false], "\(period)")
        }
        let afterwards = [false, true].map { may(&held, wants: $0, isHeld: $0) }
        #expect(afterwards == [false, false], "the wait begins anew")
    }

    @Test("a cough closes the gate in every mode, and does not change the detector")
    func cough() {
        let detection = VoiceDetector.Settings(attackSegments: 1, hangSegments: 10, powerMin: 1e-5)
        let loud = [Float](repeating: 0, count: 240) + Sound.tone(240, hertz: 1_000, amplitude: 0.5)
        var gate = TalkGate(detection: detection, isHalfDuplex: false)
        func isOpen(_ keys: TalkGate.Keys, isCoughing: Bool) -> Bool {
            loud.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return false }
                return !gate.keysOpened(
                    base, count: 480, keys: keys, isCoughing: isCoughing, othersHeard: false
                ).isEmpty
            }
        }
        #expect(
            isOpen(.down, isCoughing: false) && !isOpen(.none, isCoughing: false) && isOpen(.voice, isCoughing: false))
        let floor = gate.detector.floor.power
        for _ in 0..<100 {
            #expect(!isOpen(.down, isCoughing: true) && !isOpen(.voice, isCoughing: true))
        }
        #expect(gate.detector.floor.power == floor && !gate.detector.isSpeaking)
    }

    @Test("a word that a released key cut short does not open the key when voice control returns")
    func staleWord() {
        var gate = TalkGate(
            detection: VoiceDetector.Settings(attackSegments: 1, hangSegments: 100, powerMin: 1e-5),
            isHalfDuplex: false)
        func isOpen(_ samples: [Float], _ keys: TalkGate.Keys) -> Bool {
            samples.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return false }
                return !gate.keysOpened(
                    base, count: samples.count, keys: keys, isCoughing: false, othersHeard: false
                ).isEmpty
            }
        }
        let (quiet, loud) = ([Float](repeating: 0, count: 240), Sound.tone(240, hertz: 1_000, amplitude: 0.5))
        for key in [TalkGate.Keys.none, .down] {
            #expect(isOpen(quiet + loud, .voice))
            #expect(isOpen(quiet, .voice), "a pause between words")
            #expect(isOpen(quiet, key) == (key == .down))
            #expect(!gate.detector.isSpeaking)
            #expect(!isOpen(quiet, .voice))
        }
    }

    @Test("half-duplex mutes within 10 ms, and returns without a step")
    func mute() {
        var mute = FloorMute()
        var samples = [Float](repeating: 1, count: 960)
        samples.withUnsafeMutableBufferPointer { block in
            guard let base = block.baseAddress else { return }
            for start in stride(from: 0, to: 960, by: 240) {
                mute.process(base + start, count: 240, channels: 1, isMute: start < 480)
            }
        }
        #expect(abs(samples[479]) < 0.01 && 0.99 < samples[959])
        #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
    }
}

extension TalkGate.Keys {
    /// The first key is down.
    fileprivate static let down = TalkGate.Keys(down: .first)
    /// The first key is voice-operated.
    fileprivate static let voice = TalkGate.Keys(voice: .first)
}
