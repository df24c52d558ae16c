/** A receiver over a SQLite file, in its own process so that its system calls can be traced. Prints its port. */
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { startReceiver } from "./Running.ts"

const receiver = await startReceiver(Sqlite.layerAt(process.argv[2] ?? ""))
process.stdout.write(`${receiver.port}\n`)
// The parent closes it at the end, or dies.
process.stdin.resume().once("end", () => void receiver[Symbol.asyncDispose]())
