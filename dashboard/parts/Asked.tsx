/**
 * What a view asks the worker for, and how the view looks until the answer is there, or when there is none.
 *
 * The last answer stays visible during the next request, even if that fails. The request is repeated when `version`
 * changes, and when the stream was lost meanwhile.
 */
import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useState } from "preact/hooks"
import { type Answer, ask, type Name, type Payload, sentenceOf } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { reader } from "../Session.ts"
import { live } from "../Stream.ts"

/** The last answers, by verb and question, so that going back shows them at once. */
const remembered = new Map<string, unknown>()
const mostRemembered = 30

const remember = (question: string, answer: unknown): void => {
  remembered.delete(question)
  remembered.set(question, answer)
  const [oldest] = remembered.keys()
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest)
}

// The next reader may be someone else.
reader.watch(({ state }) => {
  if (state === "out") remembered.clear()
})

export interface Asked<A> {
  readonly answer: A | undefined
  /** Why there is no newer answer. */
  readonly sentence: string | undefined
  readonly isAsking: boolean
  readonly again: () => void
}

export const useAsked = <Verb extends Name>(
  name: Verb,
  payload: Payload<Verb>,
  version: string | number = 0
): Asked<Answer<Verb>> => {
  const question = JSON.stringify(payload)
  const [{ askedLast, ...state }, setState] = useState<Omit<Asked<Answer<Verb>>, "again"> & { askedLast: string }>(
    () => ({
      answer: remembered.get(`${name} ${question}`) as Answer<Verb> | undefined,
      sentence: undefined,
      isAsking: true,
      askedLast: question
    })
  )
  const [times, setTimes] = useState(0)
  // The first opening is the page's own.
  const opened = useCell(live, (now) => Math.max(1, now.opened))
  useEffect(() => {
    const aborting = new AbortController()
    setState((before) => ({ ...before, isAsking: true, askedLast: question }))
    const settle = async (): Promise<void> => {
      try {
        const answer = await ask(name, JSON.parse(question) as Payload<Verb>, aborting.signal)
        if (aborting.signal.aborted) return
        remember(`${name} ${question}`, answer)
        setState({ answer, sentence: undefined, isAsking: false, askedLast: question })
      } catch (cause) {
        if (aborting.signal.aborted) return
        setState((before) => ({ ...before, sentence: sentenceOf(cause), isAsking: false }))
      }
    }
    void settle()
    return () => aborting.abort()
  }, [name, question, version, times, opened])
  const again = useCallback(() => setTimes((count) => count + 1), [])
  // A question that has just changed is asked after this is drawn; until then the previous question's answer is shown.
  return { ...state, isAsking: state.isAsking || askedLast !== question, again }
}

/** Changes at most once in this many milliseconds, so that a busy worker isn't asked all the time. */
export const useCalm = <A,>(value: A, everyMs: number): A => {
  const [calm, setCalm] = useState(value)
  const isBehind = !Object.is(value, calm)
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(() => setCalm(() => value), everyMs)
    return () => clearTimeout(timer)
    // The next value doesn't restart a running timer; it gets its own turn.
  }, [isBehind, calm])
  return calm
}

export const Problem = ({ again, sentence }: { readonly sentence: string; readonly again: () => void }) => (
  <div class="notice bad" role="alert">
    <p>{sentence}</p>
    <p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </p>
  </div>
)

export const Waiting = ({ lines = 4 }: { readonly lines?: number }) => (
  <div class="waiting" role="status">
    <span class="hidden">Loading…</span>
    {Array.from({ length: lines }, (_, line) => (
      <i key={line} />
    ))}
  </div>
)

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <div class="empty">{children}</div>

/** The view of the answer, once it is there. */
export const Loaded = <A,>({
  asked,
  children
}: {
  readonly asked: Asked<A>
  readonly children: (answer: A) => ComponentChildren
}) => {
  const { again, answer, sentence } = asked
  if (answer === undefined) return sentence === undefined ? <Waiting /> : <Problem sentence={sentence} again={again} />
  return (
    <>
      {sentence === undefined ? null : <Problem sentence={`${sentence} What you see is older.`} again={again} />}
      {children(answer)}
    </>
  )
}
