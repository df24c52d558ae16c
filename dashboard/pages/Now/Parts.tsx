/**
 * The rest of Status: tasks under way, the workers and who leads, and the worker's surroundings.
 */
import type { StatusReport } from "../../Api.ts"
import { count, counted, took } from "../../Format.ts"
import { Pill, Prose } from "../../parts/Text.tsx"
import { type Column, Facts, Table } from "../../parts/Table.tsx"
import { Age, At } from "../../parts/Time.tsx"

interface Part {
  readonly status: StatusReport
}

type Task = StatusReport["tasks"][number]

export const Tasks = ({ status: { tasks } }: Part) =>
  tasks.length === 0 ? null : (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Under way</h2>
      <ul class="tasks">
        {tasks.map((task: Task) => (
          <li key={`${task.name} ${task.startedAt}`}>
            <b>{task.name}</b>
            <span class="walked">
              <progress max={Math.max(1, task.total)} value={task.done} aria-label={`${task.unit} of ${task.name}`} />
              <span>
                {count(task.done)} of {count(task.total)} {task.unit}
              </span>
            </span>
            <span class="soft">
              begun <Age at={task.startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )

type Worker = StatusReport["workers"][number]

const workerColumns: ReadonlyArray<Column<Worker>> = [
  {
    title: "Worker",
    cell: ({ host, isThis, pid }) => (
      <>
        <b>{host}</b> <span class="soft">process {pid}</span> {isThis ? <span class="soft">(this one)</span> : null}
      </>
    )
  },
  {
    title: "State",
    cell: ({ isLeader, isUp, seenAt }) =>
      isUp ? (
        <>
          <Pill tone="good">up</Pill> {isLeader ? <Pill tone="idle">leads</Pill> : null}
        </>
      ) : (
        <>
          <Pill tone="bad">gone</Pill> since <At at={seenAt} />
        </>
      )
  },
  { title: "Started", cell: ({ startedAt }) => <Age at={startedAt} /> },
  {
    title: "What is wrong",
    cell: ({ reasons }) =>
      reasons.length === 0 ? <span class="soft">nothing</span> : <Prose>{reasons.join(" ")}</Prose>
  }
]

export const Workers = ({ status: { host, startedAt, workers } }: Part) => (
  <section aria-labelledby="workers">
    <h2 id="workers">Workers</h2>
    {workers.length === 0 ? (
      <p class="note">
        One on <b>{host}</b>, started <Age at={startedAt} />: it does everything.
      </p>
    ) : (
      <Table
        caption="The workers that share the database"
        columns={workerColumns}
        rows={workers}
        keyOf={(worker) => `${worker.host} ${worker.pid}`}
      />
    )}
  </section>
)

/** The service says its time in whole seconds. */
const skewOf = ({ clockSkewMs: { answers } }: StatusReport): string => {
  if (answers === null) return "not compared with the service's yet"
  if (Math.abs(answers) < 1000) return "within a second of the service's"
  return `${took(Math.abs(answers))} ${answers < 0 ? "behind" : "ahead of"} the service's`
}

const secretsOf = ({ secrets }: StatusReport): string =>
  [
    `${secrets.valid} valid`,
    ...(secrets.ending > 0 ? [`${secrets.ending} ending`] : []),
    ...(secrets.unreadable > 0 ? [`${secrets.unreadable} can't be opened`] : [])
  ].join(", ")

const refusedOf = ({ receiver: { encoded, notStored, rejected, tooLarge } }: StatusReport): string =>
  [
    [rejected, "with a wrong signature"],
    [tooLarge, "too large"],
    [encoded, "compressed in an unknown way"],
    [notStored, "not stored"]
  ]
    .filter(([number]) => number !== 0)
    .map(([number, why]) => `${count(Number(number))} ${why}`)
    .join(", ") || "none"

export const Surroundings = ({ status }: Part) => (
  <section aria-labelledby="surroundings">
    <h2 id="surroundings">Surroundings</h2>
    <Facts
      of={[
        ["Deliveries go to", <code key="url">{status.subscription.url}</code>],
        ["Subscription verified", <At key="verified" at={status.subscription.verifiedAt} never="not yet" />],
        ["Webhook secrets", secretsOf(status)],
        ["Deliveries accepted", `${count(status.receiver.accepted)} since the start`],
        ["Deliveries refused", refusedOf(status)],
        ["Clock", skewOf(status)],
        ["Files checked", `${count(status.check.done)} of ${counted(status.check.of, "part")} this week`],
        ["Books open from", status.ledger.openFrom],
        ["Backup read back", status.backup === null ? null : <Age key="read" at={status.backup.verifiedAt} />],
        ["Worker started", <Age key="started" at={status.startedAt} />]
      ]}
    />
  </section>
)
