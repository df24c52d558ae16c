/**
 * The files of the copy for analysts, whatever they are made from. A copy is made whole, or, once it is large, from the
 * one before: two files take turns, and the one that is hidden is given what has changed since it was shown. Where there is
 * none yet, or a reader still has it open, a copy of the shown one's bytes is.
 *
 * Guarantees: a copy appears all at once; nobody sees a file that is being changed. A hidden file that a reader still has
 * open, that is damaged, or that nothing is known about is left alone or removed. What is known can be handed to another
 * process (`KnownCopies`).
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
  /** Deleted rows stay in the file, and slow down those who read it. */
  readonly replaced: number
  /** In milliseconds, from when the file is hidden: a program may be copying it byte by byte, which takes no lock. */
  readonly leftAlone: number
}

export const usual: Limits = { large: 32 * 1024 * 1024, replaced: 200_000, leftAlone: 50_000 }

/** `Since`: what tells which rows have changed since a copy was made. */
export interface Maker<Since> {
  /** Makes a file with everything at `path`, where there is none. */
  readonly whole: (path: string) => Promise<Since>
  /** Whether a file that is as of then can be given what has changed: too much may have. */
  readonly isUsable: (since: Since) => boolean
  /** Gives a file that is as of `since` what has changed; undefined if it can't be used. */
  readonly given: (path: string, since: Since) => Promise<Given<Since> | undefined>
}

export interface Given<Since> {
  /** Of the file from now on. */
  readonly since: Since
  /** Rows that were deleted or written. */
  readonly replaced: number
}

interface Copy<Since> {
  /** Of its file. */
  readonly identity: string
  readonly since: Since
}

export interface Known<Since> {
  readonly shown: Copy<Since>
  /** `at`: when it was hidden, in milliseconds since 1970. */
  readonly hidden: (Copy<Since> & { readonly at: number }) | null
  /** Rows, since the last whole copy. */
  readonly replaced: number
}

interface Hidden<Since> extends Copy<Since> {
  /** Since when, by the monotonic clock. */
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
  /** Rows, since the last whole copy. */
  #replaced = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Of both files. */
  get since(): ReadonlyArray<Since> {
    return [this.#shown, this.#hidden].flatMap((copy) => (copy === undefined ? [] : [copy.since]))
  }

  /** Undefined if the next copy can only be whole. */
  get known(): Known<Since> | undefined {
    if (this.#shown === undefined) return undefined
    return { shown: this.#shown, hidden: this.#hidden ? withTime(this.#hidden) : null, replaced: this.#replaced }
  }

  /** What another process knew. Not while a copy is made. */
  recall({ hidden, replaced, shown }: Known<Since>): void {
    this.#shown = shown
    this.#hidden = hidden === null ? undefined : { ...hidden, fromMs: monotonicOf(hidden.at) }
    this.#replaced = replaced
  }

  /** Whether the file that is shown was made here. */
  isOurs(target: string): boolean {
    return isStill(target, this.#shown)
  }

  /** The next copy is made whole. Not while one is made. */
  forget(): void {
    this.#shown = undefined
    this.#hidden = undefined
  }

  /** `isWhole`: without the file before it, which may be damaged. */
  async publish(target: string, isWhole: boolean, maker: Maker<Since>): Promise<Published> {
    const updated = isWhole ? undefined : await this.#updated(target, maker)
    const { path, since } = updated ?? (await this.#whole(target, maker))
    inherit(path, target)
    this.#show(path, target, since)
    return { isWhole: updated === undefined }
  }

  /** A file of ours with what has changed since; undefined if there is none. */
  async #updated(target: string, maker: Maker<Since>): Promise<Made<Since> | undefined> {
    if (!isStill(target, this.#shown) || this.#replaced > this.#limits.replaced) return undefined
    const [path, hidden] = [hiddenOf(target), this.#hidden]
    const isFree = isStill(path, hidden) && performance.now() - hidden.fromMs >= this.#limits.leftAlone
    const turned = isFree ? await this.#given(path, hidden.since, maker) : undefined
    return turned ?? this.#twin(target, this.#shown, maker)
  }

  /** A copy of the shown file's bytes takes a tenth of the processor time of a whole one. */
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

  /** Where a copy is made that isn't made from the hidden one, which is of no use then: there may be little room. */
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

  /** The copy before it is hidden, if it is ours. */
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

/** A clock that was set back makes it no older than this moment. */
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
