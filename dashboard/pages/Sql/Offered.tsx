/**
 * The tables that a statement can read, each with its columns and what they mean. They are requested when a person
 * opens the list.
 */
import { useState } from "preact/hooks"
import type { Answer } from "../../Api.ts"
import { counted } from "../../Format.ts"
import { Loaded, useAsked } from "../../parts/Asked.tsx"
import { Prose } from "../../parts/Text.tsx"

type Described = Answer<"tables">["tables"][number]

interface Offered {
  /** Called with a statement that reads the table. */
  readonly onChoose: (sql: string) => void
}

const Columns = ({ of: { columns, name } }: { readonly of: Described }) => (
  <details>
    <summary>
      {counted(columns.length, "column")}
      <span class="hidden"> of {name}</span>
    </summary>
    <dl class="columns">
      {columns.map(({ name: column, says, type }) => (
        <div key={column}>
          <dt>
            <code>{column}</code> <span class="soft">{type}</span>
          </dt>
          <dd>
            <Prose>{says}</Prose>
          </dd>
        </div>
      ))}
    </dl>
  </details>
)

const Tables = ({ onChoose }: Offered) => {
  const asked = useAsked("tables", {})
  return (
    <Loaded asked={asked}>
      {({ tables }) => (
        <ul>
          {tables.map((table) => (
            <li key={table.name}>
              <button
                type="button"
                class="small"
                title={`Put it into the statement: ${table.name}`}
                onClick={() => onChoose(`from construction.${table.name} limit 100`)}
              >
                {table.name}
              </button>
              <div>
                <Prose>{table.says}</Prose>
                <Columns of={table} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

export const Offered = ({ onChoose }: Offered) => {
  const [isOpened, setOpened] = useState(false)
  return (
    <details class="offered" onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>Tables and their columns</summary>
      {isOpened ? <Tables onChoose={onChoose} /> : null}
    </details>
  )
}
