import Testing

/// That every rule can fail, and does not fail where it should not.
@Suite("the rules themselves")
struct RuleTests {
    @Test(
        "an import that points up or sideways is found",
        arguments: [
            ("Sources/Core/Mesh/A.swift", "import Voice"),
            ("Sources/Core/Voice/A.swift", "package import Mesh"),
            ("Sources/Core/Mesh/A.swift", "import Foundation"),
            ("Sources/Core/Wire/Coding/A.swift", "import FoundationEssentials"),
            ("Sources/Core/Mesh/A.swift", "import struct Carrier.Frame"),
            ("Sources/Core/Trust/A.swift", "import TrustCrypto"),
            ("Sources/Core/Trust/A.swift", "import CMediaCipher"),
            ("Sources/Core/Trust/A.swift", "import CSodium"),
            ("Sources/Core/TrustCrypto/A.swift", "import Crypto"),
            ("Sources/Adapters/Carrier/A.swift", "import MediaSocket"),
            ("Sources/Adapters/Carrier/A.swift", "import Mesh"),
            ("Sources/App/Commands/A.swift", "import Mesh"),
            ("Sources/Handover/A.swift", "import Voice"),
            ("Simulations/MeshSimulator/A.swift", "import Carrier"),
            ("Simulations/meshsim/A.swift", "import NodeRuntime"),
            ("Sources/Core/Novel/A.swift", ""),
        ])
    func upwardImport(path: String, text: String) {
        #expect(LayerImports.violations(in: text, at: path).count == 1)
    }

    @Test(
        "an import that points down is not found",
        arguments: [
            ("Sources/Core/Mesh/A.swift", "package import Trust // import Voice\n/* import Voice */"),
            ("Sources/Core/Wire/Generated/A.swift", "import FoundationEssentials\nimport SwiftProtobuf"),
            ("Sources/Core/TrustCrypto/A.swift", "import CSodium\nimport CMediaCipher\nimport Trust"),
            ("Sources/Adapters/OpusCodec/A.swift", "import COpus\nimport Voice\nimport Glibc"),
            ("Sources/App/NodeRuntime/A.swift", "import Mesh\nimport Carrier\nimport Foundation"),
        ])
    func downwardImport(path: String, text: String) {
        #expect(LayerImports.violations(in: text, at: path).isEmpty)
    }

    @Test("a measured module that stands on something else than in the product is found")
    func measuredModules() {
        let product = """
            module("Wire", in: "Core", ["Primitives", .protobuf], excluding: ["Protocol"]),
            .target(
                name: "MeshSimulator",
                dependencies: ["Wire", "Voice"],
            """
        #expect(MeasuredModules.violations(in: product, product: product).isEmpty)
        let lacking = product.replacing("\"Wire\", \"Voice\"", with: "\"Wire\"")
        #expect(MeasuredModules.violations(in: lacking, product: product).map(\.line) == [2])
        let more = product.replacing(".protobuf]", with: ".protobuf, .crypto]")
        #expect(MeasuredModules.violations(in: more, product: product).map(\.line) == [1])
        let others = "module(\"HotPaths\", in: \"\", [\"Wire\"])"
        #expect(MeasuredModules.violations(in: others, product: product).isEmpty)
    }

    @Test("a machine that reaches over its wall is found")
    func machineWalls() {
        let types: [String: Set<String>] = ["Relay": ["Tunnel", "Relay"], "Paths": ["PathTable"]]
        let relay = MachineWalls.mesh + "Relay/A.swift"
        func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }
        #expect(lines(MachineWalls.foreignExtensions(in: "\nextension MeshNode {}", at: relay)) == [2])
        #expect(
            MachineWalls.foreignExtensions(in: "extension MeshNode {}", at: MachineWalls.mesh + "Coordinator/A.swift")
                .isEmpty)
        let foreign = MachineWalls.foreignNames(in: "let a: PathTable\nf(MeshNode())", at: relay, types: types)
        #expect(lines(foreign) == [1, 2])
        #expect(MachineWalls.foreignNames(in: "// PathTable\nlet a: Tunnel", at: relay, types: types).isEmpty)
        #expect(MachineWalls.declaredTypes(in: "struct A { enum B {} }\nfinal class C {}") == ["A", "C"])
    }

    @Test("a field of a machine that the coordinator changes is found")
    func foreignChanges() {
        let path = MachineWalls.mesh + "Coordinator/A.swift"
        func lines(_ text: String) -> [Int] {
            MachineWalls.foreignChanges(in: text, at: path, of: ["links", "paths"]).map(\.line)
        }
        #expect(lines("links[index].attempt += 1\npaths[index].session?.heardAt = now\nf(&links.own)") == [1, 2, 3])
        #expect(
            lines("self.links[i].a = 1\n(b, links[i].a) = (1, 2)\nlinks[i].a &+= 1\nlinks.f()?.a <<= 1") == [
                1, 2, 3, 4,
            ])
        #expect(lines("if links[i].a <= b {}\nif links[i].a != b {}\nf(links[i].a, b)\nlet a = links[i].a") == [])
        #expect(MachineWalls.machineValues(in: "var links: Links\nlet paths: Paths\nvar own: Int") == ["links"])
        let harmless = "paths = Paths()\nlinks[index].close()\nif a && links[index].isUp == b {}\nx.links.own = 1"
        #expect(lines(harmless) == [])
    }

    @Test("functions that call each other in a circle are found")
    func callCircles() {
        var calls = CallCircles()
        calls.add(
            """
            func a(_ index: Int, now: Int) { b(index) { $0 } }
            func b(_ index: Int, keeping: (Int) -> Int) { self.c(of: index) }
            func c(of index: Int, again: Bool = true) { a(index, now: 1) }
            func d(_ index: Int) { d(index, now: 1); links.d(index) }
            func d(_ index: Int, now: Int) {}
            """, at: "A.swift")
        let found = calls.circles()["A.swift"] ?? []
        #expect(found.map(\.line) == [1, 2, 3])
        #expect(found.first?.what == "calls itself: a → b → c → a")
    }

    @Test("a machine with more fields than a reader can hold is found")
    func storedFields() {
        let path = MachineWalls.mesh + "Links/A.swift"
        let stored = (1...14).map { "private(set) var a\($0): [Int] = []\n" }.joined()
        let others = "static let b = 1\nvar c: Int { 1 }\nfunc f() { let d = 1 }\nstruct E { var f = 1 }\n"
        #expect(MachineWalls.tooManyFields(in: "struct A {\n" + stored + others + "}", at: path).isEmpty)
        let more = MachineWalls.tooManyFields(in: "struct A {\n" + stored + others + "let g: Int\n}", at: path)
        #expect(more.map(\.what) == ["A has 15 stored fields, 14 at most"])
    }

    @Test(
        "what ends determinism is found in Core",
        arguments: [
            "let t = ContinuousClock()", "let t: Instant = .now", "f(Instant.now)", "Task { }", "print(1)",
            "Int.random(in: 0..<3)", "list.shuffled()", "list.randomElement()", "func f() throws {}",
            "let x = 0.5", "let x: Double", "DispatchQueue.main", "let g = SystemRandomNumberGenerator()",
            "fatalError()", "let s = \"\\(list.shuffled())\"", "await x",
        ])
    func bannedInCore(text: String) {
        #expect(CoreBans.violations(in: text, floatingPointAllowed: false).count == 1)
    }

    @Test(
        "what only looks like it is not found",
        arguments: [
            "// Task, print( and .now", "let s = \"Task print( 0.5\"", "list.shuffled(using: &random)",
            "Int.random(in: 0..<3, using: &generator)", "self.now", "input.now", "handle(x, now: now)",
            "func f() throws(WireError) {}", "let x = pair.0.1", "for i in 0..<3 {}", "0...3", "taskCount",
            "let t = \"\"\"\n  Task \\(a)\n  \"\"\"", "let r = #\"a \"Task\" b\"#", "case print: ",
        ])
    func allowedInCore(text: String) {
        #expect(CoreBans.violations(in: text, floatingPointAllowed: false) == [])
    }

    @Test("floating point is allowed where it is said to be")
    func floatingPointInVoice() {
        #expect(CoreBans.violations(in: "let x: Float = 0.5", floatingPointAllowed: true) == [])
    }

    @Test(
        "a walk through a hashed collection is found",
        arguments: [
            "var peers: [NodeID: Peer] = [:]\nfor (id, peer) in peers { }",
            "let peers = [1: 2]\nfor x in self.peers where x { }",
            "var known: Set<Int>\nknown.map { $0 }",
            "var known = Set<Int>()\nlet x = known.first",
            "var peers: [NodeID: [Int]]\npeers.values.map { 1 }",
            "var peers: Dictionary<Int, Int>\nfor key in peers.keys { }",
            "func f(peers: [Int: Int]) { peers.forEach { } }",
        ])
    func hashedWalk(text: String) {
        #expect(HashedIteration.violations(in: text).count == 1)
    }

    @Test(
        "looking up, counting and sorting are not walks",
        arguments: [
            "var peers: [NodeID: Peer] = [:]\npeers[id] = peer\nif peers.isEmpty { }\npeers.count",
            "var peers: [NodeID: Peer]\nfor id in peers.keys.sorted() { }",
            "var peers: [Peer]\nfor peer in peers { }\npeers.map { $0 }",
            "var known: Set<Int>\nif known.contains(3) { }\nfor x in known.sorted() { }",
            "let row: [(name: String, value: Int)] = []\nfor entry in row { }",
        ])
    func hashedUse(text: String) {
        #expect(HashedIteration.violations(in: text) == [])
    }

    @Test("a walk through a collection that another file declares is found")
    func hashedWalkAcrossFiles() {
        #expect(HashedIteration.violations(in: "for x in peers { }", others: ["peers"]).count == 1)
        #expect(HashedIteration.violations(in: "let peers = [1]\nfor x in peers { }", others: ["peers"]) == [])
    }

    @Test(
        "a forced value is found",
        arguments: ["a!", "f()!", "a[0]!", "try! f()", "x as! Int", "var x: Int!", "a?.b!.c"])
    func forced(text: String) {
        #expect(ForcedValues.violations(in: text).count == 1)
    }

    @Test(
        "a negation is no forced value",
        arguments: ["!a", "a != b", "(!a)", "if !f() {}", "\"a!\"", "// a!", "x && !y"])
    func notForced(text: String) {
        #expect(ForcedValues.violations(in: text) == [])
    }

    @Test(
        "state of the process is found",
        arguments: [
            "enum A { static var a = 1 }", "var a: Int = 1", "static let shared = A()", "static let a = Atomic<Int>(0)",
            "let a: Mutex<Int> = .init(0)", "DispatchQueue.global().async {}", "ProcessInfo.processInfo",
            "getenv(\"A\")", "Glibc.signal(1, nil)", "FileManager.default.currentDirectoryPath", "Group.singleton",
        ])
    func processState(text: String) {
        #expect(ProcessState.violations(in: text).count == 1)
    }

    @Test(
        "what each node has for itself is no state of the process",
        arguments: [
            "enum A { static var a: Int { 1 } }", "struct A { var a = 1 }", "static let a = 1", "func signal() {}",
            "final class A { let a = Atomic<Int>(0) }", "event.signal()", "func f() { var a = 1 }", "a.global()",
        ])
    func noProcessState(text: String) {
        #expect(ProcessState.violations(in: text) == [])
    }

    @Test("long files, wide lines and long functions are found")
    func shapes() {
        #expect(Shape.tooLong(String(repeating: "\n", count: 401)).count == 1)
        #expect(Shape.tooLong(String(repeating: "\n", count: 400)).isEmpty)
        #expect(
            Shape.tooWide("ok\n" + String(repeating: "x", count: 121)) == [
                Violation(line: 2, what: "121 columns, 120 at most")
            ])
        #expect(Shape.tooWide(String(repeating: "ä", count: 120)).isEmpty)
        let body = { (count: Int) in "func f() {\n" + String(repeating: "    a()\n    // why\n", count: count) + "}\n" }
        #expect(Shape.longFunctions(body(60)).count == 1)
        #expect(Shape.longFunctions(body(58)).isEmpty)
    }

    @Test("unfinished work, placeholders and machine paths are found")
    func leftovers() {
        #expect(Shape.leftovers("a\n// TO" + "DO: b").first?.line == 2)
        #expect(Shape.leftovers("autodo, XXXL").isEmpty)
        #expect(Shape.placeholders("enum Voice" + "Placeholder {}").count == 1)
        #expect(Shape.placeholders("// a Place" + "holder").isEmpty)
        #expect(Shape.machinePaths("see /wo" + "rk/x").count == 1)
        #expect(Shape.machinePaths("Sources/wo" + "rk/x, https://a.org/ho" + "me/b").isEmpty)
    }

    @Test("a document that names a missing file is found")
    func namedFiles() {
        let text = "See `docs/WIRE.md`, docs/GONE.md. And (Sources/Core/Mesh/)."
        let missing = NamedFiles.violations(in: text) { $0 != "docs/GONE.md" }
        #expect(missing == [Violation(line: 1, what: "names docs/GONE.md, which is not there")])
        #expect(NamedFiles.paths(in: "see Sources/Core/Mesh/ and docs/*.md") == ["Sources/Core/Mesh"])
    }

    @Test("a seed that is shown by nothing, out of its order or by a verb that is gone is found")
    func seedRows() {
        let rows = (1...SeedRows.count).map { "| \($0) | a | `partyline run --x` | |" }
        #expect(SeedRows.verbs(in: #"commandName: "run", "x""#) == ["run"])
        func found(_ change: (inout [String]) -> Void) -> [Int] {
            var changed = rows
            change(&changed)
            return SeedRows.violations(in: changed.joined(separator: "\n"), verbs: ["run"]).map(\.line)
        }
        #expect(found { _ in } == [])
        #expect(found { $0[1] = "| 2 | a | | all |" } == [])
        #expect(found { $0[1] = "| 2 | a | | a part |" } == [2])
        #expect(found { $0[2] = "| 2 | a | `partyline run` | |" } == [3])
        #expect(found { $0[3] = "| 4 | a | `partyline fly`, `partyline run` | |" } == [4])
        #expect(found { $0.removeLast() } == [1])
    }

    @Test("a planted fault whose text is gone from its file is found")
    func plantedFaults() {
        let text = "faultA: Text.\nSources/A.swift\n- return a\n+ return b\n- gone\nSources/B.swift\n- return a"
        let found = PlantedFaults.violations(in: text) { $0 == "Sources/A.swift" ? "func f() { return a }" : nil }
        #expect(found.map(\.line) == [5, 7])
    }

    @Test("a comment that names a missing section or decision is found")
    func namedSections() {
        let text = "/// docs/A.md, \"Here\"\n/// and docs/A.md,\n/// \"Gone\"; decision 001, decision 009."
        let missing = NamedSections.violations(
            in: text, headings: { $0 == "docs/A.md" ? ["Title", "Here"] : [] }, decisions: ["001"])
        #expect(missing.map(\.line) == [2, 3])
        #expect(missing.map(\.what) == ["docs/A.md has no section \"Gone\"", "there is no decision 009"])
        #expect(NamedSections.headings(in: "# Title\ntext\n## Here") == ["Title", "Here"])
    }
}
