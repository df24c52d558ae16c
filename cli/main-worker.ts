/**
 * The program with one verb, `start`: built, a worker doesn't hold the code of the others (4 MB) and is live sooner. Run
 * from its sources, it is started like any other verb (main.ts).
 */
import { Command } from "effect/cli"
import { enter } from "./Entry.ts"
import { start } from "./start.ts"

enter(Command.make("siteledger").pipe(Command.withSubcommands([start])), [start])
