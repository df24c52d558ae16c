/**
 * How the worker is set up: its settings without any secret, the secrets by their fingerprints, and a check of everything on demand.
 */
import { useState } from "preact/hooks"
import { type Answer, ask, sentenceOf } from "../Api.ts"
import { Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Pill, Prose, type Tone } from "../parts/Text.tsx"
import { Age } from "../parts/Time.tsx"
import { useMay } from "../Session.ts"

type Setting = Answer<"settings">["settings"][number]
type Secret = Answer<"secret-list">["secrets"][number]
type Finding = Answer<"doctor">["findings"][number]

const Value = ({ isSecret, problem, state, value }: Setting) => {
  if (state === "bad") return <span class="wait-text">{problem}</span>
  if (isSecret) return <span class="soft">{state === "set" ? "set, and secret" : "not set"}</span>
  if (value === null) return <span class="soft">not set</span>
  return (
    <>
      <code>{value}</code> {state === "default" ? <span class="soft">by default</span> : null}
    </>
  )
}

const settingColumns: ReadonlyArray<Column<Setting>> = [
  { title: "Variable", cell: ({ name }) => <code class="whole">{name}</code> },
  { title: "Value", kind: "wide", cell: (setting) => <Value {...setting} /> },
  { title: "What it is", kind: "wide", cell: ({ meaning }) => <Prose>{meaning}</Prose> }
]

const tones: Readonly<Record<Secret["state"], Tone>> = {
  valid: "good",
  ending: "wait",
  retired: "idle",
  lost: "bad",
  unreadable: "bad"
}

const secretColumns: ReadonlyArray<Column<Secret>> = [
  { title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { title: "State", cell: ({ state }) => <Pill tone={tones[state]}>{state}</Pill> },
  { title: "From", cell: ({ source }) => source },
  { title: "Added", cell: ({ addedAt }) => <Age at={addedAt} /> },
  { title: "Last used", cell: ({ lastUsedAt }) => <Age at={lastUsedAt} /> },
  { title: "Ends", cell: ({ expiresAt, retiredAt }) => <Age at={expiresAt ?? retiredAt} /> }
]

const verdicts: Readonly<Record<Finding["verdict"], Tone>> = { ok: "good", warn: "wait", fail: "bad" }

const findingColumns: ReadonlyArray<Column<Finding>> = [
  { title: "Check", cell: ({ check }) => <b>{check}</b> },
  { title: "Verdict", cell: ({ verdict }) => <Pill tone={verdicts[verdict]}>{verdict}</Pill> },
  { title: "Found", kind: "wide", cell: ({ sentence }) => <Prose>{sentence}</Prose> },
  { title: "What to do", kind: "wide", cell: ({ advice }) => <Prose>{advice ?? ""}</Prose> }
]

interface Checked {
  readonly answer?: Answer<"doctor">
  readonly sentence?: string
  readonly isBusy: boolean
}

const Doctor = () => {
  const [{ answer, isBusy, sentence }, setChecked] = useState<Checked>({ isBusy: false })
  const check = (): void => {
    setChecked({ isBusy: true })
    ask("doctor", {}).then(
      (found) => setChecked({ answer: found, isBusy: false }),
      (cause: unknown) => setChecked({ sentence: sentenceOf(cause), isBusy: false })
    )
  }
  return (
    <section aria-labelledby="doctor">
      <h2 id="doctor">Check everything</h2>
      <p class="note">As `siteledger doctor` does it on the worker's machine: nothing is changed.</p>
      <p>
        <button type="button" disabled={isBusy} onClick={check}>
          {isBusy ? "Checking…" : "Check now"}
        </button>
      </p>
      {sentence === undefined ? null : <p class="notice bad">{sentence}</p>}
      <div aria-live="polite">
        {answer === undefined ? null : (
          <>
            <p class={`notice ${answer.ok ? "good" : "bad"}`}>{answer.ok ? "Nothing failed." : "Something failed."}</p>
            <Table
              caption="What was found"
              columns={findingColumns}
              rows={answer.findings}
              keyOf={({ check: name, sentence: found }) => `${name} ${found}`}
            />
          </>
        )}
      </div>
    </section>
  )
}

const Secrets = () => {
  const asked = useAsked("secret-list", {})
  return (
    <section aria-labelledby="secrets">
      <h2 id="secrets">Webhook secrets</h2>
      <p class="note">
        <Prose>Several are valid at once. `siteledger secret add` and `siteledger secret retire` change them.</Prose>
      </p>
      <Loaded asked={asked}>
        {({ secrets }) => (
          <Table
            caption="Secrets that sign deliveries"
            columns={secretColumns}
            rows={secrets}
            keyOf={({ fingerprint }) => fingerprint}
          />
        )}
      </Loaded>
    </section>
  )
}

const Settings = () => {
  const asked = useAsked("settings", {})
  return (
    <Loaded asked={asked}>
      {({ settings }) => (
        <>
          {[...Map.groupBy(settings, ({ section }) => section)].map(([section, those], at) => (
            <section key={section} aria-labelledby={`section-${at}`}>
              <h2 id={`section-${at}`}>{section}</h2>
              <Table caption={section} columns={settingColumns} rows={those} keyOf={({ name }) => name} />
            </section>
          ))}
        </>
      )}
    </Loaded>
  )
}

export const Setup = () => (
  <>
    <h1>Set-up</h1>
    {useMay("operate") ? <Doctor /> : null}
    <Secrets />
    <Settings />
  </>
)
