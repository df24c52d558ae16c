/**
 * The files of the copy for analysts, regardless of its source. A copy is made completely or, once it is large, from
 * the previous copy: two files take turns, and the hidden one is given what has changed since it was shown. If there is
 * no hidden file yet, or a reader still has it open, a byte copy of the shown file is used.
 *
 * Guarantees: a copy appears all at once, and no one sees a file that is being changed. A hidden file that a reader
 * still has open, that is damaged, or about which nothing is known is left alone or removed. What is known can be
 * handed to another process (`KnownCopies`).
 */
import { linkSync, renameSync, rmSync, statSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import { inherit } from "../Runtime/Rights.ts"
import { discardFile } from "./DuckDb/File.ts"
import * as FileIdentity from "./FileIdentity.ts"
import type { Published } from "./Warehouse.ts"

export interface Limits {
  /** In bytes: a smaller file is copied in less than a second. */
  readonly large: number
  /** Rows that may be replaced before a complete copy: deleted rows stay in the file and slow down its readers. */
  readonly replaced: number
  /** In milliseconds, from when the file is hidden: a program may be copying it byte by byte, which takes no lock. */
  readonly leftAlone: number
}

export const usual: Limits = { large: 32 * 1024 * 1024, replaced: 200_000, leftAlone: 50_000 }

/** `Since`: what identifies the rows that have changed since a copy was made. */
export interface Maker<Since> {
  /** Makes a complete file at `path`, where there is none. */
  readonly whole: (path: string) => Promise<Since>
  /** Whether a file as of then can be updated with what has changed; there may be too much. */
  readonly isUsable: (since: Since) => boolean
  /** Updates a file as of `since` with what has changed; undefined if the file can't be used. */
  readonly given: (path: string, since: Since) => Promise<Given<Since> | undefined>
}

export interface Given<Since> {
  /** The file's state from now on. */
  readonly since: Since
  /** Rows that were deleted or written. */
  readonly replaced: number
}

interface Copy<Since> {
  /** Of the copy's file. */
  readonly identity: string
  readonly since: Since
}

export interface Known<Since> {
  readonly shown: Copy<Since>
  /** `at`: when it was hidden, in milliseconds since 1970. */
  readonly hidden: (Copy<Since> & { readonly at: number }) | null
  /** Rows replaced since the last complete copy. */
  readonly replaced: number
}

interface Hidden<Since> extends Copy<Since> {
  /** When it was hidden, by the monotonic clock. */
  readonly fromMs: number
}

interface Made<Since> {
  readonly path: string
  readonly since: Since
}

const hiddenOf = (target: string): string => `${target}.previous`

export class PublishedFiles<Since> {
  readonly #limits: Limits
  #shown: Copy<Since> | undefined
  #hidden: Hidden<Since> | undefined
  /** Rows replaced since the last complete copy. */
  #replaced = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** For both files. */
  get since(): ReadonlyArray<Since> {
    return [this.#shown, this.#hidden].flatMap((copy) => (copy === undefined ? [] : [copy.since]))
  }

  /** Undefined if the next copy can only be made completely. */
  get known(): Known<Since> | undefined {
    if (this.#shown === undefined) return undefined
    return { shown: this.#shown, hidden: this.#hidden ? withTime(this.#hidden) : null, replaced: this.#replaced }
  }

  /** Takes over what another process knew. Not called while a copy is being made. */
  recall({ hidden, replaced, shown }: Known<Since>): void {
    this.#shown = shown
    this.#hidden = hidden === null ? undefined : { ...hidden, fromMs: monotonicOf(hidden.at) }
    this.#replaced = replaced
  }

  /** Whether this process made the file that is shown. */
  isOurs(target: string): boolean {
    return isStill(target, this.#shown)
  }

  /** The next copy is made completely. Not called while one is being made. */
  forget(): void {
    this.#shown = undefined
    this.#hidden = undefined
  }

  /** `isWhole`: doesn't use the previous file, which may be damaged. */
  async publish(target: string, isWhole: boolean, maker: Maker<Since>): Promise<Published> {
    const updated = isWhole ? undefined : await this.#updated(target, maker)
    const { path, since } = updated ?? (await this.#whole(target, maker))
    inherit(path, target)
    this.#show(path, target, since)
    return { isWhole: updated === undefined }
  }

  /** One of our files, updated with what has changed since; undefined if there is none. */
  async #updated(target: string, maker: Maker<Since>): Promise<Made<Since> | undefined> {
    if (!isStill(target, this.#shown) || this.#replaced > this.#limits.replaced) return undefined
    const [path, hidden] = [hiddenOf(target), this.#hidden]
    const isFree = isStill(path, hidden) && performance.now() - hidden.fromMs >= this.#limits.leftAlone
    const turned = isFree ? await this.#given(path, hidden.since, maker) : undefined
    return turned ?? this.#twin(target, this.#shown, maker)
  }

  /** Copying the shown file's bytes takes a tenth of the processor time of a complete copy. */
  async #twin(target: string, { since }: Copy<Since>, maker: Maker<Since>): Promise<Made<Since> | undefined> {
    if (!maker.isUsable(since) || statSync(target).size < this.#limits.large) return undefined
    const path = this.#unfinished(target)
    const isCopied = await copyFile(target, path).then(
      () => true,
      () => false
    )
    return isCopied ? this.#given(path, since, maker) : undefined
  }

  async #given(path: string, since: Since, maker: Maker<Since>): Promise<Made<Since> | undefined> {
    const given = await maker.given(path, since).finally(() => (this.#hidden = undefined))
    if (given === undefined) return undefined
    this.#replaced += given.replaced
    return { path, since: given.since }
  }

  /**
   * Where a copy is made that isn't based on the hidden file. That file is then useless and is removed, because there
   * may be little room.
   */
  #unfinished(target: string): string {
    const path = `${target}.unfinished`
    discardFile(path)
    discardFile(hiddenOf(target))
    this.#hidden = undefined
    return path
  }

  async #whole(target: string, maker: Maker<Since>): Promise<Made<Since>> {
    const path = this.#unfinished(target)
    const since = await maker.whole(path)
    this.#replaced = 0
    return { path, since }
  }

  /** The previous copy becomes the hidden one, if it is ours. */
  #show(path: string, target: string, since: Since): void {
    const [before, spare, hidden] = [this.#shown, `${target}.spare`, hiddenOf(target)]
    rmSync(spare, { force: true })
    const isKept = isStill(target, before) && statSync(target).size >= this.#limits.large && isLinked(target, spare)
    renameSync(path, target)
    discardFile(hidden)
    if (isKept) renameSync(spare, hidden)
    this.#hidden = isKept ? { ...before, fromMs: performance.now() } : undefined
    this.#shown = { identity: FileIdentity.of(target)!, since }
  }
}

const isStill = <C extends { readonly identity: string }>(path: string, copy: C | undefined): copy is C =>
  copy !== undefined && FileIdentity.of(path) === copy.identity

const withTime = <Since>({ fromMs, identity, since }: Hidden<Since>) => ({
  identity,
  since,
  at: Math.floor(performance.timeOrigin + fromMs)
})

/** If a clock was set back, this makes it no older than the present. */
const monotonicOf = (at: number): number => Math.min(performance.now(), at - performance.timeOrigin)

/** Not every file system has links. */
const isLinked = (path: string, other: string): boolean => {
  try {
    linkSync(path, other)
    return true
  } catch {
    return false
  }
}
