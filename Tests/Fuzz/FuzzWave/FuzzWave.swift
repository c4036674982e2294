// WAV files under libFuzzer, whole and piece by piece, as the device does that plays them as a microphone.

import FileAudio

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWave(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for side in [WaveFile.Side.mean, .right] {
        guard let file = try? WaveFile.parse(bytes, path: "sound.wav", side),
            let reader = try? WaveReader(bytes, path: "sound.wav", side)
        else { return 0 }
        precondition(file.samples.allSatisfy(\.isFinite) && file.samples.count == reader.count)
        let middle = reader.count / 3..<reader.count / 2
        precondition((try? reader.samples(middle)) == Array(file.samples[middle]))
    }
    return 0
}
