/**
 * A value outside the page's tree that components watch: the address, the stream, the present time. A component is
 * drawn again only when the part that it selected has changed.
 */
import { useEffect, useRef, useState } from "preact/hooks"

export class Cell<A> {
  #value: A
  readonly #watchers = new Set<(value: A) => void>()

  constructor(value: A) {
    this.#value = value
  }

  get value(): A {
    return this.#value
  }

  set(value: A): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const watcher of this.#watchers) watcher(value)
  }

  /** Returns a function that ends the watching. */
  watch(watcher: (value: A) => void): () => void {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }
}

/** `select` should return an identical value for an unchanged one: a text, a number, or a part of the value. */
export const useCell = <A, B>(cell: Cell<A>, select: (value: A) => B): B => {
  const [, redraw] = useState(0)
  const selected = select(cell.value)
  const last = useRef({ select, selected })
  last.current = { select, selected }
  useEffect(() => {
    const check = (): void => {
      if (!Object.is(last.current.select(cell.value), last.current.selected)) redraw((count) => count + 1)
    }
    check()
    return cell.watch(check)
  }, [cell])
  return selected
}
