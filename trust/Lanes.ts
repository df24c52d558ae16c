/**
 * Processes many items, a few at a time.
 */

/** Results are in the order of the items. The first failure fails the whole; no further item is started after it. */
export const inLanes = async <A, B>(
  lanes: number,
  items: ReadonlyArray<A>,
  work: (item: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const left = items.entries()
  let hasFailed = false
  const lane = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (hasFailed) return
      results[index] = await work(item)
    }
  }
  const failing = (cause: unknown): never => {
    hasFailed = true
    throw cause
  }
  await Promise.all(Array.from({ length: lanes }, () => lane().catch(failing)))
  return results
}
