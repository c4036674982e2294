import Benchmark
import Voice

/// A block of each talker, added into one.
final class Mixing: HotPath {
    let turns = 1_000
    private let blocks: Blocks

    init(talkers: Int) { blocks = Blocks(talkers: talkers) }

    func turn() {
        let mix = blocks.mix
        mix.update(repeating: 0, count: Speech.frameSamples)
        for source in blocks.sources { MixKernels.add(source, to: mix, count: Speech.frameSamples, from: 1, to: 1) }
        blackHole(mix)
    }
}

/// The same on the desk that a listener has: two channels, a place for each talker, one loudness.
final class DeskMixing: HotPath {
    let turns = 200
    private let blocks: Blocks
    private var desk = Mixer(channels: 2)
    private let output = UnsafeMutablePointer<Float>.allocate(capacity: 2 * Speech.frameSamples)

    init(talkers: Int) {
        blocks = Blocks(talkers: talkers)
        desk.isLoudnessMatched = true
        for talker in 0..<talkers { desk.setPan(talker, to: Float(talker) / Float(talkers) - 0.5) }
        desk.setPriority(0, to: true)
    }

    deinit { output.deallocate() }

    func turn() {
        desk.begin(count: Speech.frameSamples)
        for (talker, source) in blocks.sources.enumerated() { desk.add(source, of: talker, count: Speech.frameSamples) }
        desk.finish(into: output, count: Speech.frameSamples)
        blackHole(output)
    }
}

/// The same samples, moved and nothing else.
final class BlockCopying: HotPath {
    let turns = 1_000
    private let blocks: Blocks

    init(talkers: Int) { blocks = Blocks(talkers: talkers) }

    func turn() {
        let mix = blocks.mix
        for source in blocks.sources {
            mix.update(from: source, count: Speech.frameSamples)
            blackHole(mix)
        }
    }
}

private final class Blocks {
    let sources: [UnsafeMutablePointer<Float>]
    let mix = UnsafeMutablePointer<Float>.allocate(capacity: Speech.frameSamples)

    init(talkers: Int) {
        sources = (0..<talkers).map { _ in
            let block = UnsafeMutablePointer<Float>.allocate(capacity: Speech.frameSamples)
            block.initialize(repeating: 0.01, count: Speech.frameSamples)
            return block
        }
        mix.initialize(repeating: 0, count: Speech.frameSamples)
    }

    deinit {
        for source in sources { source.deallocate() }
        mix.deallocate()
    }
}
