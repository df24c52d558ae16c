/**
 * The pages' script. Without it everything works except refreshing. It fetches the page every second and changes only
 * what differs, in place: rows with the same key stay the same element, so focus, selections and opened details
 * survive. It pauses while the reader points at rows with buttons, while the page is hidden, and when it is switched
 * off. It never touches the parts marked `data-keep`; these have keys and keep their order.
 */
export const script = /* js */ `"use strict"
const everyMillis = 1000
const main = document.getElementById("main")
const button = document.getElementById("refreshing")
const calm = matchMedia("(prefers-reduced-motion: reduce)")
let shown = ""
let on = sessionStorage.getItem("refreshing") !== "off"

// A notice is shown once, so its name is removed from the address.
const address = new URL(location.href)
if (address.searchParams.has("notice")) {
  address.searchParams.delete("notice")
  history.replaceState(null, "", address)
}

const kept = (node) => node instanceof Element && node.hasAttribute("data-keep")
const keyOf = (node) => (node instanceof Element ? (node.dataset.key ?? "") : "")
const alike = (a, b) => a.nodeName === b.nodeName && keyOf(a) === keyOf(b)
const dropped = (node) => {
  const next = node.nextSibling
  node.remove()
  return next
}

const light = (row) => {
  if (calm.matches || !row.animate) return
  const lit = getComputedStyle(row).getPropertyValue("--lit")
  row.animate([{ backgroundColor: lit }, { backgroundColor: "transparent" }], 1200)
}

const changeAttributes = (from, to) => {
  for (const { name } of [...from.attributes]) {
    if (name !== "open" && !to.hasAttribute(name)) from.removeAttribute(name)
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) === value) continue
    if (name === "data-stage") light(from)
    from.setAttribute(name, value)
  }
}

const change = (from, to) => {
  if (!(from instanceof Element)) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue
    return
  }
  changeAttributes(from, to)
  const keyed = new Map([...from.children].filter((child) => keyOf(child) !== "").map((child) => [keyOf(child), child]))
  let at = from.firstChild
  for (const wanted of [...to.childNodes]) {
    const key = keyOf(wanted)
    const found = key === "" ? (at !== null && alike(at, wanted) ? at : undefined) : keyed.get(key)
    if (found === undefined) {
      const added = document.importNode(wanted, true)
      const old = key === "" && at !== null && keyOf(at) === "" ? at : undefined
      if (old !== undefined) at = old.nextSibling
      from.insertBefore(added, old ?? at)
      old?.remove()
      greet(added)
    } else if (kept(found)) {
      // Moving it would lose the focus, so the elements before it are removed instead.
      while (at !== found) at = dropped(at)
      at = found.nextSibling
    } else {
      if (found === at) at = at.nextSibling
      else from.insertBefore(found, at)
      change(found, wanted)
    }
  }
  while (at !== null) at = dropped(at)
}

// Controls that need this script are hidden where it doesn't run.
const prepare = (within) => {
  for (const each of within.querySelectorAll("[data-copy][hidden], [data-check][hidden]")) each.hidden = false
}

const greet = (added) => {
  if (!(added instanceof Element)) return
  prepare(added)
  if (added.hasAttribute("data-stage")) light(added)
}

const say = (state) => {
  if (button.textContent !== "Live: " + state) button.textContent = "Live: " + state
  button.dataset.state = state
}

const held = () =>
  document.hidden || document.querySelector("[data-hold] tbody:hover, [data-hold]:focus-within") !== null

const refresh = async () => {
  if (!on) return say("off")
  if (held()) return say("held")
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(5000) })
    const text = await answer.text()
    if (!on || held()) return
    if (answer.ok && text !== shown) {
      shown = text
      const next = new DOMParser().parseFromString(text, "text/html")
      change(main, next.getElementById("main"))
      change(document.getElementById("faults-on"), next.getElementById("faults-on"))
    }
    say(answer.ok ? "on" : "gone")
  } catch {
    say("lost")
  }
}

const refreshAlways = async () => {
  await refresh()
  setTimeout(refreshAlways, everyMillis)
}

const copy = async (asked) => {
  const source = document.getElementById(asked.dataset.copy)
  try {
    await navigator.clipboard.writeText(source.textContent)
    asked.textContent = "Copied"
  } catch {
    getSelection().selectAllChildren(source)
    asked.textContent = "Selected"
  }
}

document.addEventListener("click", ({ target }) => {
  const asked = target.closest("button")
  if (asked === null) return
  if (asked === button) {
    on = !on
    sessionStorage.setItem("refreshing", on ? "on" : "off")
    say(on ? "on" : "off")
  } else if (asked.dataset.copy !== undefined) copy(asked)
  else if (asked.dataset.check !== undefined) {
    const boxes = asked.closest("fieldset").querySelectorAll("input[type=checkbox]")
    for (const box of boxes) box.checked = asked.dataset.check === "all"
  }
})

prepare(document)
button.hidden = false
say(on ? "on" : "off")
setTimeout(refreshAlways, everyMillis)
`
