import SwiftParser
import SwiftSyntax

/// What the project declares, as far as an operator needs it without a type checker.
package struct Declarations: Sendable {
    struct Parameter: Hashable, Sendable {
        var label: String
        var type: String
    }

    /// By name of the function, or of the type that is made.
    private(set) var signatures: [String: [[Parameter]]] = [:]
    /// Cases without a payload, by name of the enum.
    private(set) var plainCases: [String: [String]] = [:]
    /// Enums by name of a case without a payload.
    private(set) var enumsOfCase: [String: Set<String>] = [:]
    /// Other static names: `.zero` may mean them.
    private(set) var staticNames: Set<String> = []

    package init() {}

    package mutating func read(_ text: String) {
        let reader = Reader()
        reader.walk(Parser.parse(source: text))
        signatures.merge(reader.signatures) { $0 + $1 }
        staticNames.formUnion(reader.staticNames)
        for (name, cases) in reader.plainCases {
            plainCases[name, default: []] += cases
            for word in cases { enumsOfCase[word, default: []].insert(name) }
        }
    }

    /// The first two neighbouring parameters of one type in a call with these labels; the index of the left one.
    func sameTyped(_ name: String, labels: [String]) -> Int? {
        let matching = (signatures[name] ?? []).filter { $0.map(\.label) == labels }
        guard let first = matching.first, labels.count > 1 else { return nil }
        return (0..<labels.count - 1).first { place in
            first[place].type == first[place + 1].type && !first[place].type.hasPrefix("inout")
        }
    }

    /// The case after `name` of the only enum that has it.
    func caseAfter(_ name: String) -> String? {
        guard let enums = enumsOfCase[name], enums.count == 1, !staticNames.contains(name), let one = enums.first,
            let cases = plainCases[one], cases.count > 1, let place = cases.firstIndex(of: name)
        else { return nil }
        return cases[(place + 1) % cases.count]
    }
}

private final class Reader: SyntaxVisitor {
    var signatures: [String: [[Declarations.Parameter]]] = [:]
    var plainCases: [String: [String]] = [:]
    var staticNames: Set<String> = []
    private var types: [String] = []

    init() { super.init(viewMode: .sourceAccurate) }

    private func note(_ clause: FunctionParameterClauseSyntax, as name: String) {
        let parameters = clause.parameters.map {
            Declarations.Parameter(
                label: $0.firstName.text == "_" ? "" : $0.firstName.text, type: $0.type.trimmedDescription)
        }
        signatures[name, default: []].append(parameters)
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.signature.parameterClause, as: node.name.text)
        if node.modifiers.contains(where: { $0.name.text == "static" }) { staticNames.insert(node.name.text) }
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        if let type = types.last { note(node.signature.parameterClause, as: type) }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.modifiers.contains(where: { $0.name.text == "static" }) {
            for binding in node.bindings { staticNames.insert(binding.pattern.trimmedDescription) }
        }
        return .visitChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        if node.parameterClause == nil, let type = types.last {
            plainCases[type, default: []].append(node.name.text)
        }
        return .visitChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_: EnumDeclSyntax) { types.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_: StructDeclSyntax) { types.removeLast() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_: ClassDeclSyntax) { types.removeLast() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription)
    }
    override func visitPost(_: ExtensionDeclSyntax) { types.removeLast() }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        types.append(name)
        return .visitChildren
    }
}
