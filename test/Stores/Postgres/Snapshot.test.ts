/** What a failed export from PostgreSQL blames: a file of this machine for its own failure, and else the server. */
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { failure } from "../../../src/Stores/Postgres/Snapshot.ts"

const name = "PostgreSQL at db:5432, database books"

const said = (cause: unknown): string => failure({ name }, cause).message

const thrownBy = (use: () => unknown): unknown => {
  try {
    use()
  } catch (cause) {
    return cause
  }
  return assert.fail("nothing was thrown")
}

/** How Node tells of sockets, whose calls have some of the same names. */
const ofSocket = (syscall: string, code: string) => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

describe("a failed export", () => {
  it("blames a file of ours that could not be written, not the server, though no path is named", () => {
    const file = openSync(import.meta.filename, "r")
    const calls = [() => writeSync(file, "x"), () => ftruncateSync(file)]
    const causes = calls.map(thrownBy)
    closeSync(file)
    for (const cause of causes) {
      assert.notProperty(cause, "path")
      assert.match(said(cause), /^E[A-Z]+: .*, (?:write|ftruncate)$/)
    }
    assert.match(said(thrownBy(() => openSync("/not/there", "r"))), /^ENOENT: .* '\/not\/there'$/)
  })

  it("blames the server for a connection that broke off", () => {
    for (const cause of [ofSocket("write", "EPIPE"), ofSocket("read", "ECONNRESET")]) {
      assert.strictEqual(said(cause), `${name} doesn't answer: ${cause.message}.`)
    }
  })
})
