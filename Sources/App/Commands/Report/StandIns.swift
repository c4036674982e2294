import NodeRuntime
import Primitives

/// The words that a report shows instead of names, addresses and paths: `peer 1`, `channel 2`, `address 3`. One thing
/// has the same stand-in in the whole report. A person and a channel of one name have two.
struct StandIns {
    enum Kind: String, Hashable {
        case node, peer, channel, mesh, key, role, address, path

        /// This node is one of the nodes that other parts of the report name.
        fileprivate var family: Kind { self == .node ? .peer : self }
    }

    /// A name in fields of one family.
    private struct Name: Hashable {
        let text: String
        let family: Kind

        init(_ text: String, _ kind: Kind) {
            self.text = text
            family = kind.family
        }
    }

    /// Whether everything is shown as it is.
    let keepsNames: Bool
    private var known: [Name: String] = [:]
    /// The stand-ins of channels by their names in lower case: in another spelling it is the same channel.
    private var channels: [String: String] = [:]
    private var counts: [Kind: Int] = [:]
    /// The names that sentences are searched for, the longest first; and those of paths.
    private var names: [Name] = []
    private var paths: [Name] = []

    init(keepsNames: Bool) { self.keepsNames = keepsNames }

    /// Gives all names of one thing the same stand-in.
    mutating func introduce(_ texts: [String], as kind: Kind) {
        let texts = texts.filter { !$0.isEmpty && !Self.isDefault($0, of: kind) }
        guard !texts.isEmpty else { return }
        let folded = kind == .channel ? texts.map { $0.lowercased() } : []
        let standIn =
            texts.lazy.compactMap { [known] in known[Name($0, kind)] }.first
            ?? folded.lazy.compactMap { [channels] in channels[$0] }.first ?? next(kind)
        for name in folded { channels[name] = standIn }
        // A sentence may show a command with the name of a channel, quoted for a shell.
        let words = kind == .channel ? texts.map(ShellWord.quoted) : []
        for name in (texts + words).map({ Name($0, kind) }) where known[name] == nil {
            known[name] = standIn
            if kind == .path { paths.append(name) } else { names.append(name) }
        }
        // Of two names with one text, that of a node comes first.
        func order(_ name: Name) -> (Int, String, String) {
            (-name.text.count, name.text, name.family == .peer ? "" : name.family.rawValue)
        }
        names.sort { order($0) < order($1) }
        paths.sort { order($0) < order($1) }
    }

    /// The stand-in of a name.
    mutating func replaced(_ text: String, _ kind: Kind) -> String {
        guard !keepsNames, !text.isEmpty, !Self.isDefault(text, of: kind) else { return text }
        introduce([text], as: kind)
        return known[Name(text, kind)] ?? ""
    }

    /// A word of the program; `?` in place of anything else.
    func word(_ text: String) -> String {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let isKnown = words.allSatisfy { word in
            ReportRule.vocabulary.contains(String(word)) || (word.count <= 10 && word.first?.isNumber == true)
        }
        return keepsNames || isKnown ? text : "?"
    }

    /// An address with its port or prefix length.
    mutating func address(_ text: String) -> String {
        guard !keepsNames else { return text }
        return addressToken(text) ?? replaced(text, .address)
    }

    /// A word of the program, or a sentence that may begin with one of `heads`. The word and the head stay, whatever
    /// name a person has.
    mutating func choice(_ text: String, after heads: [String]) -> String {
        guard !keepsNames, !text.allSatisfy({ $0.isLetter || $0 == "_" || $0 == "-" }) else { return text }
        let head = heads.filter { text.hasPrefix($0) }.max { $0.count < $1.count } ?? ""
        return head + scrubbed(String(text.dropFirst(head.count)))
    }

    /// A sound device. Its kind stays, and so do common and short words in the name of a sound card, such as `default`
    /// and `hw`.
    mutating func device(_ text: String) -> String {
        guard !keepsNames else { return text }
        if text.hasPrefix("file:") { return "file:" + replaced(String(text.dropFirst("file:".count)), .path) }
        guard text.hasPrefix("alsa:") else {
            return text == "null" || text.hasPrefix("tone:") ? text : scrubbed(text)
        }
        return "alsa:" + replacingRare(in: String(text.dropFirst("alsa:".count))) { ReportWords.areShared(by: $0.text) }
    }

    /// What a driver says of its sound device. Common words stay: as a name they would tell nothing here. A person with
    /// a short name may have given it to a headset; other short names are those of channels and keys.
    mutating func driversWords(_ text: String) -> String {
        guard !keepsNames else { return text }
        return replacingRare(in: text) { name in
            name.family == .peer ? ReportWords.isCommon(name.text) : ReportWords.areShared(by: name.text)
        }
    }

    /// A sentence in which no name can stand.
    mutating func nameless(_ sentence: String) -> String {
        keepsNames ? sentence : replacingRare(in: sentence) { _ in true }
    }

    /// A text without addresses, paths, and the names that do not stay.
    private mutating func replacingRare(in text: String, unless stays: (Name) -> Bool) -> String {
        var marks = StandInMarks()
        let rest = withoutAddresses(text, &marks)
        let shown = replacing(names.filter { !stays($0) }, in: rest, &marks)
        return marks.expanded(shown)
    }

    /// A sentence without the names that are known by now, and without addresses, paths and NodeIDs.
    mutating func scrubbed(_ sentence: String) -> String {
        guard !keepsNames else { return sentence }
        var marks = StandInMarks()
        let text = withoutAddresses(sentence, &marks)
        let shown = replacing(names, in: text, &marks)
        return marks.expanded(shown)
    }

    private mutating func withoutAddresses(_ sentence: String, _ marks: inout StandInMarks) -> String {
        var text = replacing(paths, in: sentence, &marks)
        text = text.split(separator: " ", omittingEmptySubsequences: false).map { token(String($0), &marks) }
            .joined(separator: " ")
        text = text.replacing(/(?:[A-Z2-7]{7}-){7}[A-Z2-7]{7}/, with: { marks.hold(node(String($0.output))) })
        text = text.replacing(/\b[0-9a-f]{4}-[0-9a-f]{4}\b/, with: { marks.hold(node(String($0.output))) })
        let hardware = marks.hold("a hardware address")
        text = text.replacing(/(?:[0-9A-Fa-f]{2}[:_-]){5}[0-9A-Fa-f]{2}/, with: hardware)
        return text.replacing(/(?:enx|wlx|wwx)[0-9a-f]{12}/, with: marks.hold("an interface"))
    }

    private func node(_ id: String) -> String { known[Name(id, .peer)] ?? "a node" }

    private mutating func next(_ kind: Kind) -> String {
        guard kind != .node else { return "this node" }
        counts[kind, default: 0] += 1
        return "\(kind.rawValue) \(counts[kind] ?? 0)"
    }

    // MARK: Tokens of a sentence

    /// A token with its path or address replaced. Punctuation around it stays.
    private mutating func token(_ token: String, _ marks: inout StandInMarks) -> String {
        let opening = token.prefix { "'\"`(".contains($0) }
        let rest = token.dropFirst(opening.count)
        let closing = String(rest.reversed().prefix { "'\"`),;:.".contains($0) }.reversed())
        let core = String(rest.dropLast(closing.count))
        guard !marks.isIn(core) else {
            // A known path has its stand-in already, as in `file:PATH`. A longer path with it is another one.
            guard core.contains("/") else { return token }
            let head = core.hasPrefix("file:") ? "file:" : ""
            let shown = replaced(marks.expanded(core.dropFirst(head.count)), .path)
            return opening + head + marks.hold(shown) + closing
        }
        guard let shown = pathToken(core) ?? addressToken(core) else { return token }
        return opening + marks.hold(shown) + closing
    }

    private mutating func pathToken(_ token: String) -> String? {
        // `file:PATH` is in the words of the program.
        if token.hasPrefix("file:"), token != "file:PATH" {
            return "file:" + replaced(String(token.dropFirst(5)), .path)
        }
        guard token.hasPrefix("/") || token.hasPrefix("~/"), 1 < token.count,
            !Self.systemPaths.contains(where: token.hasPrefix)
        else { return nil }
        return replaced(token, .path)
    }

    /// Nil if the token is no address.
    private mutating func addressToken(_ token: String) -> String? {
        var (host, end) = (token, "")
        if token.hasPrefix("["), let close = token.firstIndex(of: "]") {
            host = String(token[token.index(after: token.startIndex)..<close])
            end = String(token[token.index(after: close)...])
        } else if let cut = token.firstIndex(of: "/")
            ?? (token.count(where: { $0 == ":" }) == 1
                ? token.firstIndex(of: ":") : nil)
        {
            (host, end) = (String(token[..<cut]), String(token[cut...]))
        }
        host = String(host.prefix { $0 != "%" })
        guard let address = IPAddress(host), end.dropFirst().allSatisfy(\.isNumber) else { return nil }
        guard !Self.isPublic(address) else { return token }
        return replaced(address.description, .address) + end
    }

    /// Whether an address says nothing of anybody: any, this machine, the groups of the beacon.
    private static func isPublic(_ address: IPAddress) -> Bool {
        if address.isUnspecified { return true }
        if let v4 = address.v4 { return v4 >> 24 == 127 || v4 == 0xEFFF_4A00 }
        return address == IPAddress(high: 0, low: 1) || address == IPAddress(high: 0xFF12 << 48, low: 0x8000_74FF)
    }

    /// Replaces whole words, the longest first. Inserted text is not searched again, and held by `marks`.
    private func replacing(_ names: [Name], in sentence: String, _ marks: inout StandInMarks) -> String {
        var (out, rest, isInWord) = ("", sentence[...], false)
        while let character = rest.first {
            if !isInWord, let match = match(of: names, at: rest, after: sentence[..<rest.startIndex], marks) {
                out += marks.hold(known[match] ?? "")
                rest = rest.dropFirst(match.text.count)
                isInWord = true
            } else {
                out.append(character)
                rest = rest.dropFirst()
                isInWord = character.isLetter || character.isNumber
            }
        }
        return out
    }

    /// The first name with which `rest` begins as whole words. If several things have it, the word before it may say
    /// which one is meant.
    private func match(
        of names: [Name], at rest: Substring, after text: Substring, _ marks: StandInMarks
    ) -> Name? {
        guard names.contains(where: { rest.hasPrefix($0.text) }) else { return nil }
        let before = marks.expanded(text)[...]
        let found = names.first { name in
            guard rest.hasPrefix(name.text) else { return false }
            let after = rest.dropFirst(name.text.count)
            guard !(after.first.map { $0.isLetter || $0.isNumber } ?? false) else { return false }
            return !ReportWords.areShared(by: name.text)
                || ReportWords.mayNameStand(
                    isOfPerson: name.family == .peer, isOfKey: name.family == .key, between: before, and: after)
        }
        let word = before.split { !$0.isLetter }.last.map(String.init)
        guard let found, let kind = word.flatMap(Kind.init(rawValue:)) else { return found }
        return known[Name(found.text, kind)] == nil ? found : Name(found.text, kind)
    }

    /// Whether a text is the name that such a thing has by itself, or stands for no name. So it tells nothing.
    private static func isDefault(_ text: String, of kind: Kind) -> Bool {
        let names: [String] =
            switch kind {
            case .node, .mesh: ["partyline", "default"]
            case .channel: ["main"]
            case .key: [KeyBook.onlyName, KeyBook.replyName]
            case .peer, .role, .address, .path: []
            }
        return (names + ["anyone", "nobody", "?"]).contains(kind == .channel ? text.lowercased() : text)
    }

    private static let systemPaths = ["/run/dbus/", "/run/avahi-daemon/", "/proc/", "/sys/", "/dev/", "/etc/security/"]
}

/// The stand-ins that a text has already, each held by one character that nobody types. So a name that is like a word
/// of a stand-in, such as `peer`, is not found in it.
private struct StandInMarks {
    private static let first: UInt32 = 0xF_0000
    private var standIns: [String] = []

    /// Returns the character that holds a stand-in from now on.
    mutating func hold(_ standIn: String) -> String {
        guard let mark = Unicode.Scalar(StandInMarks.first + UInt32(standIns.count)) else { return standIn }
        standIns.append(standIn)
        return String(Character(mark))
    }

    /// Whether a text holds a stand-in.
    func isIn(_ text: String) -> Bool { text.unicodeScalars.contains { standIn($0) != nil } }

    /// The text with its stand-ins.
    func expanded(_ text: some StringProtocol) -> String {
        text.unicodeScalars.map { standIn($0) ?? String(Character($0)) }.joined()
    }

    private func standIn(_ scalar: Unicode.Scalar) -> String? {
        let index = Int(scalar.value) - Int(StandInMarks.first)
        return standIns.indices.contains(index) ? standIns[index] : nil
    }
}
