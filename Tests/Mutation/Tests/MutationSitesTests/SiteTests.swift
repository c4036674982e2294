import MutationSites
import Testing

private func sites(_ text: String) -> [MutationSite] {
    var declarations = Declarations()
    declarations.read(text)
    return SiteFinder.sites(in: text, file: "A.swift", declarations: declarations)
}

private func mutated(_ text: String, _ mutation: MutationOperator) -> [String] {
    sites(text).filter { $0.mutation == mutation }.map { $0.form == .statement ? "delete \($0.original)" : $0.mutated }
}

@Suite("Sites")
struct SiteTests {
    @Test(
        "each operator finds its places",
        arguments: [
            (MutationOperator.order, "let a = b < c", ["b <= c"]),
            (.equality, "let a = b == c", ["b != c"]),
            (.offByOne, "let a = 5", ["4", "6"]),
            (.offByOne, "let a = 0", ["1"]),
            (.extremum, "let a = min(b, c)", ["max(b, c)"]),
            (.logic, "let a = b && c || d", ["b && c && d", "b || c"]),
            (.negation, "func f() { if a, b == c { g() }; guard let x else { return } }", ["!(a)"]),
            (.deletion, "func f() { g()\n x = 1\n guard a else { return } }", ["delete g()", "delete x = 1"]),
            (
                .deletion, "func f() { if a { return }; while b { if c { continue } } }",
                ["delete return", "delete continue"]
            ),
            (.swap, "func f(_ a: Int, to b: Int) {}; let x = f(p, to: q)", ["f(q, to: p)"]),
            (.otherCase, "enum E { case up, down(Int), left }; let x: E = .up", [".left"]),
        ])
    func finds(mutation: MutationOperator, text: String, expected: [String]) {
        #expect(mutated(text, mutation).sorted() == expected.sorted())
    }

    @Test(
        "what is no expression of the program is no site",
        arguments: [
            "switch a { case 5: break; default: break }", "enum E: Int { case a = 1 }", "let a = \"1 < 2\"",
            "func f(a: Int = 5) {}", "@inlinable func f() -> Bool { a < 5 }", "func f() -> Int { g() }",
            "init() { self.a = b }", "let f = { g() }", "func f(_ a: Int, _ b: Float) {}; let x = f(p, q)",
        ])
    func ignores(text: String) { #expect(sites(text).isEmpty) }

    @Test("a draw is the same for a seed, another for another, and of all sites")
    func draw() {
        let all = sites("let a = [1, 2, 3, 4, 5, 6, 7, 8]")
        #expect(Draw.order(all, seed: 7) == Draw.order(all, seed: 7))
        #expect(Draw.order(all, seed: 7) != Draw.order(all, seed: 8))
        #expect(Set(Draw.order(all, seed: 7)) == Set(all))
    }
}
