import ArgumentParser
import Lab
import NodeRuntime

/// The command line: one program, a verb each.
struct Partyline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partyline",
        abstract: "A party line: everyone on the channel hears everyone, without a server.",
        discussion: """
            `partyline run` is the node. Most other verbs talk to it through its control socket. Without --name they \
            take the node 'default', or the only one that runs. init, enter, code show, identity, id, devices, doctor, \
            report, crew, lab and completion need no running node.

            Exit codes: 0 done, 1 error, 2 usage, 3 no node running, 4 degraded: something is wrong, not in effect, or \
            not kept for the next start.
            """,
        version: ProgramVersion.text,
        subcommands: [
            InitCommand.self, EnterCommand.self, CodeCommand.self, IdentityCommand.self,
            RunCommand.self, TopCommand.self, StatusCommand.self, PeersCommand.self, RequestsCommand.self,
            AcceptCommand.self, DenyCommand.self, VerifyCommand.self, TrustCommand.self,
            ForgetCommand.self,
            TalkCommand.self, MuteCommand.self,
            VolumeCommand.self, PanCommand.self, PriorityCommand.self, DimCommand.self, EventsCommand.self,
            ChannelsCommand.self, JoinCommand.self, PartCommand.self, LevelCommand.self, TalkOnCommand.self,
            ChannelCommand.self, NickCommand.self, RoleCommand.self, ColourCommand.self,
            KeysCommand.self, PrivateCommand.self, ReplyCommand.self,
            CallCommand.self, AnswerCommand.self, WithdrawCommand.self, CallsCommand.self, DoNotDisturbCommand.self,
            CloseMicrophoneCommand.self,
            PingCommand.self, LatencyCommand.self, DiscoverCommand.self, AdvertiseCommand.self, StatsCommand.self,
            RecordCommand.self,
            ReplayCommand.self, IDCommand.self, DevicesCommand.self, DeviceCommand.self,
            CrewCommand.self, ReloadCommand.self, DoctorCommand.self, ReportCommand.self, StopCommand.self,
            LabCommand.self, CompletionCommand.self, LeaveCommand.self,
        ])
}
