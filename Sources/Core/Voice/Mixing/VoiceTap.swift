/// A second consumer of the sound besides the loudspeaker: a function pointer that the playback thread calls for each
/// block in which a peer sounds. It is not called for silent blocks, nor for those with only a beep or with the last
/// sound of a peer that has gone.
package struct VoiceTap: @unchecked Sendable, BitwiseCopyable {
    /// Takes one block of `count` samples. If `talker` is a slot's index, `samples` is the sound of that talker before
    /// it is mixed, in mono. If `talker` is `mix`, `samples` is the whole mix, left and right interleaved, `count`
    /// samples of each. `position` is the index of the block's first sample on the playback card.
    package typealias Take =
        @convention(c) (
            _ context: UnsafeMutableRawPointer, _ talker: Int32, _ samples: UnsafePointer<Float>, _ count: Int32,
            _ position: Int64
        ) -> Void

    /// The value of `talker` for the mix.
    package static let mix: Int32 = -1

    /// First argument of each call to `take`.
    package var context: UnsafeMutableRawPointer
    package var take: Take

    package init(context: UnsafeMutableRawPointer, take: @escaping Take) {
        self.context = context
        self.take = take
    }
}
