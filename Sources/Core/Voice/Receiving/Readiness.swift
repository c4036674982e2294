/// The time at which arrived sound can be played: playback asks for whole blocks.
///
/// Sound that comes less than 1/6 ms before its block is asked for counts for the next block: with so small a margin
/// the next packet may come too late.
struct Readiness: BitwiseCopyable {
    /// Start of the block in which the sound can be played.
    let usable: Int64
    /// `usable` for the worst phase between packets and blocks; the phase drifts.
    let usableAtWorst: Int64
    /// Whether the threads of this node were stopped when the sound came. The delay then says nothing about the path.
    let isExcused: Bool

    /// All positions are in samples of the playback card.
    /// - Parameters:
    ///   - arrival: time of arrival.
    ///   - nextBlock: start of the block rendered next.
    ///   - excusedUntil: the threads of this node were stopped until this time. An arrival up to then is excused.
    @_noAllocation @_noLocks
    init(arrival: Int64, nextBlock: Int64, blockSamples: Int, excusedUntil: Int64) {
        let ready = arrival &+ Self.readySamples
        let late = max(0, ready &- nextBlock)
        let blocks = (late &+ Int64(blockSamples) - 1) / Int64(blockSamples)
        usable = nextBlock &+ blocks &* Int64(blockSamples)
        isExcused = arrival <= excusedUntil
        usableAtWorst = max(usable, ready &+ Int64(blockSamples))
    }

    /// 1/6 ms.
    private static let readySamples: Int64 = 8
}
