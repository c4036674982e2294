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
        for source in blocks.sources { Mixer.add(source, to: mix, count: Speech.frameSamples, from: 1, to: 1) }
        blackHole(mix)
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
