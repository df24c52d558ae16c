/**
 * The JSON text of an object with very many fields, a few thousand at a time. Sorting 300,000 at once takes 0.3 s,
 * during which the event loop is blocked. Pure.
 */
/** More fields than this are too many for one turn of the event loop. */
export const many = 5_000

const isIndex = (key: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1

type IsBefore = (a: string, b: string) => boolean

function* sortedInParts(keys: ReadonlyArray<string>, isBefore: IsBefore): Generator<undefined, ReadonlyArray<string>> {
  let runs: Array<ReadonlyArray<string>> = []
  for (let at = 0; at < keys.length; at += many) {
    runs.push(keys.slice(at, at + many).toSorted((a, b) => (isBefore(a, b) ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const merged: Array<ReadonlyArray<string>> = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedRuns(runs[at] ?? [], runs[at + 1] ?? [], isBefore))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedRuns(
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
  isBefore: IsBefore
): Generator<undefined, ReadonlyArray<string>> {
  const merged: Array<string> = []
  let [inA, inB] = [0, 0]
  while (inA < a.length || inB < b.length) {
    const [left, right] = [a[inA], b[inB]]
    const isLeft = right === undefined || (left !== undefined && isBefore(left, right))
    merged.push((isLeft ? left : right) ?? "")
    if (isLeft) inA++
    else inB++
    if (merged.length % many === 0) yield
  }
  return merged
}

/** The order in which JSON.stringify writes sorted keys: those that could be an index come first, in numeric order. */
export function* objectText<A>(
  record: Readonly<Record<string, A>>,
  textOf: (value: A) => string
): Generator<undefined, string> {
  const keys = Object.keys(record)
  yield
  const [indices, names]: [Array<string>, Array<string>] = [[], []]
  for (const key of keys) (isIndex(key) ? indices : names).push(key)
  yield
  const byNumber = yield* sortedInParts(indices, (a, b) => Number(a) < Number(b))
  const ordered = byNumber.concat(yield* sortedInParts(names, (a, b) => a < b))
  const parts: Array<string> = []
  for (const [number, key] of ordered.entries()) {
    parts.push(`${JSON.stringify(key)}:${textOf(record[key] as A)}`)
    if (number % many === many - 1) yield
  }
  return `{${parts.join(",")}}`
}

/** Keys in a fixed order, so that equal objects have equal text. For objects with few fields. */
export const sorted = <A>(record: Readonly<Record<string, A>>): Readonly<Record<string, A>> => {
  const keys = Object.keys(record)
  if (keys.length < 2) return record
  return Object.fromEntries(keys.toSorted().map((key) => [key, record[key] as A]))
}
