/**
 * The tables of the open file and their writer. Both are replaced after columns were added.
 */
import type { EntityTable, EntityTables } from "../EntityTables.ts"
import { evolve } from "./Evolve.ts"
import type { OpenFile } from "./File.ts"
import type { Publication } from "./Publication.ts"
import { DuckDbWriter } from "./Writer.ts"

export class Live {
  readonly #file: OpenFile
  readonly #publication: Publication
  #tables: EntityTables
  #writer: DuckDbWriter

  private constructor(file: OpenFile, publication: Publication, writer: DuckDbWriter) {
    this.#file = file
    this.#publication = publication
    this.#tables = file.tables
    this.#writer = writer
  }

  static async open(file: OpenFile, publication: Publication): Promise<Live> {
    return new Live(file, publication, await DuckDbWriter.open(file, publication.wrote))
  }

  get tables(): EntityTables {
    return this.#tables
  }

  get writer(): DuckDbWriter {
    return this.#writer
  }

  close(): void {
    this.#writer.close()
  }

  /** Nothing else may use the file meanwhile. */
  async evolve(wanted: ReadonlyArray<EntityTable>): Promise<void> {
    // The writer has statements for the old tables, and rows of them in memory.
    this.#writer.close()
    try {
      this.#tables = await evolve(this.#file.instance, wanted)
    } finally {
      this.#publication.evolved(this.#tables)
      this.#writer = await DuckDbWriter.open({ ...this.#file, tables: this.#tables }, this.#publication.wrote)
    }
  }
}
