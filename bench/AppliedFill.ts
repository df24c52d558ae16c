/**
 * Adds deliveries of the kinds that move no money to the stores of a worker that was stopped, as if the worker had
 * applied them: tens of thousands a second. If it dies in the middle, the stores are useless. Prints how many there
 * are. Run: node bench/AppliedFill.ts all|ipcs DATA_DIR SERIES COUNT [DATABASE]
 */
import { intoFiles } from "./AppliedFiles.ts"
import { atATime } from "./AppliedRows.ts"
import { intoServer } from "./AppliedServer.ts"

const [given, directory = "", series = "applied", most = "1000", database] = process.argv.slice(2)
const lives = given === "ipcs" ? given : "all"
const count = Number(most) - (Number(most) % atATime(lives))

if (database === undefined) await intoFiles(directory, { lives, series, count })
else await intoServer(database, { lives, series, count })
process.stdout.write(`${count}\n`)
