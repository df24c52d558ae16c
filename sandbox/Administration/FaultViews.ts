/**
 * The faults, each with its switch and its value. Shares are shown in percent. A fault that is off suggests a value, so
 * trying it takes one press.
 */
import type { Fault } from "../Faults.ts"
import type { Administered } from "./Administered.ts"
import { html } from "./Html.ts"
import { act, type Page, pill, root } from "./Page.ts"
import * as Wording from "./Wording.ts"

type Valued = Fault & { readonly value: number }

const units: Readonly<Record<Fault["unit"], { readonly sign: string; readonly suggested: number }>> = {
  share: { sign: "%", suggested: 0.25 },
  count: { sign: "", suggested: 10 },
  seconds: { sign: "s", suggested: 60 },
  size: { sign: "per page", suggested: 10 }
}

const shownValue = ({ unit }: Fault, value: number) => (unit === "share" ? Wording.percent(value) : String(value))

const measure = (fault: Valued) => {
  const { least, most, name, title, unit, value } = fault
  const isOn = value !== 0
  return html`<form method="post" action="${root}/faults/${name}" class="measure" data-keep data-key="measure">
    ${unit === "share" && html`<input type="hidden" name="unit" value="percent" />`}
    <label
      ><span class="hidden">${title}, </span
      ><input
        name="value"
        type="number"
        required
        step="any"
        min="${shownValue(fault, least)}"
        max="${shownValue(fault, most)}"
        value="${shownValue(fault, isOn ? value : units[unit].suggested)}"
      />
      <span class="unit">${units[unit].sign}</span></label
    >
    <button class="small">${isOn ? "Set" : "Turn on"}<span class="hidden"> ${title}</span></button>
  </form>`
}

const line = (fault: Valued) => {
  const { meaning, name, title, unit, value } = fault
  const isOn = value !== 0
  return html`<li class="${isOn && "on"}" data-key="${name}">
    <div class="what">
      <h2>${title} <code>${name}</code></h2>
      <p>${meaning}</p>
    </div>
    <p class="state">
      ${isOn ? pill("wait", `on: ${shownValue(fault, value)} ${units[unit].sign}`.trim()) : pill("idle", "off")}
    </p>
    ${measure(fault)}
    <div class="off">${isOn && act(`${root}/faults/${name}/off`, "Turn off", "small", title)}</div>
  </li>`
}

export const page = ({ faults }: Administered): Page => {
  const all = faults.all()
  const on = all.filter(({ value }) => value !== 0).length
  return {
    section: "faults",
    title: "Faults",
    body: html`
      <div class="tools">
        <p class="note">
          What the sandbox does wrong on purpose. A fault stays on until it is turned off or the sandbox restarts.
        </p>
        ${on > 0 && act(`${root}/faults/off`, `Turn all off (${on})`)}
      </div>
      <ul class="faults">
        ${all.map(line)}
      </ul>
    `
  }
}
