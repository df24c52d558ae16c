/** A failed export from PostgreSQL blames our own file if that failed, and the server otherwise. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { failure } from "../../../src/Stores/Postgres/Snapshot.ts"

const name = "PostgreSQL at db:5432, database books"

const messageOf = (cause: unknown): string => failure({ name }, cause).message

const thrownBy = (use: () => unknown): unknown => {
  try {
    use()
  } catch (cause) {
    return cause
  }
  return assert.fail("nothing was thrown")
}

/** A socket's error in Node; some of its calls have the same names as those of files. */
const ofSocket = (syscall: string, code: string) => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

describe("a failed export", () => {
  it("blames our file that could not be written, not the server, although no path is named", () => {
    const file = openSync(import.meta.filename, "r")
    const calls = [() => writeSync(file, "x"), () => ftruncateSync(file)]
    const causes = calls.map(thrownBy)
    closeSync(file)
    for (const cause of causes) {
      assert.notProperty(cause, "path")
      assert.match(messageOf(cause), /^E[A-Z]+: .*, (?:write|ftruncate)$/)
    }
    assert.match(messageOf(thrownBy(() => openSync("/not/there", "r"))), /^ENOENT: .* '\/not\/there'$/)
  })

  it("blames the server for a connection that broke off", () => {
    for (const cause of [ofSocket("write", "EPIPE"), ofSocket("read", "ECONNRESET")]) {
      assert.strictEqual(messageOf(cause), `${name} doesn't answer: ${cause.message}.`)
    }
  })
})
