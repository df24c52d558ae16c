/**
 * Values that all have the same lifetime. Expired ones are dropped when a value is added, so memory is bounded by what
 * is added within one lifetime. In memory only: nothing outlives the process.
 */
export interface Expiring<A> {
  readonly add: (key: string, value: A, nowMillis: number) => void
  /** Undefined: never added, removed or expired. */
  readonly get: (key: string, nowMillis: number) => A | undefined
  readonly remove: (key: string) => void
  readonly clear: () => void
}

export const make = <A>(lifeSeconds: number): Expiring<A> => {
  const kept = new Map<string, { readonly value: A; readonly endsAtMillis: number }>()
  return {
    add: (key, value, nowMillis) => {
      for (const [oldest, { endsAtMillis }] of kept) {
        if (endsAtMillis > nowMillis) break
        kept.delete(oldest)
      }
      kept.set(key, { value, endsAtMillis: nowMillis + lifeSeconds * 1000 })
    },
    get: (key, nowMillis) => {
      const found = kept.get(key)
      return found !== undefined && found.endsAtMillis > nowMillis ? found.value : undefined
    },
    remove: (key) => void kept.delete(key),
    clear: () => kept.clear()
  }
}
