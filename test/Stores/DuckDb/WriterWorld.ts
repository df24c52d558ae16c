/** A writer's warehouse in a file, and changes of its IPCs. */
import type { DuckDBConnection } from "@duckdb/node-api"
import { assert } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import { openWarehouse } from "../../../src/Stores/DuckDb/File.ts"
import * as Rows from "../../../src/Stores/DuckDb/Rows.ts"
import type { EntityTables } from "../../../src/Stores/EntityTables.ts"
import { DuckDbWriter } from "../../../src/Stores/DuckDb/Writer.ts"
import { event } from "../../Domain/Merge/Histories.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import type { Random } from "../../Seeded.ts"
import { alike } from "./Alike.ts"

export interface World {
  readonly connection: DuckDBConnection
  readonly tables: EntityTables
  /** Patched by a test: the writer's next statements run through it. */
  readonly open: (patch?: (connection: DuckDBConnection) => void) => Promise<DuckDbWriter>
  readonly rows: (table: string) => Promise<ReadonlyArray<Rows.Row>>
}

export const withWarehouse = async (use: (world: World) => Promise<void>): Promise<void> => {
  const folder = temporaryFolder()
  const file = await openWarehouse(`${folder}/warehouse.duckdb`)
  const connection = await file.instance.connect()
  try {
    await use({
      connection,
      tables: file.tables,
      open: async (patch = () => undefined) => {
        const connect = async () => {
          const own = await file.instance.connect()
          patch(own)
          return own
        }
        return DuckDbWriter.open({ ...file, instance: { connect } as never })
      },
      rows: async (table) => {
        const result = await connection.run(`select * from construction.${table}`)
        const read = Rows.reader(result)
        return (await result.fetchAllChunks()).flatMap((chunk) => read(chunk))
      }
    })
  } finally {
    connection.disconnectSync()
    await file.close()
    removeFolder(folder)
  }
}

const ids = [...alike.flat(), ...Array.from({ length: 300 }, (_, n) => `I${n}`)]

export const changeOf = (random: Random, at: number): Change => ({
  ...event("ipcs", "certified", at, { certified_amount: `${random.below(1000)}.0000` }),
  id: random.pick(ids)
})

export const assertFails = (attempt: Promise<unknown>): Promise<void> =>
  attempt.then(
    () => assert.fail("it succeeded"),
    () => undefined
  )
