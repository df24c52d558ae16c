/**
 * What a sweep has to know about the manifests on a Lake. Each is read once in the life of a process: they never
 * change, and hundreds may be kept. A path that many manifests name is held in memory once.
 */
import { Effect, Option } from "effect"
import type { Lake, LakeError } from "./Lake.ts"
import * as LakePointer from "./LakePointer.ts"
import * as Manifest from "./Manifest.ts"
import type { Kept } from "./Retention.ts"

const atOnce = 8

/** The part of a manifest that matters here; a manifest may be large. */
export interface Named extends Kept {
  readonly tables: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

export interface Found {
  readonly manifests: ReadonlyArray<Named>
  /** Runs whose manifests can't be read. */
  readonly unreadable: ReadonlyArray<string>
}

export class KnownManifests {
  readonly #byRun = new Map<string, Named>()
  #paths = new Map<string, string>()

  /** Reads the manifests of all these runs, and forgets others. */
  read(lake: Lake["Service"], runs: ReadonlyArray<string>): Effect.Effect<Found, LakeError> {
    return Effect.suspend(() => {
      this.#forgetAllBut(new Set(runs))
      const unknown = runs.filter((run) => !this.#byRun.has(run))
      return Effect.forEach(
        unknown,
        (run) =>
          Effect.map(LakePointer.manifestOf(lake, run), (found) => {
            if (Option.isSome(found)) this.#byRun.set(run, this.#named(run, found.value))
          }),
        { concurrency: atOnce, discard: true }
      ).pipe(
        Effect.map(() => ({
          manifests: runs.flatMap((run) => this.#byRun.get(run) ?? []),
          unreadable: runs.filter((run) => !this.#byRun.has(run))
        }))
      )
    })
  }

  #forgetAllBut(runs: ReadonlySet<string>): void {
    const gone = [...this.#byRun.keys()].filter((run) => !runs.has(run))
    if (gone.length === 0) return
    for (const run of gone) this.#byRun.delete(run)
    this.#paths = new Map([...this.#byRun.values()].flatMap(({ files }) => files.map((path) => [path, path] as const)))
  }

  #named(run: string, manifest: Manifest.Manifest): Named {
    const { before, keptSeconds, shownAt, tables } = manifest
    const files = Manifest.files(manifest).map((path) => {
      const known = this.#paths.get(path) ?? path
      this.#paths.set(path, known)
      return known
    })
    return { run, before, shownAt, keptSeconds, tables: Object.keys(tables), files }
  }
}
