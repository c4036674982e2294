import ControlPlane

/// The keys of a document and the form of each value, as its decoder asks for them.
struct DocumentShape {
    /// One key.
    struct Field {
        /// In snake case, as in JSON.
        let key: String
        /// The name in Swift.
        let property: String
        /// The value for people, for example `number` or `list of text`.
        let form: String
        /// Whether the key may be absent.
        let isOptional: Bool
        /// The type of the object in the value, or in its list; nil for plain values.
        let object: (any Decodable.Type)?
    }

    /// In the order of the declaration.
    private(set) var fields: [Field] = []
    /// Whether every key was seen. It is false if the type, or one inside it, reads itself by code written by hand.
    private(set) var isWhole = true

    /// Reads the shape of a type whose conformance to `Decodable` the compiler has written.
    init(of type: any Decodable.Type) {
        let recorder = ShapeRecorder()
        do {
            _ = try type.init(from: recorder)
        } catch {
            isWhole = false
        }
        fields = recorder.fields
    }
}

/// A decoder that holds no document: it gives sample values, and records what was asked for.
private final class ShapeRecorder: Decoder {
    var fields: [DocumentShape.Field] = []
    /// The key that the decoder has last asked for null: a plain optional value is asked for so.
    var keyThatMayBeNull = ""
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyRecorder<Key>(recorder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unknown() }

    struct Unknown: Error {}
}

private struct KeyRecorder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: ShapeRecorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
        recorder.keyThatMayBeNull = key.stringValue
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try note(type, key, isOptional: false)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try note(type, key, isOptional: true)
    }

    private func note<Value: Decodable>(_ type: Value.Type, _ key: Key, isOptional: Bool) throws -> Value {
        let (form, object) = try ValueForm.of(type)
        recorder.fields.append(
            DocumentShape.Field(
                key: DocumentJSON.snakeCase(key.stringValue), property: key.stringValue, form: form,
                isOptional: isOptional || recorder.keyThatMayBeNull == key.stringValue, object: object))
        return try ValueForm.sample(of: type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw ShapeRecorder.Unknown() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw ShapeRecorder.Unknown()
    }
    func superDecoder() throws -> any Decoder { throw ShapeRecorder.Unknown() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw ShapeRecorder.Unknown() }
}

/// The form of a value in words, and a sample of it.
private enum ValueForm {
    static func of(_ type: any Decodable.Type) throws -> (form: String, object: (any Decodable.Type)?) {
        switch type {
        case is String.Type: return ("text", nil)
        case is Bool.Type: return ("true or false", nil)
        case is Int.Type, is UInt64.Type, is UInt32.Type: return ("whole number", nil)
        case is Double.Type: return ("number", nil)
        case let list as any ListOfDecodable.Type:
            let item = try of(list.item)
            return ("list of \(item.form)", item.object)
        case let table as any TableOfDecodable.Type:
            return ("object, each value \(try of(table.item).form)", nil)
        case let words as any CaseIterable.Type: return (ValueForm.words(words).joined(separator: ", "), nil)
        default: return ("object", type)
        }
    }

    static func sample<Value: Decodable>(of type: Value.Type) throws -> Value {
        let plain: [Any] = ["", false, 0, UInt64(0), UInt32(0), 0.0]
        if let value = plain.lazy.compactMap({ $0 as? Value }).first { return value }
        if let list = type as? any ListOfDecodable.Type, let value = list.empty as? Value { return value }
        if let table = type as? any TableOfDecodable.Type, let value = table.empty as? Value { return value }
        if let words = type as? any CaseIterable.Type, let value = first(words) as? Value { return value }
        return try type.init(from: ShapeRecorder())
    }

    private static func first<Words: CaseIterable>(_ type: Words.Type) -> Any? { type.allCases.first }

    private static func words<Words: CaseIterable>(_ type: Words.Type) -> [String] {
        type.allCases.map { "`\(($0 as? any ControlWord)?.rawValue ?? "\($0)")`" }
    }
}

private protocol ListOfDecodable {
    static var item: any Decodable.Type { get }
    static var empty: Self { get }
}

extension Array: ListOfDecodable where Element: Decodable {
    static var item: any Decodable.Type { Element.self }
    static var empty: [Element] { [] }
}

private protocol TableOfDecodable {
    static var item: any Decodable.Type { get }
    static var empty: Self { get }
}

extension Dictionary: TableOfDecodable where Key == String, Value: Decodable {
    static var item: any Decodable.Type { Value.self }
    static var empty: [String: Value] { [:] }
}
