import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds every site of every mechanical operator in a source text.
package enum SiteFinder {
    /// - Parameter file: path below the repository's root, which names the sites.
    /// - Returns: in the order of the text.
    package static func sites(in text: String, file: String, declarations: Declarations) -> [MutationSite] {
        let parsed = Parser.parse(source: text)
        // An operator that is not the standard library's stays unfolded, and is no site.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        let visitor = SiteVisitor(text: text, file: file, declarations: declarations)
        visitor.walk(folded)
        return visitor.sites.sorted {
            ($0.range.lowerBound, $1.range.upperBound, $0.mutated) < (
                $1.range.lowerBound, $0.range.upperBound, $1.mutated
            )
        }
    }
}

private final class SiteVisitor: SyntaxVisitor {
    private let bytes: [UInt8]
    private let lineStarts: [Int]
    private let file: String
    private let declarations: Declarations
    var sites: [MutationSite] = []

    init(text: String, file: String, declarations: Declarations) {
        let bytes = Array(text.utf8)
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        (self.file, self.declarations) = (file, declarations)
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: What is never mutated

    /// Attributes are no code; what is inlined elsewhere, or stands for an absent argument there, may name public
    /// declarations alone, and the switch of the mutants is none to every file.
    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
        node.parent?.is(FunctionParameterSyntax.self) == true ? .skipChildren : .visitChildren
    }
    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        node.condition == nil || node.elements == nil ? .skipChildren : .visitChildren
    }
    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { unlessInlinable(node.attributes) }
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind { unlessInlinable(node.attributes) }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind { unlessInlinable(node.attributes) }

    private func unlessInlinable(_ attributes: AttributeListSyntax) -> SyntaxVisitorContinueKind {
        let isInlinable = attributes.contains { $0.trimmedDescription.hasPrefix("@inlinable") }
        return isInlinable ? .skipChildren : .visitChildren
    }

    // MARK: Expressions

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator,
            let (word, mutation) = SiteVisitor.opposites[token.text]
        else { return .visitChildren }
        let (whole, sign) = (range(of: node), range(of: token))
        let mutated = slice(whole.lowerBound..<sign.lowerBound) + word + slice(sign.upperBound..<whole.upperBound)
        add(mutation, .expression, whole, mutated)
        return .visitChildren
    }

    private static let opposites: [String: (String, MutationOperator)] = [
        "<": ("<=", .order), "<=": ("<", .order), ">": (">=", .order), ">=": (">", .order),
        "==": ("!=", .equality), "!=": ("==", .equality), "&&": ("||", .logic), "||": ("&&", .logic),
    ]

    /// One more and one less are two mutants.
    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = SiteVisitor.value(of: node.literal.text) else { return .skipChildren }
        let whole = range(of: node)
        add(.offByOne, .expression, whole, String(value + 1))
        if 0 < value { add(.offByOne, .expression, whole, String(value - 1)) }
        return .skipChildren
    }

    private static func value(of literal: String) -> UInt64? {
        let digits = literal.filter { $0 != "_" }
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
            return UInt64(digits.dropFirst(2), radix: radix)
        }
        return UInt64(digits).flatMap { $0 < UInt64(Int64.max) ? $0 : nil }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name: String
        if let reference = node.calledExpression.as(DeclReferenceExprSyntax.self) {
            name = reference.baseName.text
        } else if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
            name = member.declName.baseName.text
        } else {
            return .visitChildren
        }
        let whole = range(of: node)
        if let other = ["min": "max", "max": "min"][name], node.arguments.count > 1,
            node.arguments.allSatisfy({ $0.label == nil }), node.calledExpression.is(DeclReferenceExprSyntax.self)
        {
            add(.extremum, .expression, whole, other + slice(whole.lowerBound + name.utf8.count..<whole.upperBound))
        }
        let arguments = Array(node.arguments)
        if node.trailingClosure == nil,
            let left = declarations.sameTyped(name, labels: arguments.map { $0.label?.text ?? "" })
        {
            let (a, b) = (range(of: arguments[left].expression), range(of: arguments[left + 1].expression))
            if slice(a) != slice(b), !slice(a).hasPrefix("&") {
                let mutated =
                    slice(whole.lowerBound..<a.lowerBound) + slice(b) + slice(a.upperBound..<b.lowerBound) + slice(a)
                    + slice(b.upperBound..<whole.upperBound)
                add(.swap, .expression, whole, mutated)
            }
        }
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.base == nil, let other = declarations.caseAfter(node.declName.baseName.text) else {
            return .visitChildren
        }
        let isMoreThanCase =
            node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id
            || node.parent?.is(MemberAccessExprSyntax.self) == true
        if !isMoreThanCase { add(.otherCase, .expression, range(of: node), "." + other) }
        return .visitChildren
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let expression) = node.condition { negate(expression) }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    /// The opposite of `==` is found as that.
    private func negate(_ condition: ExprSyntax) {
        let sign = condition.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription
        guard sign != "==", sign != "!=" else { return }
        let whole = range(of: condition)
        add(.negation, .condition, whole, "!(\(slice(whole)))")
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard isDeletable(node), let list = node.parent?.as(CodeBlockItemListSyntax.self) else { return .visitChildren }
        let isLast = list.last?.id == node.id
        let block = list.parent
        // A guard has to leave, and the only expression of a closure or function may be its value.
        if isLast, block?.parent?.is(GuardStmtSyntax.self) == true { return .visitChildren }
        if list.count == 1, mayBeValue(block) { return .visitChildren }
        add(.deletion, .statement, range(of: node), "")
        return .visitChildren
    }

    private func isDeletable(_ node: CodeBlockItemSyntax) -> Bool {
        switch node.item {
        case .stmt(let statement):
            guard node.parent?.parent?.parent?.is(IfExprSyntax.self) == true else { return false }
            if let end = statement.as(ReturnStmtSyntax.self) { return end.expression == nil }
            return statement.is(ContinueStmtSyntax.self) || statement.is(BreakStmtSyntax.self)
        case .expr(let expression):
            var inner = expression
            if let attempt = inner.as(TryExprSyntax.self) { inner = attempt.expression }
            if let call = inner.as(FunctionCallExprSyntax.self) {
                let name = call.calledExpression.trimmedDescription
                return !["precondition", "assert", "fatalError", "preconditionFailure", "self.init", "super.init"]
                    .contains(name)
            }
            guard let infix = inner.as(InfixOperatorExprSyntax.self) else { return false }
            let sign = infix.operator.trimmedDescription
            let isAssignment = infix.operator.is(AssignmentExprSyntax.self)
            guard isAssignment || sign.hasSuffix("=") && SiteVisitor.opposites[sign] == nil else { return false }
            guard infix.leftOperand.trimmedDescription != "_" else { return false }
            // What is never set has no value.
            return !(isAssignment && isInInitializer(Syntax(node)))
        default: return false
        }
    }

    private func isInInitializer(_ node: Syntax) -> Bool {
        var place = node.parent
        while let here = place {
            if here.is(InitializerDeclSyntax.self) { return true }
            if here.is(FunctionDeclSyntax.self) || here.is(AccessorDeclSyntax.self) { return false }
            place = here.parent
        }
        return false
    }

    private func mayBeValue(_ block: Syntax?) -> Bool {
        if block?.is(ClosureExprSyntax.self) == true || block?.is(AccessorBlockSyntax.self) == true { return true }
        guard let owner = block?.parent else { return false }
        if let function = owner.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        return owner.is(AccessorDeclSyntax.self)
    }

    // MARK: Text

    private func range(of node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    private func slice(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func add(
        _ mutation: MutationOperator, _ form: MutationSite.Form, _ range: Range<Int>, _ mutated: String
    ) {
        let line = lineStarts.partition { range.lowerBound < $0 }
        let lineEnd = bytes[range.lowerBound...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let lineText = slice(lineStarts[line - 1]..<lineEnd)
        sites.append(
            MutationSite(
                file: file, range: range, line: line, mutation: mutation, form: form, original: slice(range),
                mutated: mutated, lineText: String(lineText.drop(while: \.isWhitespace))))
    }
}

extension [Int] {
    /// The number of leading elements before the first for which the predicate holds; the array is sorted by it.
    fileprivate func partition(_ isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
