/// A line of the table: a hot path beside what it cannot do without.
struct Row {
    enum Heap {
        /// Shown.
        case free
        /// Nothing may be asked of the heap: the audio threads run this.
        case untouched
    }

    let path: String
    /// Benchmark that does the unavoidable part alone; nil where there is none.
    let floor: String?
    /// How often the path runs while a node is busy, as the time that one run may fill; nil where
    /// nothing sets the pace.
    let everyMicroseconds: Double?
    let heap: Heap

    init(_ path: String, over floor: String?, everyMicroseconds: Double? = nil, heap: Heap = .free) {
        self.path = path
        self.floor = floor
        self.everyMicroseconds = everyMicroseconds
        self.heap = heap
    }

    /// Names are those of `HotPaths/Benchmarks.swift`.
    static let all = [
        Row("datagram: AES-GCM seal", over: "datagram: copy"),
        Row("datagram: seal", over: "datagram: AES-GCM seal"),
        Row("datagram: AES-GCM open", over: "datagram: copy"),
        Row("datagram: open", over: "datagram: AES-GCM open"),
        Row("frame: OpusCodec encode", over: "frame: libopus encode", everyMicroseconds: 5_000, heap: .untouched),
        Row("period: send", over: "frame: libopus encode", everyMicroseconds: 5_000, heap: .untouched),
        Row("frame: OpusCodec decode", over: "frame: libopus decode", everyMicroseconds: 5_000, heap: .untouched),
        Row("block: receive without a codec", over: "block: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row("mix 1: mix", over: "mix 1: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row("mix 8: mix", over: "mix 8: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row("mix 50: mix", over: "mix 50: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row("desk 50: mix in stereo", over: "mix 50: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row("50 talkers: buffers", over: "mix 50: copy", everyMicroseconds: 5_000, heap: .untouched),
        Row(
            "50 talkers: receive in stereo", over: "50 talkers: libopus decode", everyMicroseconds: 5_000,
            heap: .untouched),
        Row("50 talkers: receive", over: "50 talkers: libopus decode", everyMicroseconds: 5_000, heap: .untouched),
        Row("50 talkers: open and receive", over: "50 talkers: libopus decode", everyMicroseconds: 5_000),
        Row("heartbeat: handle", over: "heartbeat: sealing alone"),
        Row("deadline: handle", over: nil),
        Row("simulator: a second of 8 nodes", over: nil, everyMicroseconds: 1_000_000),
    ]
}
