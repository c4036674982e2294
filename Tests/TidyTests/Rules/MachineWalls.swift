/// The walls inside Mesh: each machine owns its state, and only the coordinator sees several machines.
///
/// A machine is a folder of `Sources/Core/Mesh`. It may use the values that stand beside the folders, and its own
/// types; a type that is declared in another machine's folder is out of its reach.
enum MachineWalls {
    static let mesh = "Sources/Core/Mesh/"
    static let machines = ["FailureDetector", "Links", "Membership", "Paths", "Reachability", "Relay"]
    static let coordinator = "Coordinator"
    static let storedFieldsMax = 14

    /// The machine that a file belongs to; nil for the coordinator and for shared values.
    static func machine(of path: String) -> String? {
        guard path.hasPrefix(mesh) else { return nil }
        let folder = String(path.dropFirst(mesh.count).prefix { $0 != "/" })
        return machines.contains(folder) ? folder : nil
    }

    /// Extensions of `MeshNode` outside the coordinator's folder.
    static func foreignExtensions(in text: String, at path: String) -> [Violation] {
        guard path.hasPrefix(mesh), !path.hasPrefix(mesh + coordinator + "/") else { return [] }
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "extension", tokens.text(index + 1) == "MeshNode" else { return nil }
            return Violation(line: tokens[index].line, what: "only the coordinator extends MeshNode")
        }
    }

    /// The names of the coordinator's machines: `var links: Links` and so on.
    static func machineValues(in text: String) -> Set<String> {
        let tokens = SwiftTokens.tokens(of: text)
        return Set(
            tokens.indices.filter {
                tokens[$0].text == "var" && tokens.text($0 + 2) == ":" && machines.contains(tokens.text($0 + 3))
            }
            .map { tokens.text($0 + 1) })
    }

    /// Places where the coordinator changes a field of a machine, instead of asking the machine to. A change through
    /// a method of a value inside a machine is not seen.
    /// - Parameter values: the names of the coordinator's machines.
    static func foreignChanges(in text: String, at path: String, of values: Set<String>) -> [Violation] {
        guard path.hasPrefix(mesh + coordinator + "/") else { return [] }
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { start in
            let before = tokens.text(start - 1)
            let isOther = before == "." && tokens.text(start - 2) != "self"
            guard values.contains(tokens[start].text), !isOther, before != "let", before != "var" else { return nil }
            let end = endOfAccess(tokens, from: start)
            let isInOut = before == "&" && tokens.text(start - 2) != "&"
            let isField = start + 1 < end
            guard isField, isInOut || isAssigned(tokens, from: start, to: end) else { return nil }
            return Violation(line: tokens[start].line, what: "changes a field of \(tokens[start].text)")
        }
    }

    /// Returns the index behind `links[index].session?.keys`, beginning at `links`.
    private static func endOfAccess(_ tokens: [Token], from start: Int) -> Int {
        var end = start + 1
        while end < tokens.count {
            switch tokens[end].text {
            case "[": end = tokens.closing(from: end, "[", "]") + 1
            case "(" where tokens[end].isAttached: end = tokens.closing(from: end, "(", ")") + 1
            case "." where tokens[end].isAttached: end += 2
            case "?" where tokens[end].isAttached: end += 1
            default: return end
            }
        }
        return end
    }

    /// Whether the access is assigned to: directly, with an operator, or as a part of a tuple.
    private static func isAssigned(_ tokens: [Token], from start: Int, to end: Int) -> Bool {
        var next = end
        let isInTuple = ["(", ","].contains(tokens.text(start - 1)) && [",", ")"].contains(tokens.text(end))
        if isInTuple {
            while next < tokens.count, tokens.text(next) != ")" { next += 1 }
            return tokens.text(next + 1) == "=" && tokens.text(next + 2) != "="
        }
        while "+-*/%&|^<>".contains(tokens.text(next)), !tokens.text(next).isEmpty { next += 1 }
        let isComparison = next == end + 1 && "<>".contains(tokens.text(end))
        return tokens.text(next) == "=" && tokens.text(next + 1) != "=" && !isComparison
    }

    /// Names of the types that a file declares outside any other type.
    static func declaredTypes(in text: String) -> Set<String> {
        let tokens = SwiftTokens.tokens(of: text)
        var depth = 0
        var names: Set<String> = []
        for index in tokens.indices {
            if tokens[index].text == "{" { depth += 1 }
            if tokens[index].text == "}" { depth -= 1 }
            let isDeclaration = ["struct", "enum", "class", "typealias", "protocol"].contains(tokens[index].text)
            if depth == 0, isDeclaration, tokens[index].kind == .word { names.insert(tokens.text(index + 1)) }
        }
        return names
    }

    /// Places where a machine names a type of another machine, or the coordinator.
    /// - Parameter types: the types that each machine declares.
    static func foreignNames(in text: String, at path: String, types: [String: Set<String>]) -> [Violation] {
        guard let own = machine(of: path) else { return [] }
        let foreign = types.filter { $0.key != own }.values.reduce(into: Set(["MeshNode"])) { $0.formUnion($1) }
            .subtracting(types[own] ?? [])
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            let token = tokens[index]
            let isLabel = tokens.text(index + 1) == ":" && ["(", ","].contains(tokens.text(index - 1))
            guard token.kind == .word, foreign.contains(token.text), tokens.text(index - 1) != ".", !isLabel
            else { return nil }
            return Violation(line: token.line, what: "\(own) names \(token.text), which is not its own")
        }
    }

    /// Types of a machine with more stored fields than a reader can hold.
    static func tooManyFields(in text: String, at path: String) -> [Violation] {
        guard machine(of: path) != nil else { return [] }
        let tokens = SwiftTokens.tokens(of: text)
        return tokens.indices.compactMap { index in
            guard ["struct", "class"].contains(tokens[index].text), tokens[index].kind == .word,
                let open = (index..<tokens.count).first(where: { tokens[$0].text == "{" })
            else { return nil }
            let fields = storedFields(tokens, from: open)
            guard storedFieldsMax < fields else { return nil }
            return Violation(
                line: tokens[index].line,
                what: "\(tokens.text(index + 1)) has \(fields) stored fields, \(storedFieldsMax) at most")
        }
    }

    /// Counts the stored properties directly inside the brackets that open at `open`.
    private static func storedFields(_ tokens: [Token], from open: Int) -> Int {
        var fields = 0
        var index = open + 1
        let end = tokens.closing(from: open, "{", "}")
        while index < end {
            switch tokens[index].text {
            case "{": index = tokens.closing(from: index, "{", "}")
            case "(": index = tokens.closing(from: index, "(", ")")
            case "var", "let":
                let isStatic = tokens.text(index - 1) == "static" || tokens.text(index - 2) == "static"
                if !isStatic, isStored(tokens, at: index) { fields += 1 }
            default: break
            }
            index += 1
        }
        return fields
    }

    /// Whether the property declared at `index` stores its value: no accessors follow its type.
    private static func isStored(_ tokens: [Token], at index: Int) -> Bool {
        if tokens[index].text == "let" { return true }
        var next = index + 2
        while next < tokens.count {
            switch tokens[next].text {
            case "=": return true
            case "{": return false
            case "(": next = tokens.closing(from: next, "(", ")")
            case "[": next = tokens.closing(from: next, "[", "]")
            case "var", "let", "func", "init", "struct", "enum", "private", "package", "mutating", "}", "static",
                "subscript", "fileprivate", "case":
                return true
            default: break
            }
            next += 1
        }
        return true
    }
}
