/**
 * The archives of a Store in the folder `archive` of its data directory: the second copy of each, from which everything
 * reads. A file is used only if its seal and every frame in it are ours, and if it is the one that the Store names. If
 * it is damaged, changed or missing, a copy is fetched from elsewhere (the lake) to replace it, and this is reported.
 * If no copy is intact, reading fails and names both places.
 */
import type { KeyObject } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Context } from "effect"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import { decode, sha256Of } from "../Segments/Frame.ts"
import { Making, keysOfArchive } from "../Segments/KeyFile.ts"
import { bodyKey, entriesOf, idKey } from "../Segments/Known.ts"
import { type Archive, opened, sealed } from "./Archive.ts"
import * as ArchiveFile from "./ArchiveFile.ts"

/** Where the second copies are. */
export interface OtherCopies {
  /** For people. */
  readonly name: string
  /** Fetches into a local file; false if there is no such file. */
  readonly fetch: (path: string, localFile: string) => Promise<boolean>
}

/** The second copies of the archives in the Store's own folder. None by default: then only the folder is read. */
export const Elsewhere = Context.Reference<OtherCopies | undefined>("siteledger/Archives/Elsewhere", {
  defaultValue: () => undefined
})

export const folderOf = (store: string): string =>
  basename(store) === "store.sqlite" ? join(dirname(store), "archive") : `${store}-archive`

export interface ArchiveOptions {
  readonly elsewhere?: OtherCopies | undefined
  readonly warn?: (sentence: string) => void
  /**
   * The SHA-256 of the archive's file according to the Store. An old copy from before an erasure was sealed by this
   * worker too, but must never be used again. Undefined if the Store doesn't know the archive: then any archive of its
   * own is accepted.
   */
  readonly expected?: (name: string) => string | undefined
}

/** No copy of an archive is intact. */
export class ArchiveDamaged extends Error {
  override readonly name = "ArchiveDamaged"
}

export class ArchiveFolder {
  readonly path: string
  readonly #warn: (sentence: string) => void
  readonly #elsewhere: OtherCopies | undefined
  readonly #expected: (name: string) => string | undefined
  /** The one that was read last, cached because its deliveries are read in order. */
  #newest: { readonly name: string; readonly contents: ReadonlyArray<Buffer> } | undefined

  constructor(path: string, { elsewhere, expected, warn }: ArchiveOptions = {}) {
    this.path = path
    this.#elsewhere = elsewhere
    this.#expected = expected ?? (() => undefined)
    this.#warn = warn ?? (() => undefined)
  }

  file(name: string): string {
    return join(this.path, `${name}.parquet`)
  }

  document(name: string): string {
    return join(this.path, `${name}.json`)
  }

  /** The contents of its frames, in order. */
  async contents(name: string, key: KeyObject): Promise<ReadonlyArray<Buffer>> {
    if (this.#newest?.name === name) return this.#newest.contents
    const own = await this.#contentsAt(this.document(name), this.file(name), name, key)
    const contents = typeof own === "string" ? await this.#again(name, key, own) : own
    this.#newest = { name, contents }
    return contents
  }

  /** Frees the memory of what was read. */
  forget(): void {
    this.#newest = undefined
  }

  /** Reads both of its files, and repairs them from the other copy. */
  async check(name: string, key: KeyObject): Promise<void> {
    this.forget()
    await this.contents(name, key)
    this.forget()
  }

  /** Already sealed if the process died after sealing it. */
  sealed(name: string, key: KeyObject): Archive | undefined {
    const path = this.document(name)
    const archive = existsSync(path) ? opened(readFileSync(path, "utf8"), key) : undefined
    return archive !== undefined && this.#isExpected(archive, name) && existsSync(this.file(name)) ? archive : undefined
  }

  #isExpected({ name, sha256 }: Archive, asked: string): boolean {
    return name === asked && sha256 === (this.#expected(asked) ?? sha256)
  }

  seal(archive: Archive, key: KeyObject): string {
    const text = sealed(archive, key)
    const path = this.document(archive.name)
    if (existsSync(path) && readFileSync(path, "utf8") === text) return text
    writeFresh(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
    flushFolderOf(path)
    return text
  }

  /** The keys of its deliveries, for the thread that detects known bodies. */
  async keepKeys(name: string, key: KeyObject): Promise<void> {
    const path = keysOfArchive(this.path, name)
    if (existsSync(path)) return
    this.makeKeys(name, await this.contents(name, key))
  }

  makeKeys(name: string, contents: ReadonlyArray<Buffer>): void {
    const path = keysOfArchive(this.path, name)
    const keys = new Map<string, number>()
    const add = (found: Buffer, number: number): void => {
      const text = found.toString("latin1")
      if (!keys.has(text)) keys.set(text, number)
    }
    for (const content of contents) {
      const frame = decode(content)
      if (frame.kind !== "first") continue
      add(bodyKey(sha256Of(frame)), frame.number)
      if (frame.labels.isReused !== true) add(idKey(frame.labels.eventId), frame.number)
    }
    const making = new Making(dirname(path), keys.size)
    making.add(entriesOf(keys))
    const made = making.finish({ from: 0, through: 0 })
    made.close()
    renameSync(made.path, path)
    flushFolderOf(path)
  }

  async #again(name: string, key: KeyObject, fault: string): Promise<ReadonlyArray<Buffer>> {
    const place = `The archive ${name} in ${this.path} ${fault}`
    if (this.#elsewhere === undefined) {
      throw new ArchiveDamaged(`${place}. Copy its files back from the folder _archive of the lake.`)
    }
    const from = this.#elsewhere
    const [document, file] = [`${this.document(name)}.fetched`, `${this.file(name)}.fetched`]
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      const isThere =
        (await from.fetch(`_archive/${name}.json`, document)) && (await from.fetch(`_archive/${name}.parquet`, file))
      const found = isThere ? await this.#contentsAt(document, file, name, key) : "is missing"
      if (typeof found === "string") throw new ArchiveDamaged(`${place}, and the one on ${from.name} ${found}.`)
      renameSync(file, this.file(name))
      renameSync(document, this.document(name))
      flushFolderOf(this.file(name))
      this.#warn(`${place}: it was restored from ${from.name}. Check the disk, and who can write there.`)
      return found
    } finally {
      for (const path of [document, file]) rmSync(path, { force: true })
    }
  }

  /** What is wrong with it, as words that follow its name; otherwise its frames. */
  async #contentsAt(
    document: string,
    file: string,
    name: string,
    key: KeyObject
  ): Promise<ReadonlyArray<Buffer> | string> {
    if (!existsSync(document) || !existsSync(file)) return "is missing"
    const archive = opened(readFileSync(document, "utf8"), key)
    if (archive?.name !== name) return "isn't sealed by this worker"
    if (!this.#isExpected(archive, name)) return "isn't the one that the store names"
    try {
      if ((await ArchiveFile.digestOf(file)) !== archive.sha256) return "is damaged or was changed"
      const contents = await ArchiveFile.read(file, key)
      return ArchiveFile.isUnbroken(contents, archive.first, archive.through) ? contents : "lacks deliveries"
    } catch (cause) {
      return `can't be read (${whyNot(cause)})`
    }
  }
}
