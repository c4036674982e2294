/// A request to a running node. Its type stands for a method of the control socket, its properties are the parameters.
///
/// The key of a parameter is the property's name in snake case (`DocumentJSON`). An optional property is a parameter
/// that may be absent. Each method also takes `station`, which `ControlCall` reads.
package protocol ControlRequest: Codable, Hashable, Sendable {
    /// The document with which the node answers.
    associatedtype Answer: Codable & Sendable

    /// The method's name and its description.
    static var method: ControlMethod { get }

    /// Checks what the types of the properties do not say, for example a range.
    ///
    /// - Throws: `invalidParameters` with a sentence that names the parameter.
    func check() throws(ControlFailure)
}

extension ControlRequest {
    package func check() throws(ControlFailure) {}
}

/// A row of the table of methods.
package struct ControlMethod: Hashable, Sendable {
    /// The `method` of JSON-RPC.
    package let name: String
    /// The first version of the program that has the method.
    package let since: String
    /// One sentence: the effect of the method.
    package let does: String

    package init(_ name: String, since: String, does: String) {
        self.name = name
        self.since = since
        self.does = does
    }
}

/// The answer of a method that has nothing to tell beside its success.
package struct DoneDocument: Codable, Hashable, Sendable {
    /// Always true. A request that fails gets an error and no document.
    package var done = true
    /// In the answer to `introduce`: a sentence for each change that ends with the next start. Absent if there is none,
    /// and in other answers.
    package var warnings: [String]?

    package init(warnings: [String] = []) { self.warnings = warnings.isEmpty ? nil : warnings }
}

/// A parameter that is one of several words.
package protocol ControlWord: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable {}

extension ControlWord {
    /// The words of all cases, as in a sentence: `on, off or toggle`.
    package static var choice: String {
        let words = allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + (words.count < 2 ? "" : " or ") + (words.last ?? "")
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let word = Self(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be \(Self.choice)")
        }
        self = word
    }
}
