import Glibc

/// WAV files built by hand.
enum WaveBytes {
    struct Coding: Sendable {
        var tag: UInt16
        var bits: UInt16
        /// One sample of half of full scale.
        var half: [UInt8]
    }

    static let pcm16 = Coding(tag: 1, bits: 16, half: [0x00, 0x40])

    static func file(
        _ coding: Coding, channels: UInt16, rateHertz: Int, data: [UInt8], startsAtNanoseconds: Int64? = nil
    ) -> [UInt8] {
        let frame = channels * coding.bits / 8
        let format =
            little(coding.tag) + little(channels) + little(UInt32(rateHertz))
            + little(UInt32(rateHertz) * UInt32(frame)) + little(frame) + little(coding.bits)
        // An odd chunk that nobody knows stands in between, with its byte of padding.
        let unknown = chunk("note", [1, 2, 3]) + [0]
        let start = startsAtNanoseconds.map { chunk("pltm", little($0)) } ?? []
        let body = Array("WAVE".utf8) + chunk("fmt ", format) + unknown + start + chunk("data", data)
        return chunk("RIFF", body)
    }

    static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(UInt32(body.count)) + body
    }
}

func sine(turns: Double) -> Double { sin(turns * 2 * .pi) }

/// A path of its own below the temporary folder; removed when dropped.
final class TemporaryPath {
    let path: String

    init(_ name: String) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(folder)/partyline-test-\(getpid())-\(name)"
    }

    deinit { unlink(path) }
}
