package import Channels
import Foundation
import Primitives

/// The one rule for names of channels that a person writes: in a verb, in an option or in a file.
extension ChannelName {
    /// Takes a name that is shown exactly as it was written. A letter and its mark become one character where Unicode
    /// has it (normal form C), so that both spellings of such a name mean one channel.
    ///
    /// - Throws: the reason for which the text is no name.
    package init(typed text: String) throws(ChannelNameFault) {
        guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
        guard text.utf8.count <= ChannelLimits.typedBytesMax else { throw .tooLong }
        let composed = text.precomposedStringWithCanonicalMapping
        let shown = SafeText(composed, graphemesMax: .max, bytesMax: .max).string
        guard shown.utf8.elementsEqual(composed.utf8) else {
            let words = composed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            throw words.utf8.elementsEqual(shown.utf8) ? .spaces : .invisible
        }
        guard let first = composed.unicodeScalars.first, !first.properties.isGraphemeExtend else { throw .invisible }
        guard let name = ChannelName(composed) else { throw .tooLong }
        self = name
    }
}

extension ChannelLimits {
    /// Longer texts are refused before they are composed. A name within the limits is never longer, because no letter
    /// has a spelling of more than four times its bytes.
    fileprivate static let typedBytesMax = 4 * nameBytesMax
}

/// The reason why a text is no name of a channel.
package enum ChannelNameFault: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooLong
    /// White space at an end, two in a row, or another kind than the space.
    case spaces
    /// A character that has no shape, changes the direction of the text, or belongs to a letter that is not there.
    case invisible

    /// What the name must be, in words that follow "must".
    package var description: String {
        switch self {
        case .empty: "not be empty"
        case .tooLong:
            "have at most \(ChannelLimits.nameGraphemesMax) characters and \(ChannelLimits.nameBytesMax) bytes in UTF-8"
        case .spaces: "have single spaces, and only between words"
        case .invisible: "hold no character that is invisible, without a letter, or changes the direction of text"
        }
    }
}
