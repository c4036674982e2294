// WAV files under libFuzzer, up to the device that plays them as a microphone.

import FileAudio
import Primitives

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWave(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for side in [WaveFile.Side.mean, .right] {
        guard let file = try? WaveFile.parse(bytes, path: "sound.wav", side) else { return 0 }
        precondition(file.samples.allSatisfy(\.isFinite))
        let device = PacedCapture(
            source: .samples(file.samples), periodSamples: 480, startsAt: file.startsAt ?? .zero)
        _ = device.hasEnded
    }
    return 0
}
