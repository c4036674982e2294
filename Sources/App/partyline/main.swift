import Commands
import Glibc

exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
