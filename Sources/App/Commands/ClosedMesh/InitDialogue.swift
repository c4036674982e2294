package import NodeRuntime

/// The questions of `partyline init` to a person at a terminal. A question whose option was given is left out.
package struct InitDialogue {
    /// The wishes of a person, or the options and the defaults.
    package struct Wish: Hashable {
        package var mesh: String
        /// An absent field keeps its value.
        package var profile: ProfileWords
        /// An absent device stays as it is.
        package var devices: DeviceWords

        package init(mesh: String, profile: ProfileWords, devices: DeviceWords = DeviceWords()) {
            (self.mesh, self.profile, self.devices) = (mesh, profile, devices)
        }
    }

    /// The name of a mesh that has none.
    package static let meshStandard = "crew"

    private let options: RunOptions
    private let present: ProfileWords
    private let devices: DeviceDialogue

    /// - Parameters:
    ///   - options: those of the command.
    ///   - present: how the node would introduce itself now.
    package init(_ options: RunOptions, present: ProfileWords, _ devices: DeviceDialogue) {
        self.options = options
        self.present = present
        self.devices = devices
    }

    private var isMeshNamed: Bool { options.meshPlace != nil }

    /// - Throws: `CommandEnd` at the end of the input.
    package func wish(_ conversation: Conversation) throws -> Wish {
        var wish = Wish(
            mesh: isMeshNamed ? options.mesh : InitDialogue.meshStandard, profile: options.introduction)
        let open = zip(ProfileWords.fields, InitDialogue.questions).filter { wish.profile[$0.0] == nil }
        guard conversation.isWithPerson, !open.isEmpty || devices.isOpen || !isMeshNamed else { return wish }
        conversation.ask("A closed mesh: only people with its code come in. An empty answer takes what is in [ ].\n")
        for (field, question) in open {
            wish.profile[field] = try conversation.answer(to: question, standard: present[field] ?? "") { text in
                var words = ProfileWords()
                words[field] = text
                try words.check()
                return text
            }
        }
        if devices.isOpen { wish.devices = try devices.wish(conversation) }
        if !isMeshNamed {
            wish.mesh = try conversation.answer(to: "Name of the mesh", standard: wish.mesh) { text in
                guard let name = RunResolution.meshName(text) else {
                    throw AnswerFault("the name of the mesh must \(RunResolution.meshNameFault(text))")
                }
                return name
            }
        }
        return wish
    }

    /// In the order of `ProfileWords.fields`.
    private static let questions = ["Your name", "What you do, for example lighting", "Your colour, for example amber"]
}
