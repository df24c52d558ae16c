/**
 * Two parts of a large table are written at a time, each on its own connection; none is started once the snapshot is
 * closed.
 */
import { assert, it } from "@effect/vitest"
import { openWarehouse } from "../../../src/Stores/DuckDb/File.ts"
import { withConnection } from "../../../src/Stores/DuckDb/ReadAll.ts"
import { DuckDbSnapshot } from "../../../src/Stores/DuckDb/Snapshot.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"

const rows = 122_881

/** Each write waits for its gate. */
const opened = async () => {
  const folder = temporaryFolder()
  const file = await openWarehouse(`${folder}/warehouse.duckdb`)
  await withConnection(file.instance, (connection) =>
    connection.run(`insert into construction.ipcs (id) select 'i' || i from range(${rows}) r(i)`)
  )
  const gates: Array<() => void> = []
  const snapshot = await DuckDbSnapshot.open(file.instance, file.tables.all, async (run) => {
    await new Promise<void>((open) => gates.push(open))
    return run()
  })
  let parts = 0
  const write = () => snapshot.writeTable("ipcs", `${folder}/${parts++}.parquet`)
  const close = async () => {
    await file.close()
    removeFolder(folder)
  }
  return { snapshot, gates, write, close }
}

it("the next part goes to the connection that is idle", async () => {
  const { close, gates, snapshot, write } = await opened()
  const [first, second] = [write(), write()]
  await Promise.resolve()
  gates[1]?.()
  assert.strictEqual(await second, rows)
  const third = write()
  await Promise.resolve()
  assert.strictEqual(gates.length, 3)
  for (const open of gates) open()
  assert.deepStrictEqual(await Promise.all([first, third]), [rows, rows])
  await snapshot.close()
  await close()
})

it("a part that waits isn't begun once the snapshot is closed", async () => {
  const { close, gates, snapshot, write } = await opened()
  const all = Promise.allSettled([write(), write(), write()])
  await Promise.resolve()
  await snapshot.close()
  for (const open of gates) open()
  const [, , third] = await all
  assert.strictEqual(gates.length, 2)
  assert.match(third.status === "rejected" ? String(third.reason) : "", /snapshot is closed/)
  await close()
})
