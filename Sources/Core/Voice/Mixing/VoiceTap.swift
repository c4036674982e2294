/// A second consumer of the sound besides the loudspeaker: a function pointer, as in `VoiceDecoder`, called on the
/// playback thread for every block that sounds. It is not called for silent blocks.
package struct VoiceTap: @unchecked Sendable, BitwiseCopyable {
    /// `talker` is a slot's index, with that talker's sound before it is mixed; or it is `mix`, with everything as it
    /// is heard, left and right interleaved, `count` samples of each. `position` is the block's first sample, in
    /// samples of the playback card.
    package typealias Take =
        @convention(c) (
            _ context: UnsafeMutableRawPointer, _ talker: Int32, _ samples: UnsafePointer<Float>, _ count: Int32,
            _ position: Int64
        ) -> Void

    package static let mix: Int32 = -1

    package var context: UnsafeMutableRawPointer
    package var take: Take

    package init(context: UnsafeMutableRawPointer, take: @escaping Take) {
        self.context = context
        self.take = take
    }
}
