/// Where sound goes besides the loudspeaker: a function pointer, as `VoiceDecoder` is, called on the
/// playback thread for every block that sounds. Silent blocks are not told.
package struct VoiceTap: @unchecked Sendable, BitwiseCopyable {
    /// `talker` is a slot's index, the sound as it was spoken; or `mix`, all that is heard, left and right in
    /// turn, `count` of each. `position` is the block's first sample on the playback card's line.
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
