/**
 * A field of a form with its label, its hint, and what is wrong with it.
 */
interface Field {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
  readonly kind?: "name" | "amount" | "currency" | "prose" | "secret" | "new-secret"
}

export const Field = ({ hint, id, kind = "name", label, onChange, problem, value }: Field) => {
  const shared = {
    id,
    value,
    "aria-describedby": problem === undefined ? `${id}-hint` : `${id}-problem`,
    ...(problem === undefined ? {} : { "aria-invalid": true as const })
  }
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value)
  return (
    <div class={`field ${kind === "new-secret" ? "secret" : kind}`}>
      <label for={id}>{label}</label>
      {kind === "prose" ? (
        <textarea {...shared} rows={2} onInput={onInput} />
      ) : kind === "secret" || kind === "new-secret" ? (
        <input
          {...shared}
          type="password"
          autocomplete={kind === "secret" ? "current-password" : "off"}
          onInput={onInput}
        />
      ) : (
        <input
          {...shared}
          type="text"
          autocomplete="off"
          spellcheck={false}
          inputMode={kind === "amount" ? "decimal" : "text"}
          onInput={onInput}
        />
      )}
      {problem === undefined ? (
        <span class="note" id={`${id}-hint`}>
          {hint}
        </span>
      ) : (
        <span class="complaint" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}
