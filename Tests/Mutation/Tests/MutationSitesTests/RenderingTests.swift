import MutationSites
import Testing

private func render(_ text: String) -> Rendering {
    let sites = SiteFinder.sites(in: text, file: "A.swift", declarations: Declarations())
    return Rendering(text, mutants: sites.enumerated().map { (number: $0.offset + 1, site: $0.element) })
}

@Suite("Rendering")
struct RenderingTests {
    @Test("mutants stand behind their numbers, one in another too")
    func nested() {
        let text = "import Primitives\nif a < 0 { g() }\nh()"
        #expect(
            render(text).text == """
                import Primitives
                if (mutantIs(1) != ((mutantIs(2) ? a <= 0 : a < (mutantIs(3) ? 1 : 0)))) { if !mutantIs(4) { g() } }
                if !mutantIs(5) { h() }
                """)
    }

    @Test("an error is blamed on the innermost mutant around it, else on its line's")
    func blame() {
        let rendering = render("import Primitives\nlet a = b < c\nlet d = 5\n")
        let numbers = rendering.places.filter { $0.lines == 2...2 }.map(\.number)
        #expect(rendering.suspects(line: 2, column: 10) == numbers)
        #expect(Set(rendering.suspects(line: 3, column: 1)) == Set(rendering.places.map(\.number)).subtracting(numbers))
    }

    @Test("a file without the switch's module imports it, and no line moves")
    func importing() {
        #expect(render("let a = 5").text.hasPrefix("import Primitives; let a = (mutantIs("))
        #expect(render("package import Primitives\nlet a = 5").text.hasPrefix("package import Primitives\n"))
    }
}
