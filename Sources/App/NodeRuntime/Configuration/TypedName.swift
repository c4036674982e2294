package import Channels
import Foundation
package import Primitives
import Wire

/// The one rule for names that a person writes in a verb, in an option or in a file: names of channels and of people,
/// and roles.
package enum TypedName {
    /// Returns a name that is shown exactly as it was written. A letter and its mark become one character where Unicode
    /// has it (normal form C), so that both spellings of such a name are one name.
    ///
    /// - Throws: the reason for which the text is no name.
    package static func read(_ text: String) throws(NameFault) -> SafeText {
        guard text.contains(where: { !$0.isWhitespace }) else { throw .empty }
        guard text.utf8.count <= typedBytesMax else { throw .tooLong }
        // U+FFFD stands for bytes that are not text, and no keyboard has it.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw .noText }
        let composed = text.precomposedStringWithCanonicalMapping
        let shown = SafeText(composed, graphemesMax: .max, bytesMax: .max)
        guard shown.string.utf8.elementsEqual(composed.utf8) else {
            throw fault(of: composed, shownAs: shown.string)
        }
        guard let first = composed.unicodeScalars.first, !first.properties.isGraphemeExtend else { throw .invisible }
        guard SafeText(composed, graphemesMax: graphemesMax, bytesMax: bytesMax) == shown else { throw .tooLong }
        return shown
    }

    private static func fault(of text: String, shownAs shown: String) -> NameFault {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if words.utf8.elementsEqual(shown.utf8) { return .spaces }
        var markCount = 0
        for scalar in text.unicodeScalars {
            markCount = scalar.isMark ? markCount + 1 : 0
            if SafeText.marksMax < markCount { return .marks }
            if scalar.properties.generalCategory == .control { return .control }
        }
        return .invisible
    }

    static let graphemesMax = WireLimits.profileTextGraphemesMax
    static let bytesMax = WireLimits.profileTextBytesMax
    /// Longer texts are refused before they are composed. A name within the limits is never longer, because no letter
    /// has a spelling of more than four times its bytes.
    private static let typedBytesMax = 4 * bytesMax
}

extension ChannelName {
    /// Reads a written name, with its mark if the channel has a code.
    ///
    /// - Throws: the reason for which the text is no name.
    package init(typed text: String) throws(NameFault) {
        let unmarked = ChannelName.unmarked(text).map(String.init)
        let read = try TypedName.read(unmarked ?? text)
        guard ChannelName.unmarked(read.string) == nil else { throw .mark }
        guard !ChannelName.looksMarked(read.string) else { throw .markLook }
        guard let name = ChannelName(read.string, hasCode: unmarked != nil) else { throw .tooLong }
        self = name
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}

/// The reason why a text is no name.
package enum NameFault: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooLong
    /// White space at an end, two in a row, or another kind than the space.
    case spaces
    /// More marks on a letter than `SafeText.marksMax`.
    case marks
    /// The mark of a channel with a code, twice.
    case mark
    /// A beginning that looks like the mark of a channel with a code, and is none.
    case markLook
    /// Bytes that are not UTF-8, for example from a terminal with another encoding.
    case noText
    /// A control character, such as the escape that begins a colour on a terminal.
    case control
    /// A character that has no shape, changes the direction of the text, or belongs to a letter that is not there.
    case invisible

    /// What the name must be, in words that follow "must".
    package var description: String {
        switch self {
        case .empty: "not be empty"
        case .tooLong: "have at most \(TypedName.graphemesMax) characters and \(TypedName.bytesMax) bytes in UTF-8"
        case .spaces: "have single spaces, and only between words"
        case .marks: "have at most \(SafeText.marksMax) marks on a letter"
        case .mark: "have \(ChannelName.codeMark) once"
        case .markLook: "not begin with what looks like \(ChannelName.codeMark); type it with plain letters"
        case .noText: "be text in UTF-8"
        case .control: "hold no control character, such as an escape"
        case .invisible: "hold no character that is invisible, without a letter, or changes the direction of text"
        }
    }
}
