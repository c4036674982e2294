import ArgumentParser
import Lab
import NodeRuntime

/// The command line: one program, a verb each.
struct Partyline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partyline",
        abstract: "A party line: everyone on the channel hears everyone, without a server.",
        discussion: """
            `partyline run` is the node; every other verb talks to it through its control socket. \
            Without --name they take the node 'default', or the only one that runs.

            Exit codes: 0 healthy, 1 error, 2 usage, 3 no node running, 4 degraded: the node runs, and something is \
            wrong or not in effect.
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
