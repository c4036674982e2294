/// Names of counters as documents write their keys.
package enum CounterName {
    /// `keyIDsExhausted` becomes `key_ids_exhausted`: a capital after a small letter begins a word.
    package static func snakeCased(_ name: String) -> String {
        var result = ""
        var isAfterSmall = false
        for character in name {
            if character.isUppercase, isAfterSmall { result.append("_") }
            result.append(contentsOf: character.lowercased())
            isAfterSmall = character.isLowercase || character.isNumber
        }
        return result
    }
}
