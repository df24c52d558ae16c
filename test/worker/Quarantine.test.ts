/** `siteledger quarantine` and `siteledger replay ID`: what waits, what would help, and one delivery read again. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { World } from "./World.ts"

/** In words that only SITELEDGER_FIELD_ALIASES defines. */
const paid = (id: string) => ({
  type: "ipc.paid",
  body: JSON.stringify({
    event_type: "ipc.paid",
    number: id,
    payment_reference: `PAY-${id}`,
    event_timestamp: "2026-11-19T10:00:00Z"
  })
})

const waiting = async (world: World, ...flags: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await world.run("quarantine", "--json", ...flags)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return JSON.parse(stdout) as Answer<"quarantine">
}

/** All of them as they came, in a file that appears whole and replaces none. */
const exports = async (world: World, rows: Answer<"quarantine">["rows"]): Promise<void> => {
  const file = world.file("unreadable.jsonl", "before")
  const taken = await world.run("quarantine", "--export", file)
  assert.strictEqual(taken.code, 1)
  assert.match(taken.stderr, /already exists and is left as it is: --force replaces it/)
  const done = await world.run("quarantine", "--export", file, "--force", "--reason", rows[0]!.reason)
  assert.deepStrictEqual([done.stdout, done.code], [`Wrote 3 deliveries to ${file}.\n`, 0], done.stderr)
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  const found = lines.map((line) => JSON.parse(line) as Answer<"quarantine-export">["deliveries"][number])
  assert.deepStrictEqual(
    found.map(({ event_id, reason, sequence }) => ({ event_id, reason, sequence })),
    rows.map(({ event_id, reason, sequence }) => ({ event_id: event_id ?? "", reason, sequence }))
  )
  for (const [number, { body, bodyBase64, event_id: id, headers }] of found.entries()) {
    assert.strictEqual(body, paid(`I-${number}`).body)
    assert.strictEqual(Buffer.from(bodyBase64, "base64").toString(), body)
    assert.include(
      headers.map(({ value }) => value),
      id
    )
  }
  const rest = JSON.parse(
    (await world.run("quarantine", "--export", file, "--force", "--json", "--after", String(rows[0]!.sequence))).stdout
  ) as unknown
  assert.deepStrictEqual(rest, { path: file, deliveries: 2 })
}

describe("siteledger quarantine", () => {
  it("says what waits and what helps, and then one of it, or all, is read again", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    assert.strictEqual((await world.run("quarantine")).stdout, "Nothing is in quarantine.\n")
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    for (const [number, id] of ids.entries()) {
      assert.strictEqual(await world.server.deliver(paid(`I-${number}`), { ...world.at(worker), id }), 200)
    }
    await worker.status("they wait", ({ inbox }) => inbox.quarantined === 3 && inbox.pending === 0)
    const { reasons, rows, total } = await waiting(world)
    assert.deepStrictEqual([total, rows.map(({ event_id: id }) => id)], [3, ids])
    const [reason] = reasons
    assert.match(reason?.toDo ?? "", /SITELEDGER_FIELD_ALIASES/)
    const { stdout } = await world.run("quarantine", "--limit", "2")
    assert.match(stdout, new RegExp(`^sequence .*\\n.*\\n +${rows[0]?.sequence} .*\\n +${rows[1]?.sequence} .*\\n\\n`))
    assert.include(stdout, `${reason?.reason}: 3 deliveries. ${reason?.toDo}\n`)
    const second = await waiting(world, "--after", String(rows[0]?.sequence), "--limit", "1")
    assert.deepStrictEqual(second.rows, [rows[1]!])
    await exports(world, rows)
    const early = await world.run("replay", ids[0]!)
    assert.deepInclude(early, { code: 0, stdout: "Read 1 delivery again: 0 applied, 1 still in quarantine.\n" })
    assert.strictEqual((await worker.stop()).code, 0)

    const aliases = { SITELEDGER_FIELD_ALIASES: world.file("aliases.json", '{"ipc_id":"number"}') }
    const again = world.start(aliases)
    await again.live()
    const done = await world.run("replay", ids[1]!.toUpperCase(), String(rows[2]?.sequence), ids[1]!)
    assert.deepInclude(done, { code: 0, stdout: "Read 2 deliveries again: 2 applied, 0 still in quarantine.\n" })
    assert.deepStrictEqual((await waiting(world)).rows, [rows[0]!])
    // Nothing is read if one of them isn't there.
    const partly = await world.run("replay", String(rows[0]?.sequence), "99999")
    assert.match(partly.stderr, /No delivery in quarantine has the event id or the sequence 99999/)
    const unknown = await world.run("replay", ids[1]!)
    assert.strictEqual(unknown.code, 1)
    assert.match(unknown.stderr, /No delivery in quarantine has the event id or the sequence/)
    const both = await world.run("replay", ids[0]!, "--refused-seen")
    assert.strictEqual(both.code, 2, both.stderr)
    assert.match((await world.run("replay")).stdout, /^Read 1 delivery again: 1 applied/)
  })
})
