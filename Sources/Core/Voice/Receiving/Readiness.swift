/// When something that came can sound: playback asks for whole blocks.
///
/// A sixth of a millisecond before the block is asked for is too close: the next packet may miss it.
struct Readiness: BitwiseCopyable {
    /// Start of the block in which it can sound.
    let usable: Int64
    /// The same where the phase between packets and blocks, which drifts, is at its worst.
    let usableAtWorst: Int64
    /// Whether this node stood still as it came: that says nothing of the way here.
    let isExcused: Bool

    /// - Parameters:
    ///   - arrival: when it came.
    ///   - nextBlock: start of the block rendered next; all on the playback card's line.
    @_noAllocation @_noLocks
    init(arrival: Int64, nextBlock: Int64, blockSamples: Int, excusedUntil: Int64) {
        let ready = arrival &+ Self.readySamples
        let late = max(0, ready &- nextBlock)
        let blocks = (late &+ Int64(blockSamples) - 1) / Int64(blockSamples)
        usable = nextBlock &+ blocks &* Int64(blockSamples)
        isExcused = arrival <= excusedUntil
        usableAtWorst = max(usable, ready &+ Int64(blockSamples))
    }

    private static let readySamples: Int64 = 8
}
