import Foundation
import MutationSites

/// Writes a sample's mutants into the tree and builds it, without those that the compiler refuses.
struct Planting {
    let tree: Tree
    /// Sites in the order in which they were drawn, the sample and those that replace what does not compile.
    let drawn: [MutationSite]
    let count: Int

    /// Rounds of building after which something else must be wrong than mutants.
    private static let roundsMax = 40

    /// - Returns: the mutants by number, from 1; a refused one's place is taken by the next that was drawn.
    func plant(_ say: (String) -> Void) throws -> (
        planted: [(number: Int, site: MutationSite)], refused: [MutationSite]
    ) {
        var planted = drawn.prefix(count).enumerated().map { (number: $0.offset + 1, site: $0.element) }
        var next = planted.count
        var refused: [MutationSite] = []
        for round in 1...Planting.roundsMax {
            let renderings = try render(planted)
            try tree.write(renderings.mapValues(\.text))
            say("building \(planted.count) mutants, round \(round)")
            let errors = try Build(folder: tree.folder).errors()
            guard !errors.isEmpty else { return (planted, refused) }
            var blamed: Set<Int> = []
            for error in errors {
                guard let rendering = renderings[error.file] else { continue }
                blamed.formUnion(rendering.suspects(line: error.line, column: error.column))
            }
            guard !blamed.isEmpty else {
                throw Trouble(
                    description: "the tree does not compile: \(errors[0].file):\(errors[0].line): \(errors[0].text)")
            }
            say("the compiler refuses \(blamed.count)")
            for place in planted.indices where blamed.contains(planted[place].number) {
                refused.append(planted[place].site)
                guard next < drawn.count else { throw Trouble(description: "no more sites to draw") }
                planted[place] = (number: next + 1, site: drawn[next])
                next += 1
            }
        }
        throw Trouble(description: "the tree does not compile after \(Planting.roundsMax) rounds")
    }

    private func render(_ planted: [(number: Int, site: MutationSite)]) throws -> [String: Rendering] {
        var renderings: [String: Rendering] = [:]
        for (file, mutants) in Dictionary(grouping: planted, by: \.site.file) {
            renderings[file] = Rendering(try tree.text(of: file), mutants: mutants)
        }
        return renderings
    }
}
