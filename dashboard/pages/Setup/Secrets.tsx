/**
 * The webhook secrets by their fingerprints, and their rotation: one is added, and the one before it is retired, at
 * once or after a time in which both are valid. A typed secret is sent once and forgotten; no answer contains it.
 */
import { useState } from "preact/hooks"
import { type Answer, ask } from "../../Api.ts"
import { useCell } from "../../Cell.ts"
import { Empty, Loaded, useAsked } from "../../parts/Asked.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Pill, type Tone } from "../../parts/Text.tsx"
import { Age } from "../../parts/Time.tsx"
import { useMay } from "../../Session.ts"
import { live } from "../../Stream.ts"
import { Add, type How, Retire } from "./Rotation.tsx"

type Secret = Answer<"secret-list">["secrets"][number]

const tones: Readonly<Record<Secret["state"], Tone>> = {
  valid: "good",
  ending: "wait",
  retired: "idle",
  lost: "bad",
  unreadable: "bad"
}

const columns: ReadonlyArray<Column<Secret>> = [
  { title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { title: "State", cell: ({ state }) => <Pill tone={tones[state]}>{state}</Pill> },
  { title: "From", cell: ({ source }) => source },
  { title: "Added", cell: ({ addedAt }) => <Age at={addedAt} /> },
  { title: "Last used", cell: ({ lastUsedAt }) => <Age at={lastUsedAt} /> },
  { title: "Ends", cell: ({ expiresAt, retiredAt }) => <Age at={expiresAt ?? retiredAt} /> }
]

/** A secret from the environment has no row; it is removed there. */
const canEnd = ({ addedAt, state }: Secret): boolean => addedAt !== null && state !== "retired"

const actionOf = (onRetire: (secret: Secret) => void): Column<Secret> => ({
  title: "Retire",
  kind: "action",
  cell: (secret) =>
    canEnd(secret) ? (
      <button type="button" class="small" onClick={() => onRetire(secret)}>
        Retire …<span class="hidden"> {secret.fingerprint}</span>
      </button>
    ) : null
})

/** Without it, every delivery is refused. */
const isLast = (secret: Secret, all: ReadonlyArray<Secret>): boolean =>
  (secret.state === "valid" || secret.state === "ending") &&
  !all.some(({ fingerprint, state }) => state === "valid" && fingerprint !== secret.fingerprint)

type Asking = { readonly retiring: Secret } | "adding"

interface Asks {
  readonly asking: Asking
  readonly secrets: ReadonlyArray<Secret>
  /** Called with the outcome, in a sentence. */
  readonly onDone: (sentence: string) => void
  readonly onClose: () => void
}

const Asks = ({ asking, onClose, onDone, secrets }: Asks) => {
  if (asking === "adding") {
    const add = async (secret: string): Promise<void> => {
      const { added } = await ask("secret-add", { secret })
      onDone(`Deliveries signed with ${added.fingerprint} are accepted from now on.`)
    }
    return <Add add={add} onClose={onClose} />
  }
  const { fingerprint } = asking.retiring
  const retire = async (how: How): Promise<void> => {
    await ask("secret-retire", { fingerprint, ...how })
    onDone(how.in === undefined ? `${fingerprint} has ended.` : `${fingerprint} ends in ${how.in}.`)
  }
  return (
    <Retire fingerprint={fingerprint} isLast={isLast(asking.retiring, secrets)} retire={retire} onClose={onClose} />
  )
}

export const Secrets = () => {
  const changed = useCell(live, ({ status }) => JSON.stringify(status?.secrets ?? null))
  const asked = useAsked("secret-list", {}, changed)
  const mayOperate = useMay("operate")
  const [asking, setAsking] = useState<Asking>()
  const [done, setDone] = useState<string>()
  const tell = (sentence: string): void => {
    setDone(sentence)
    asked.again()
  }
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Webhook secrets</h2>
      <p class="note">Several are valid at once, so that a new one can take over before the old one ends.</p>
      {done === undefined ? null : (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      <Loaded asked={asked}>
        {({ secrets }) =>
          secrets.length === 0 ? (
            <Empty>There is no secret yet: the worker gets one when it subscribes.</Empty>
          ) : (
            <Table
              caption="Secrets that sign deliveries"
              columns={mayOperate ? [...columns, actionOf((retiring) => setAsking({ retiring }))] : columns}
              rows={secrets}
              keyOf={({ addedAt, fingerprint, source }) => `${fingerprint} ${source} ${addedAt}`}
            />
          )
        }
      </Loaded>
      {mayOperate ? (
        <p>
          <button type="button" onClick={() => setAsking("adding")}>
            Add a secret …
          </button>
        </p>
      ) : null}
      {asking === undefined ? null : (
        <Asks
          asking={asking}
          secrets={asked.answer?.secrets ?? []}
          onDone={tell}
          onClose={() => setAsking(undefined)}
        />
      )}
    </section>
  )
}
