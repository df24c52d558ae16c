/**
 * The page of the admin listener: how the worker is doing, its deliveries and its books, in a browser. It talks to the worker that
 * served it and to no other host, and keeps nothing when it is closed.
 */
// oxlint-disable-next-line import/no-unassigned-import -- It acts as it is loaded.
import "./Language.ts"
import { render } from "preact"
import { App } from "./App.tsx"
import * as Router from "./Router.ts"
import * as Session from "./Session.ts"
import * as Stream from "./Stream.ts"

const page = document.getElementById("page")

if (page !== null) {
  void Session.begin()
  // The reader has pasted the address of another session over this one.
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#code=")) void Session.begin()
  })
  Router.begin()
  Stream.begin()
  render(<App />, page)
}
