/**
 * Small pieces of text that mean something: amounts, commands, outcomes, ids. All data arrives as text and stays text.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { digits } from "../Format.ts"

/** Aligned on the decimal point where amounts are below each other; the currency follows. */
export const Amount = ({ amount, currency }: { readonly amount: string | null; readonly currency: string | null }) => {
  if (amount === null) return <span class="soft">not known</span>
  const found = digits(amount, currency)
  return (
    <span class="money">
      {found === undefined ? (
        amount
      ) : (
        <span title={amount}>
          {found.sign}
          {found.whole}
          <span class={found.fraction.length > 3 ? "long fraction" : "fraction"}>{found.fraction}</span>
        </span>
      )}{" "}
      <span class="currency">{currency ?? ""}</span>
    </span>
  )
}

/** A sentence from the worker, with commands between backticks. */
export const Prose = ({ children }: { readonly children: string }) => (
  <>{children.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)

export type Tone = "good" | "wait" | "bad" | "idle"

export const Pill = ({ children, tone }: { readonly children: ComponentChildren; readonly tone: Tone }) => (
  <span class={`pill ${tone}`}>{children}</span>
)

/** What became of a delivery. */
export const Outcome = ({ outcome, reason }: { readonly outcome: string; readonly reason: string | null }) => {
  if (outcome === "quarantined") return <Pill tone="bad">in quarantine</Pill>
  return reason === null ? <Pill tone="good">applied</Pill> : <Pill tone="wait">applied, posted nothing</Pill>
}

/** The beginning of a long id, enough to tell it from others. */
export const shortId = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

/** How many milliseconds the button says that it has copied. */
const saidFor = 1500

export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), saidFor)
    return () => clearTimeout(timer)
  }, [isCopied])
  // Browsers have it only for pages of this machine and over HTTPS.
  if (!("clipboard" in navigator)) return null
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{isCopied ? "Copied" : "Copy"}</span>
    </button>
  )
}
