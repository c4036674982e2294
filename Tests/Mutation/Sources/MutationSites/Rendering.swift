/// A file with all its mutants in it, each behind its number.
package struct Rendering {
    /// Where a mutant stands in the rendered text.
    package struct Place: Sendable {
        package var number: Int
        package var lines: ClosedRange<Int>
        package var range: Range<Int>
    }

    package private(set) var text: String = ""
    package private(set) var places: [Place] = []
    private var written: [UInt8] = []
    private let source: [UInt8]

    /// - Parameter mutants: sites of this file by number; one may lie in another.
    package init(_ source: String, mutants: [(number: Int, site: MutationSite)]) {
        self.source = Array(source.utf8)
        let outerFirst = mutants.sorted {
            let (a, b) = ($0.site.range, $1.site.range)
            if a.lowerBound != b.lowerBound { return a.lowerBound < b.lowerBound }
            if a.upperBound != b.upperBound { return b.upperBound < a.upperBound }
            // Of one range: the statement is around its expression, and what turns it round as well.
            if ($0.site.form == .statement) != ($1.site.form == .statement) { return $0.site.form == .statement }
            return $0.number < $1.number
        }
        write(0..<self.source.count, outerFirst[...])
        text = String(decoding: written, as: UTF8.self)
        countLines()
        if !mutants.isEmpty, !source.hasImport(of: "Primitives") { prependImport() }
    }

    private mutating func write(_ range: Range<Int>, _ mutants: ArraySlice<(number: Int, site: MutationSite)>) {
        var place = range.lowerBound
        var rest = mutants
        while let (number, site) = rest.popFirst() {
            written += source[place..<site.range.lowerBound]
            let inner = rest.prefix { $0.site.range.lowerBound < site.range.upperBound }
            rest = rest.dropFirst(inner.count)
            let begin = written.count
            let (before, after) = Rendering.frame(number, site)
            written += before.utf8
            write(site.range, inner)
            written += after.utf8
            places.append(Place(number: number, lines: 1...1, range: begin..<written.count))
            place = site.range.upperBound
        }
        written += source[place..<range.upperBound]
    }

    private static func frame(_ number: Int, _ site: MutationSite) -> (String, String) {
        switch site.form {
        case .expression: ("(mutantIs(\(number)) ? \(site.mutated) : ", ")")
        case .condition: ("(mutantIs(\(number)) != (", "))")
        case .statement: ("if !mutantIs(\(number)) { ", " }")
        }
    }

    private mutating func countLines() {
        var lineOf = [Int](repeating: 1, count: written.count + 1)
        var line = 1
        for (place, byte) in written.enumerated() {
            lineOf[place] = line
            if byte == UInt8(ascii: "\n") { line += 1 }
        }
        lineOf[written.count] = line
        for place in places.indices {
            let range = places[place].range
            places[place].lines = lineOf[range.lowerBound]...lineOf[max(range.lowerBound, range.upperBound - 1)]
        }
    }

    /// On the first line, so that no line number moves.
    private mutating func prependImport() { text = "import Primitives; " + text }

    /// The mutants that an error of the compiler at this line and column is blamed on: those around it, else those on
    /// its line, else the nearest.
    package func suspects(line: Int, column: Int) -> [Int] {
        let lineStarts = [0] + written.indices.filter { written[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        guard line <= lineStarts.count else { return places.map(\.number) }
        let shift = line == 1 ? text.utf8.count - written.count : 0
        let offset = lineStarts[line - 1] + column - 1 - shift
        let around = places.filter { $0.range.contains(offset) }
        if let innermost = around.min(by: { $0.range.count < $1.range.count }) { return [innermost.number] }
        let onLine = places.filter { $0.lines.contains(line) }
        if !onLine.isEmpty { return onLine.map(\.number) }
        let near = places.min { distance($0, line) < distance($1, line) }
        guard let near else { return [] }
        return places.filter { distance($0, line) == distance(near, line) }.map(\.number)
    }

    private func distance(_ place: Place, _ line: Int) -> Int {
        line < place.lines.lowerBound ? place.lines.lowerBound - line : line - place.lines.upperBound
    }
}

extension String {
    fileprivate func hasImport(of module: String) -> Bool {
        split(whereSeparator: \.isNewline).contains { line in
            line.split(separator: " ").suffix(2) == ["import", Substring(module)]
        }
    }
}
