/// Turns the error of a decoder into a sentence about one parameter.
extension ControlFailure {
    /// - Parameter error: the error with which the parameters of a method could not be read.
    init(reading error: any Error) {
        let sentence =
            switch error {
            case DecodingError.keyNotFound(let key, _):
                "\"\(DocumentJSON.snakeCase(key.stringValue))\" is missing"
            case DecodingError.valueNotFound(_, let context):
                "\(ControlFailure.name(context)) must not be null"
            case DecodingError.typeMismatch(let type, let context):
                "\(ControlFailure.name(context)) must be \(ControlFailure.word(for: type))"
            case DecodingError.dataCorrupted(let context):
                "\(ControlFailure.name(context)) \(context.debugDescription)"
            default: "the parameters cannot be read"
            }
        self.init(.invalidParameters, sentence)
    }

    /// The parameter in quotes. An item of a list has the name of the list.
    private static func name(_ context: DecodingError.Context) -> String {
        let name = context.codingPath.last { $0.intValue == nil }?.stringValue ?? "params"
        return "\"\(DocumentJSON.snakeCase(name))\""
    }

    private static func word(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type: "a number"
        case is Int.Type, is UInt64.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "of another kind"
        }
    }
}
