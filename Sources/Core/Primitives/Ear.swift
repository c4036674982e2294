/// The ear in which a listener hears a channel. It has no effect on an output of one channel.
public enum Ear: UInt8, CaseIterable, Hashable, Sendable, BitwiseCopyable {
    /// Where the listener has placed the talker.
    case both
    case left
    case right
}
