/**
 * Who reads the page, and what they may do. `siteledger dashboard` prints an address with a code in its fragment, which
 * no server sees and no log keeps. The code is removed from the address at once, and exchanged for a cookie that
 * scripts can't read.
 */
import { onSignedOut, Refused, sentenceOf, session, signIn, signOut, type Session } from "./Api.ts"
import { Cell, useCell } from "./Cell.ts"

export type Reader =
  | { readonly state: "asking" }
  | { readonly state: "in"; readonly session: Session }
  /** `sentence`: why, if the reader tried to sign in. */
  | { readonly state: "out"; readonly sentence: string | undefined }
  | { readonly state: "unanswered"; readonly sentence: string }

export const reader = new Cell<Reader>({ state: "asking" })

const takeCode = (): string | undefined => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code")
  if (code === null) return undefined
  history.replaceState(null, "", location.pathname + location.search)
  return code
}

const settle = async (asked: Promise<Session>, isTried: boolean): Promise<void> => {
  try {
    reader.set({ state: "in", session: await asked })
  } catch (cause) {
    const sentence = sentenceOf(cause)
    const isRefused = cause instanceof Refused && cause.status >= 400 && cause.status < 500
    reader.set(
      isRefused ? { state: "out", sentence: isTried ? sentence : undefined } : { state: "unanswered", sentence }
    )
  }
}

/** Called when the page starts, and to try again. */
export const begin = async (): Promise<void> => {
  onSignedOut(() => reader.set({ state: "out", sentence: "Your session has ended." }))
  const code = takeCode()
  if (code === undefined) return settle(session(), false)
  // A code works once; a page that is opened again may already have the cookie.
  await settle(signIn({ code }), true)
  const now = reader.value
  if (now.state !== "out") return
  await settle(session(), false)
  if (reader.value.state === "out") reader.set(now)
}

export const enter = (token: string): Promise<void> => settle(signIn({ token }), true)

export const leave = async (): Promise<void> => {
  try {
    await signOut()
    reader.set({ state: "out", sentence: "You are signed out." })
  } catch (cause) {
    reader.set({ state: "unanswered", sentence: sentenceOf(cause) })
  }
}

/** Whether the reader may use such an action. The worker checks it again. */
export const useMay = (role: Session["may"][number]): boolean =>
  useCell(reader, (now) => now.state === "in" && now.session.may.includes(role))

export const usePrincipal = (): string => useCell(reader, (now) => (now.state === "in" ? now.session.principal : ""))
