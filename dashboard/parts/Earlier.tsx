/**
 * Earlier rows of a list whose newest rows come by themselves: page after page, each from the end of the one before.
 * The rows stay visible while more are requested, and also when the first page is requested again, as long as it
 * reaches down to them.
 */
import { useEffect, useState } from "preact/hooks"
import { type Answer, ask, type Payload, sentenceOf } from "../Api.ts"
import { At } from "./Time.tsx"

type Page = Answer<"events">

interface Known {
  /** The newest number of the first page at the time when the second was requested. */
  readonly below: number
  readonly pages: ReadonlyArray<Page>
}

interface Further {
  readonly pages: ReadonlyArray<Page>
  /** The end of the last page. */
  readonly next: string | null
  readonly isAsking: boolean
  readonly sentence: string | undefined
  readonly more: () => void
}

const none: Known = { below: 0, pages: [] }

export const useEarlier = (first: Page, payloadOf: (before: string) => Payload<"events">): Further => {
  const [known, setKnown] = useState(none)
  const [asking, setAsking] = useState<string>()
  const [sentence, setSentence] = useState<string>()
  const reaches = (first.events[0]?.sequence ?? 0) <= known.below
  const { pages } = reaches ? known : none
  const { next } = pages.at(-1) ?? first
  useEffect(() => {
    if (asking === undefined) return
    const aborting = new AbortController()
    const settle = async (): Promise<void> => {
      try {
        const page = await ask("events", payloadOf(asking), aborting.signal)
        if (aborting.signal.aborted) return
        const below = pages.length === 0 ? (first.events.at(-1)?.sequence ?? Infinity) : known.below
        setKnown({ below, pages: [...pages, page] })
        setSentence(undefined)
      } catch (cause) {
        if (aborting.signal.aborted) return
        setSentence(sentenceOf(cause))
      }
      setAsking(undefined)
    }
    void settle()
    return () => aborting.abort()
  }, [asking])
  return { pages, next, sentence, isAsking: asking !== undefined, more: () => next !== null && setAsking(next) }
}

/** The end of a page begins with the time down to which the list was searched. */
export const Earlier = ({ further: { isAsking, more, next, sentence } }: { readonly further: Further }) => {
  if (next === null) return null
  const [at = ""] = next.split(" ")
  return (
    <p>
      <button type="button" disabled={isAsking} onClick={more}>
        {isAsking ? "Looking…" : "Show earlier ones"}
      </button>{" "}
      <span class="note">
        before <At at={at} isFull />
      </span>
      {sentence === undefined ? null : <span class="complaint">{sentence}</span>}
    </p>
  )
}
