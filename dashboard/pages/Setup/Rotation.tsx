/**
 * The questions before a secret is added or retired: the secret itself, how long the old one stays valid, and, for the
 * last one, whether every delivery may be refused.
 */
import { useState } from "preact/hooks"
import { type Payload, Refused } from "../../Api.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Field } from "../../parts/Field.tsx"

interface Add {
  readonly add: (secret: string) => Promise<void>
  readonly onClose: () => void
}

export const Add = ({ add, onClose }: Add) => {
  const [secret, setSecret] = useState("")
  const act = async (): Promise<void> => {
    // The worker would say the same, but only after the secret has been sent.
    if (/^\S{8,}$/.test(secret.trim())) return add(secret.trim())
    throw new Refused(0, "Paste exactly one secret, of at least 8 characters and without spaces.")
  }
  return (
    <Confirm title="Accept one more secret?" does="Add it" act={act} onClose={onClose}>
      <p class="effect">
        Deliveries that are signed with it are accepted at once, along with those of the existing secrets.
      </p>
      <p>It is stored encrypted, and never shown again: afterwards you recognise it by its fingerprint.</p>
      <Field
        id="new-secret"
        label="The secret"
        hint="As the service showed it when the webhook was created."
        kind="new-secret"
        value={secret}
        problem={undefined}
        onChange={setSecret}
      />
    </Confirm>
  )
}

export type How = Omit<Payload<"secret-retire">, "fingerprint">

interface Retire {
  readonly fingerprint: string
  /** No other secret stays valid. */
  readonly isLast: boolean
  readonly retire: (how: How) => Promise<void>
  readonly onClose: () => void
}

const whens = { later: "After a time", now: "At once" } as const
type When = keyof typeof whens

const When = ({ onChoose, when }: { readonly when: When; readonly onChoose: (when: When) => void }) => (
  <div class="verdicts" role="radiogroup" aria-label="When it ends">
    {(Object.keys(whens) as ReadonlyArray<When>).map((each) => (
      <label key={each}>
        <input type="radio" name="when" checked={when === each} onChange={() => onChoose(each)} />
        {whens[each]}
      </label>
    ))}
  </div>
)

export const Retire = ({ fingerprint, isLast, onClose, retire }: Retire) => {
  const [when, setWhen] = useState<When>("later")
  const [after, setAfter] = useState("24 hours")
  const [mayRefuse, setMayRefuse] = useState(false)
  const act = async (): Promise<void> => {
    if (isLast && !mayRefuse)
      throw new Refused(0, "Add its successor first, or confirm that every delivery may be refused.")
    if (when === "later" && after.trim() === "") throw new Refused(0, "Say how long it stays valid, like 24 hours.")
    await retire({ ...(when === "later" ? { in: after.trim() } : {}), ...(isLast ? { force: true } : {}) })
  }
  return (
    <Confirm title={`Retire ${fingerprint}?`} does="Retire it" isDanger act={act} onClose={onClose}>
      <When when={when} onChoose={setWhen} />
      {when === "now" ? null : (
        <Field
          id="retire-after"
          label="It stays valid for"
          hint="Like 24 hours, the time in which the service retries."
          value={after}
          problem={undefined}
          onChange={setAfter}
        />
      )}
      <p class="effect">
        {when === "now"
          ? `A delivery that is signed with ${fingerprint} is refused from now on, even one that the service sends again.`
          : `Until then deliveries may be signed with ${fingerprint}; afterwards they are refused.`}
      </p>
      {isLast ? (
        <p>
          <label>
            <input
              type="checkbox"
              checked={mayRefuse}
              onChange={(event) => setMayRefuse(event.currentTarget.checked)}
            />{" "}
            No other secret stays valid. Every delivery may be refused without it.
          </label>
        </p>
      ) : null}
    </Confirm>
  )
}
