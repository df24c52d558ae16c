/**
 * What a reader without a session sees: how to get one.
 */
import { useState } from "preact/hooks"
import { Field } from "../parts/Field.tsx"
import { begin, enter, type Reader } from "../Session.ts"

export const SignIn = ({ reader }: { readonly reader: Extract<Reader, { readonly state: "out" | "unanswered" }> }) => {
  const [token, setToken] = useState("")
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (token.trim() === "") return
    setBusy(true)
    await enter(token.trim())
    setBusy(false)
  }
  return (
    <main id="main" class="sign-in">
      <p class="brand">
        <span class="mark" aria-hidden="true" />
        <b>siteledger</b>
      </p>
      {reader.state === "unanswered" ? (
        <>
          <h1>The worker can't be reached</h1>
          <p role="alert">{reader.sentence}</p>
          <p>
            <button type="button" class="primary" onClick={() => void begin()}>
              Try again
            </button>
          </p>
        </>
      ) : (
        <>
          <h1>Sign in</h1>
          <p>
            On the worker's machine, run <code>siteledger dashboard</code>: it prints an address that signs you in.
          </p>
          <p>Or paste the token that you were given:</p>
          <form onSubmit={(event) => void submit(event)}>
            <Field
              id="token"
              label="Token"
              hint="It begins with slp_"
              value={token}
              problem={reader.sentence}
              onChange={setToken}
              kind="secret"
            />
            <p>
              <button type="submit" class="primary" disabled={isBusy}>
                {isBusy ? "One moment…" : "Sign in"}
              </button>
            </p>
          </form>
        </>
      )}
    </main>
  )
}
