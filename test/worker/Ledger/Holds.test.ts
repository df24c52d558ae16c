/** `siteledger ledger holds` by reason, by size and a page at a time, as a person types it. */
import { assert, it } from "@effect/vitest"
import { World } from "../World.ts"

const paid = (id: string) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

interface Row {
  readonly hold_id: string
  readonly since: string
  readonly amount: string | null
}

const listed = async (world: World, ...flags: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> => {
  const { code, stderr, stdout } = await world.run("ledger", "holds", "--json", ...flags)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as ReadonlyArray<Row>
}

it("open holds are listed behind the last one seen, of one reason, in either order", async () => {
  await using world = await World.open({ projects: 3 })
  const worker = world.start()
  await worker.live()
  for (const id of ["1", "2", "3"]) assert.strictEqual(await world.server.deliver(paid(id), world.at(worker)), 200)
  await worker.status("they wait", ({ ledger }) => ledger.holds === 3)
  const all = await listed(world)
  assert.lengthOf(all, 3)
  const [first] = await listed(world, "--limit", "1")
  assert.deepStrictEqual(first, all[0])
  assert.deepStrictEqual(await listed(world, "--after", first!.hold_id.slice(0, 12)), all.slice(1))
  assert.deepStrictEqual(await listed(world, "--reason", "over-payment"), [])
  const largest = await listed(world, "--reason", "awaiting-certified-amount", "--order", "largest")
  assert.sameDeepMembers([...largest], [...all])
  assert.deepStrictEqual(await listed(world, "--order", "largest", "--after", largest[1]!.hold_id), [largest[2]!])
  const rest = await world.run("ledger", "holds", "--limit", "1", "--after", first!.hold_id)
  assert.strictEqual(rest.stderr, "1 of 3 holds, after that one: --all shows all.\n")
  const unknown = await world.run("ledger", "holds", "--after", "zz")
  assert.strictEqual(unknown.code, 1)
  assert.match(unknown.stderr, /no entry and no open hold zz/)
  for (const flags of [
    ["--order", "newest"],
    ["--reason", "nothing"]
  ]) {
    assert.strictEqual((await world.run("ledger", "holds", ...flags)).code, 2)
  }
  // From the row of one that may be closed by now.
  const { amount, hold_id, since } = first!
  const asked = (await worker.verb("ledger-holds", { after: { amount, hold_id, since }, limit: 1 })) as { rows: object }
  assert.deepStrictEqual(asked.rows, [all[1]])
})
