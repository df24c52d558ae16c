/**
 * Filters of a view, kept in its address. A choice takes effect at once, a text when the reader presses enter or leaves
 * the field.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useCell } from "../Cell.ts"
import { instantOf, minuteOf } from "../Format.ts"
import { go, place, withFilters } from "../Router.ts"

interface Filter {
  /** The name in the address. */
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  /** Suggestions for a text; other texts are possible, too. */
  readonly offers?: ReadonlyArray<string>
  /** All choices: their labels by value. */
  readonly choices?: Readonly<Record<string, string>>
  /** The label of no choice. */
  readonly otherwise?: string
}

export const Filter = ({ choices, label, name, offers = [], otherwise = "any", placeholder = "" }: Filter) => {
  const value = useCell(place, ({ query }) => query.get(name) ?? "")
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const settle = (next: string): void => {
    if (next.trim() !== value) go(withFilters({ [name]: next.trim() }))
  }
  const id = `filter-${name}`
  return (
    <label for={id}>
      <span>{label}</span>
      {choices === undefined ? (
        <>
          <input
            id={id}
            type="search"
            value={typed}
            placeholder={placeholder}
            spellcheck={false}
            autocomplete="off"
            {...(offers.length === 0 ? {} : { list: `${id}-offers` })}
            onInput={(event) => {
              setTyped(event.currentTarget.value)
              if (offers.includes(event.currentTarget.value) || event.currentTarget.value === "")
                settle(event.currentTarget.value)
            }}
            onBlur={() => settle(typed)}
            onKeyDown={(event) => {
              if (event.key === "Enter") settle(typed)
            }}
          />
          <datalist id={`${id}-offers`}>
            {offers.map((offer) => (
              <option key={offer} value={offer} />
            ))}
          </datalist>
        </>
      ) : (
        <select id={id} value={value} onChange={(event) => settle(event.currentTarget.value)}>
          <option value="">{otherwise}</option>
          {Object.entries(choices).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </label>
  )
}

/** A time: in the reader's zone here, but in UTC in the address, which a colleague elsewhere may open. */
export const TimeFilter = ({ label, name }: Pick<Filter, "label" | "name">) => {
  const value = useCell(place, ({ query }) => minuteOf(query.get(name) ?? ""))
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const settle = (next: string): void => {
    setTyped(next)
    const instant = next === "" ? "" : instantOf(next)
    if (instant !== undefined && next !== value) go(withFilters({ [name]: instant }))
  }
  const id = `filter-${name}`
  return (
    <label for={id}>
      <span>{label}</span>
      <input id={id} type="datetime-local" value={typed} onInput={(event) => settle(event.currentTarget.value)} />
    </label>
  )
}

export const Filters = ({
  children,
  isAsking
}: {
  readonly children: ComponentChildren
  readonly isAsking: boolean
}) => (
  <form class="filters" aria-label="Filters" aria-busy={isAsking} onSubmit={(event) => event.preventDefault()}>
    {children}
  </form>
)
