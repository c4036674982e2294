package import ControlPlane
import Primitives

/// Changes how this node introduces itself.
package struct IntroduceRequest: NodeRequest {
    package static let method = ControlMethod(
        "introduce", since: "0.2.0",
        does: "Changes the name, the role or the colour that the others see; kept for the next start.")
    package typealias Answer = DoneDocument

    /// 1 to 24 characters. Absent leaves it.
    package var name: String?
    /// What the person does, at most 24 characters; empty for no role. Absent leaves it.
    package var role: String?
    /// A word such as `amber`, `#rrggbb`, or `none`. Absent leaves it.
    package var colour: String?

    package init(name: String? = nil, role: String? = nil, colour: String? = nil) {
        (self.name, self.role, self.colour) = (name, role, colour)
    }

    package func check() throws(ControlFailure) {
        if let name, OwnProfile.text(name) == nil {
            throw IntroduceRequest.wrong("name", "a name of 1 to 24 characters")
        }
        if let role, !role.isEmpty, OwnProfile.text(role) == nil {
            throw IntroduceRequest.wrong("role", "a role of at most 24 characters")
        }
        if let colour, Colour(colour) == nil { throw IntroduceRequest.wrong("colour", Colour.expectation) }
    }

    private static func wrong(_ parameter: String, _ expected: String) -> ControlFailure {
        ControlFailure(.invalidParameters, "\"\(parameter)\" must be \(expected)")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let request = self
        try await handler.visit { node in
            var profile = node.profile
            if let name = request.name.flatMap({ OwnProfile.text($0) }) { profile.name = name }
            if let role = request.role { profile.role = OwnProfile.text(role) ?? SafeText("") }
            if let colour = request.colour.flatMap({ Colour($0) }) { profile.colour = colour }
            node.introduce(as: profile)
        }
        return DoneDocument()
    }
}
