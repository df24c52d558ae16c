/**
 * A body as a person reads it: verbatim, or with line breaks and indentation. A long one is cut off until the reader
 * asks for all of it, so that a browser doesn't have to lay out megabytes unasked.
 */
import { useMemo, useState } from "preact/hooks"
import { indented } from "../Body.ts"
import { count } from "../Format.ts"
import { Copy } from "./Text.tsx"

/** Characters. */
const mostShown = 100_000

const Long = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || text.length <= mostShown) return <pre tabIndex={0}>{text}</pre>
  return (
    <>
      <pre tabIndex={0}>{text.slice(0, mostShown)}…</pre>
      <button type="button" onClick={() => setWhole(true)}>
        Show all {count(text.length)} characters
      </button>
    </>
  )
}

export const Json = ({ text }: { readonly text: string }) => {
  const pretty = useMemo(() => indented(text), [text])
  const [isVerbatim, setVerbatim] = useState(false)
  return (
    <div class="json">
      <div class="tools">
        {pretty === undefined ? (
          <span class="note">This isn't JSON.</span>
        ) : (
          <div class="choice" role="group" aria-label="How the body is shown">
            <button type="button" aria-pressed={!isVerbatim} onClick={() => setVerbatim(false)}>
              Formatted
            </button>
            <button type="button" aria-pressed={isVerbatim} onClick={() => setVerbatim(true)}>
              As received
            </button>
          </div>
        )}
        <Copy text={text} what="the body as it was received" />
      </div>
      <Long text={isVerbatim ? text : (pretty ?? text)} />
    </div>
  )
}
