import Testing

/// The house rules, held by reading the tree. Each rule is a pure function with a test of its own
/// in `RuleTests`, so that it is known to be able to fail.
@Suite("the tree keeps its own rules")
struct TidyTests {
    private let tree = SourceTree()

    @Test("the tree is found")
    func treeIsFound() {
        #expect(tree.exists("Package.swift"))
        #expect(50 < tree.productSources.count)
    }

    @Test("imports point down")
    func imports() {
        let generated = tree.paths(in: "Sources/Core/Wire/Generated", endingIn: [".swift"])
        for path in tree.productSources + generated {
            report(LayerImports.violations(in: tree.text(path), at: path), in: path)
        }
    }

    @Test("no adapter imports another adapter, and simulations see none")
    func adaptersAreApart() {
        for name in LayerImports.adapters + ["MeshSimulator", "meshsim"] {
            let allowed = LayerImports.allowed[name] ?? []
            #expect(allowed.allSatisfy { !LayerImports.adapters.contains($0) }, "\(name)")
        }
    }

    @Test("each sound adapter is imported by exactly one file of AudioIO")
    func soundBackends() {
        let sources = tree.paths(in: "Sources/App/AudioIO", endingIn: [".swift"]).map(tree.text)
        for backend in ["AlsaAudio", "FileAudio"] {
            #expect(sources.count { $0.contains("import \(backend)\n") } == 1, "\(backend)")
        }
    }

    @Test("Core has no clock, thread, output or chance of its own")
    func coreBans() {
        for path in tree.coreSources {
            let isVoice = path.hasPrefix("Sources/Core/Voice/")
            report(CoreBans.violations(in: tree.text(path), floatingPointAllowed: isVoice), in: path)
        }
    }

    @Test("only the coordinator sees several machines of the mesh")
    func machineWalls() {
        let paths = tree.coreSources.filter { $0.hasPrefix(MachineWalls.mesh) }
        var types: [String: Set<String>] = [:]
        for path in paths {
            guard let machine = MachineWalls.machine(of: path) else { continue }
            types[machine, default: []].formUnion(MachineWalls.declaredTypes(in: tree.text(path)))
        }
        #expect(types.keys.sorted() == MachineWalls.machines)
        let values = MachineWalls.machineValues(in: tree.text(MachineWalls.mesh + "Coordinator/MeshNode.swift"))
        #expect(values.count == MachineWalls.machines.count)
        for path in paths {
            let text = tree.text(path)
            report(MachineWalls.foreignExtensions(in: text, at: path), in: path)
            report(MachineWalls.foreignNames(in: text, at: path, types: types), in: path)
            report(MachineWalls.tooManyFields(in: text, at: path), in: path)
            report(MachineWalls.foreignChanges(in: text, at: path, of: values), in: path)
        }
    }

    @Test("no function of the coordinator reaches itself")
    func callCircles() {
        var calls = CallCircles()
        for path in tree.coreSources where path.hasPrefix(MachineWalls.mesh + MachineWalls.coordinator + "/") {
            calls.add(tree.text(path), at: path)
        }
        #expect(100 < calls.count, "the coordinator's functions are read")
        for (path, violations) in calls.circles().sorted(by: { $0.key < $1.key }) { report(violations, in: path) }
    }

    @Test("Core walks through no hashed collection")
    func hashedIteration() {
        for module in tree.folders(in: "Sources/Core") {
            let paths = tree.coreSources.filter { $0.hasPrefix("Sources/Core/\(module)/") }
            let declared = paths.map { HashedIteration.declarations(in: tree.text($0)) }
            let hashed = declared.reduce(into: Set<String>()) { $0.formUnion($1.hashed) }
            let plain = declared.reduce(into: Set<String>()) { $0.formUnion($1.plain) }
            for path in paths {
                let others = hashed.subtracting(plain)
                report(HashedIteration.violations(in: tree.text(path), others: others), in: path)
            }
        }
    }

    @Test("nothing is forced outside tests")
    func forcedValues() {
        for path in tree.productSources { report(ForcedValues.violations(in: tree.text(path)), in: path) }
    }

    @Test("a node holds nothing of its process")
    func processState() {
        for path in tree.productSources where ProcessState.isChecked(path) {
            report(ProcessState.violations(in: tree.text(path)), in: path)
        }
    }

    @Test("files and functions are short, lines are narrow")
    func shape() {
        for path in tree.productSources + tree.testSources {
            let text = tree.text(path)
            report(Shape.tooLong(text) + Shape.tooWide(text), in: path)
        }
        for path in tree.productSources { report(Shape.longFunctions(tree.text(path)), in: path) }
    }

    @Test("nothing is left open, no placeholder stays, no machine's path is written down")
    func leftovers() {
        let scripts = ["Makefile"] + tree.paths(in: ".ci", endingIn: [""]).filter { !tree.isFolder($0) }
        for path in tree.productSources + tree.testSources + tree.documents + scripts + ["Package.swift"] {
            let text = tree.text(path)
            report(Shape.leftovers(text) + Shape.machinePaths(text), in: path)
            if path.hasSuffix(".swift") { report(Shape.placeholders(text), in: path) }
        }
    }

    @Test("files that documents and comments name exist")
    func namedFiles() {
        let ownTests = "Tests/TidyTests/"
        let paths = tree.documents + tree.productSources + tree.testSources.filter { !$0.hasPrefix(ownTests) }
        for path in paths { report(NamedFiles.violations(in: tree.text(path), exists: tree.exists), in: path) }
    }

    @Test("each seed has a row, and every verb in it exists")
    func seeds() {
        let commands = tree.paths(in: "Sources/App", endingIn: ["Command.swift", "Commands.swift"])
        let verbs = Set(commands.flatMap { SeedRows.verbs(in: tree.text($0)) })
        #expect(20 < verbs.count)
        report(SeedRows.violations(in: tree.text("docs/SEEDS.md"), verbs: verbs), in: "docs/SEEDS.md")
    }

    @Test("the lines that planted faults replace stand in the sources")
    func plantedFaults() {
        let page = "Tests/Mutation/handmade.txt"
        report(PlantedFaults.violations(in: tree.text(page)) { tree.exists($0) ? tree.text($0) : nil }, in: page)
    }

    @Test("sections and decisions that documents and comments name exist")
    func namedSections() {
        let ownTests = "Tests/TidyTests/"
        let paths = tree.documents + tree.productSources + tree.testSources.filter { !$0.hasPrefix(ownTests) }
        let decisions = tree.paths(in: "docs/decisions", endingIn: [".md"]).map { path in
            String(path.split(separator: "/")[2].prefix(3))
        }
        for path in paths {
            report(
                NamedSections.violations(
                    in: tree.text(path), headings: { NamedSections.headings(in: tree.text($0)) },
                    decisions: Set(decisions)),
                in: path)
        }
    }

    @Test("every target has tests, and every test folder a target")
    func testsMirrorSources() {
        let shims = tree.folders(in: "Sources/Shims").filter {
            !tree.paths(in: "Sources/Shims/" + $0, endingIn: [".swift"]).isEmpty
        }
        let layers = ["Sources/Core", "Sources/Adapters", "Sources/App"].flatMap(tree.folders) + ["Handover"] + shims
        // One executable holds nothing but its entry point.
        let modules = (layers + tree.folders(in: "Simulations")).filter { $0 != "partyline" }
        let simulations = ["Scenarios", "Regressions"]
        let folders = tree.folders(in: "Tests").filter { $0.hasSuffix("Tests") && $0 != "TidyTests" }
        let expected = modules.filter { !simulations.contains($0) }.map { $0 + "Tests" }
        #expect(folders == expected.sorted())
        for folder in folders {
            let sources = tree.paths(in: "Tests/" + folder, endingIn: [".swift"])
            #expect(sources.contains { tree.text($0).contains("@Test") }, "\(folder) tests nothing")
        }
    }

    @Test("every module stands in the table of layers")
    func everyModuleHasItsPlace() {
        let modules = ["Sources/Core", "Sources/Adapters", "Sources/App"].flatMap(tree.folders)
        for module in modules { #expect(LayerImports.allowed[module] != nil, "\(module)") }
        #expect(tree.folders(in: "Sources/Adapters") == LayerImports.adapters)
    }

    @Test("what is measured is declared as it is built")
    func measuredModules() {
        let path = "Benchmarks/Package.swift"
        report(MeasuredModules.violations(in: tree.text(path), product: tree.text("Package.swift")), in: path)
    }

    private func report(_ violations: [Violation], in path: String) {
        for violation in violations { Issue.record("\(path):\(violation.line): \(violation.what)") }
    }
}
