/// Why a recording ended before anybody said so.
package enum RecordingEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full or refuses; in words.
    case refused(String)
    /// A WAV file can hold no more.
    case full

    package var description: String {
        switch self {
        case .refused(let why): why
        case .full: "a WAV file holds no more than 6 hours"
        }
    }
}
