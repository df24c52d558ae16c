/**
 * Parts that the views of the books share: the navigation between them, and the IPC of a row.
 */
import { useCell } from "../Cell.ts"
import { count } from "../Format.ts"
import { place, to } from "../Router.ts"
import { idIn, type Row } from "../Rows.ts"
import { live } from "../Stream.ts"

const Count = ({ number }: { readonly number: number | undefined }) =>
  number === undefined ? null : <span class="many">{count(number)}</span>

/** Shown above each part of the books. */
export const Tabs = () => {
  const pathname = useCell(place, (now) => now.pathname)
  const ledger = useCell(live, ({ status }) => status?.ledger)
  const tabs = [
    { href: to.entries, words: "Entries", number: ledger?.entries },
    { href: to.holds, words: "Holds", number: ledger?.holds },
    { href: to.outbox, words: "Outbox", number: ledger?.sink?.dead },
    { href: to.balances, words: "Balances", number: undefined }
  ]
  return (
    <nav class="tabs" aria-label="Parts of the ledger">
      <ul>
        {tabs.map(({ href, number, words }) => (
          <li key={href}>
            <a href={href} {...(pathname === href ? { "aria-current": "page" as const } : {})}>
              {words} <Count number={number} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export const Ipc = ({ row }: { readonly row: Row }) => <a href={to.ipc(idIn(row, "ipc_id"))}>{idIn(row, "ipc_id")}</a>
