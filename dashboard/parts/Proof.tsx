/**
 * How sure the copy of a list is, or was, in words; hovering explains them.
 */
import type { StatusReport } from "../Api.ts"
import { count, counted } from "../Format.ts"
import { Pill, type Tone } from "./Text.tsx"

type Walk = StatusReport["backfill"][string]

interface Words {
  readonly words: string
  readonly tone: Tone
  readonly means: string
}

/** The least sure first. */
export const proofs: Readonly<Record<Walk["proof"], Words>> = {
  running: { words: "first pass", tone: "wait", means: "The first pass over the list hasn't ended." },
  unproven: { words: "unproven", tone: "wait", means: "The pass was disturbed; another one follows." },
  "counts-agree": {
    words: "counts agree",
    tone: "idle",
    means: "An undisturbed pass saw as many rows as the service's total."
  },
  "passes-agree": {
    words: "passes agree",
    tone: "good",
    means: "Two passes in a row saw the same rows; the service tells no total."
  },
  proven: {
    words: "proven",
    tone: "good",
    means: "Two passes in a row saw the same rows, as many as the service's total."
  }
}

export const isSure = (proof: Walk["proof"]): boolean => proof === "proven" || proof === "passes-agree"

export const Proof = ({ parents, proof }: Pick<Walk, "parents" | "proof">) => (
  <>
    <span title={proofs[proof].means}>
      <Pill tone={proofs[proof].tone}>{proofs[proof].words}</Pill>
    </span>
    {parents === null || parents.found === parents.proven ? null : (
      <span class="soft">
        {" "}
        for {count(parents.proven)} of {counted(parents.found, "parent")}
      </span>
    )}
  </>
)
