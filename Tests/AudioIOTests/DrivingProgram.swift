import AudioIO
import Dispatch
import Glibc
import Primitives
import Synchronization
import SystemClock

/// A thread that pushes a sine into one endpoint and pulls from another, 5 ms of sound every 5 ms, like a telephone.
final class DrivingProgram: Sendable {
    static let blockSamples = 240

    private let isEnded = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)
    private let pulled = Mutex<[Float]>([])

    /// - Parameter hertz: the frequency of the sine. Its amplitude is a quarter of full scale.
    init(capture: DrivenCapture?, playback: DrivenPlayback?, hertz: Int = 1_000) {
        DispatchQueue(label: "driving program", qos: .userInteractive).async { [self] in
            drive(capture, playback, hertz)
            ended.signal()
        }
    }

    /// The first channel of all pulled sound.
    var heard: [Float] { pulled.withLock { $0 } }

    /// Returns when the last block has been pushed and pulled.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        ended.wait()
    }

    private func drive(_ capture: DrivenCapture?, _ playback: DrivenPlayback?, _ hertz: Int) {
        let channels = playback?.traits.channels ?? 1
        var block = [Float](repeating: 0, count: Self.blockSamples * channels)
        let sine = (0..<48_000).map { 0.25 * sinf(2 * .pi * Float($0 * hertz % 48_000) / 48_000) }
        let begin = Instant.monotonicNow()
        var position = 0
        while !isEnded.load(ordering: .relaxed) {
            let start = position % 48_000
            sine.withUnsafeBufferPointer {
                capture?.push(UnsafeBufferPointer(rebasing: $0[start..<start + Self.blockSamples]))
            }
            if let playback {
                _ = block.withUnsafeMutableBufferPointer { playback.pull(into: $0) }
                let first = stride(from: 0, to: block.count, by: channels).map { block[$0] }
                pulled.withLock { $0 += first }
            }
            position += Self.blockSamples
            sleep(until: begin + Interval(samples: position))
        }
    }
}
