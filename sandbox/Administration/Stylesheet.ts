/**
 * The pages' one stylesheet: dense, calm, with digits of equal width, light or dark as the reader's system asks. Below
 * 720 px table rows become blocks, so nothing scrolls sideways.
 */
const colours = /* css */ `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --surface: #ffffff; --raised: #f0f2f5; --line: #dde1e6; --edge: #8b949e;
  --text: #1c2126; --soft: #57606a; --accent: #0a5cb8; --on-accent: #ffffff;
  --good: #1a6f37; --good-ground: #e2f4e8; --wait: #7f5200; --wait-ground: #fdf0d2;
  --bad: #b01f18; --bad-ground: #fde8e6; --idle: #4d5761; --idle-ground: #e9ecf0; --lit: #fff6d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1217; --surface: #161b21; --raised: #1e242b; --line: #2c343d; --edge: #6e7b88;
    --text: #e4e9ee; --soft: #a0abb6; --accent: #74b4ff; --on-accent: #0a1624;
    --good: #62cf83; --good-ground: #15301f; --wait: #e7b856; --wait-ground: #352a12;
    --bad: #ff968c; --bad-ground: #3c1c1a; --idle: #b3bdc7; --idle-ground: #272e36; --lit: #2e2a18;
  }
}
`

const frame = /* css */ `
* { box-sizing: border-box; }
html { font: 14px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
body { margin: 0; background: var(--ground); color: var(--text); }
a { color: var(--accent); text-underline-offset: 2px; }
a:not(:hover) { text-decoration-color: color-mix(in srgb, currentColor 40%, transparent); }
code, pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
[hidden] { display: none !important; }
.hidden, caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 8px; top: -48px; background: var(--surface); padding: 8px 12px; z-index: 2; }
.skip:focus { top: 8px; }
header { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar, header nav, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
.bar { display: flex; align-items: center; justify-content: space-between; min-height: 52px; gap: 12px; }
.brand { margin: 0; color: var(--soft); display: flex; align-items: center; gap: 8px; }
.brand b { color: var(--text); font-weight: 650; }
.mark { width: 18px; height: 18px; border-radius: 4px; background: linear-gradient(135deg, #f0a020 50%, #2f3a45 50%); }
header ul, .tabs { list-style: none; display: flex; flex-wrap: wrap; gap: 0 22px; margin: 0; padding: 0; }
header nav a, .tabs a { display: inline-block; padding: 8px 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
header nav a:hover, .tabs a:hover { color: var(--text); }
[aria-current="page"]:is(header a), [aria-current="true"]:is(.tabs a) { color: var(--text); font-weight: 600; border-color: var(--accent); }
.badge { font-size: 12px; color: var(--wait); background: var(--wait-ground); border-radius: 9px; padding: 1px 8px; margin-left: 4px; }
main { padding-top: 20px; padding-bottom: 40px; }
main:focus { outline: none; }
footer { padding-bottom: 32px; color: var(--soft); font-size: 13px; }
footer p { border-top: 1px solid var(--line); padding-top: 14px; margin: 0; }
.trail { margin: 0; color: var(--soft); font-size: 13px; }
h1 { font-size: 22px; line-height: 1.3; margin: 2px 0 16px; font-weight: 650; }
h2 { font-size: 15px; margin: 28px 0 10px; font-weight: 650; }
p { margin: 8px 0; }
.note, .none, .took { color: var(--soft); }
.note { font-size: 13px; }
.empty { background: var(--surface); border: 1px dashed var(--line); border-radius: 8px; padding: 20px; color: var(--soft); text-align: center; }
`

const parts = /* css */ `
.pill { display: inline-block; padding: 0 8px; border-radius: 10px; font-size: 12.5px; line-height: 20px; font-weight: 550; white-space: nowrap; }
.pill.good, .flow .good { color: var(--good); background: var(--good-ground); }
.pill.wait, .flow .wait { color: var(--wait); background: var(--wait-ground); }
.pill.bad { color: var(--bad); background: var(--bad-ground); }
.pill.idle, .flow .idle { color: var(--idle); background: var(--idle-ground); }
.outcome { font-weight: 550; }
.outcome.good { color: var(--good); }
.outcome.bad { color: var(--bad); }
button { font: inherit; font-weight: 550; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; padding: 5px 12px; cursor: pointer; }
button:hover { background: var(--raised); }
button.small { padding: 1px 9px; font-size: 13px; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover { background: color-mix(in srgb, var(--accent) 85%, var(--text)); }
button.danger { color: var(--bad); border-color: var(--bad); }
button.danger:hover { background: var(--bad-ground); }
button.quiet { min-width: 104px; font-weight: 450; font-size: 13px; padding: 3px 10px; color: var(--soft); border-color: var(--line); text-align: left; }
button.quiet::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 7px; background: var(--edge); }
button.quiet[data-state="on"]::before { background: var(--good); }
button.quiet:is([data-state="lost"], [data-state="gone"])::before { background: var(--bad); }
input, select { font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; padding: 5px 8px; max-width: 100%; }
input[type="url"] { width: 100%; }
input[aria-invalid] { border-color: var(--bad); }
input[type="checkbox"] { accent-color: var(--accent); margin: 0 6px 0 0; }
::placeholder { color: var(--soft); opacity: 1; }
.notice { border: 1px solid; border-radius: 8px; padding: 8px 14px; margin-bottom: 16px; }
.notice.good { color: var(--good); background: var(--good-ground); border-color: color-mix(in srgb, var(--good) 35%, transparent); }
.notice.bad, .complaint { color: var(--bad); background: var(--bad-ground); }
.notice p { margin: 2px 0; }
.secret { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.secret code { background: var(--surface); color: var(--text); border-radius: 4px; padding: 3px 8px; overflow-wrap: anywhere; user-select: all; }
.complaint { margin: 0 0 12px; padding: 6px 12px; border-radius: 6px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); margin: 0 0 8px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.figures div { padding: 10px 14px; box-shadow: 0 0 0 0.5px var(--line); }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 20px; line-height: 1.3; font-weight: 600; }
.figures dd.wait { color: var(--wait); }
.figures dd.bad { color: var(--bad); }
.figures dd.note { font-size: 12.5px; font-weight: 400; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 20px; margin: 0 0 16px; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.url { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
.url.short { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
pre { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
.tabs { border-bottom: 1px solid var(--line); margin-bottom: 12px; }
.tabs .many { color: var(--soft); font-weight: 400; margin-left: 3px; }
.tools, .actions, .row { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.tools { justify-content: space-between; margin: 12px 0; min-height: 34px; }
.actions { margin: 16px 0 20px; align-items: flex-start; }
.choices { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.choices select { max-width: 32ch; }
.pager { display: flex; gap: 16px; min-height: 24px; margin: 10px 0; }
.asked { position: relative; }
.asked summary { list-style: none; width: max-content; cursor: pointer; font-weight: 550; border: 1px solid var(--edge); border-radius: 6px; padding: 5px 12px; background: var(--surface); }
.asked summary::after { content: " …"; }
.asked summary::-webkit-details-marker { display: none; }
.asked div { border: 1px solid var(--line); background: var(--surface); border-radius: 8px; padding: 6px 14px 12px; margin-top: 8px; width: 44ch; max-width: 100%; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 4px 20px 10px; margin-top: 28px; }
.panel h2 { margin-top: 14px; }
.creation > label { font-weight: 550; display: block; margin-bottom: 3px; }
fieldset { border: 0; padding: 0; margin: 16px 0 0; min-width: 0; }
legend { font-weight: 550; padding: 0; margin-bottom: 4px; }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 10px 20px; }
.check { display: flex; align-items: center; min-height: 24px; }
`

const tables = /* css */ `
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
th, td { padding: 5px 10px; text-align: left; vertical-align: baseline; }
th { font-size: 12.5px; font-weight: 500; color: var(--soft); border-bottom: 1px solid var(--line); white-space: nowrap; }
tbody tr + tr td { border-top: 1px solid color-mix(in srgb, var(--line) 60%, transparent); }
tbody tr:hover { background: var(--raised); }
.number, .amount { text-align: right; }
.action { text-align: right; padding-top: 3px; padding-bottom: 3px; }
time, .status { white-space: nowrap; }
.track { display: inline-flex; gap: 2px; margin-right: 8px; }
.track i { width: 14px; height: 6px; border-radius: 2px; background: var(--line); }
.track .idle { background: var(--edge); }
.track .wait { background: color-mix(in srgb, var(--wait) 75%, transparent); }
.track .good { background: var(--good); }
.flow { list-style: none; display: flex; gap: 8px; margin: 0 0 12px; padding: 0; }
.flow li { flex: 1; border-radius: 8px; padding: 8px 14px; position: relative; display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 8px; }
.flow b { font-size: 18px; }
.flow li + li::before { content: "›"; position: absolute; left: -7px; top: 50%; translate: 0 -55%; color: var(--soft); }
.faults { list-style: none; margin: 0; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
.faults li { display: grid; grid-template-columns: minmax(0, 1fr) 150px 236px 84px; gap: 4px 16px; align-items: center; padding: 9px 16px; }
.faults li + li { border-top: 1px solid var(--line); }
.faults h2 { font-size: 14px; margin: 0; font-weight: 600; }
.faults p { margin: 0; color: var(--soft); font-size: 13px; }
.faults code { color: var(--soft); font-weight: 400; margin-left: 4px; }
.faults .on { box-shadow: inset 3px 0 var(--wait); }
.measure { display: flex; gap: 8px; align-items: center; }
.measure input { width: 84px; text-align: right; padding: 2px 6px; }
.measure .unit { display: inline-block; width: 60px; color: var(--soft); font-size: 13px; }
@media (min-width: 720px) {
  .asked div { position: absolute; z-index: 1; max-width: none; box-shadow: 0 6px 20px rgb(0 0 0 / 18%); }
  .moving, .deliveries { table-layout: fixed; }
  .moving td { overflow-wrap: break-word; }
  .moving th:first-child { width: 156px; }
  th[data-column="Status"] { width: 180px; }
  .moving th.short { width: 108px; }
  .moving th:last-child { width: 92px; }
  th[data-column="Delivery"], th[data-column="Attempts"] { width: 86px; }
  th[data-column="State"] { width: 100px; }
  .deliveries th[data-column="Event type"] { width: 184px; }
  .deliveries th[data-column="At"] { width: 92px; }
  .deliveries th[data-column="Last answer"] { width: 186px; }
  .deliveries th[data-column="Next"] { width: 122px; }
  .deliveries th.action { width: 92px; }
  .attempts { max-width: 560px; }
}
`

const narrow = /* css */ `
@media (max-width: 719px) {
  .bar, header nav, main, footer { padding-left: 16px; padding-right: 16px; }
  header ul, .tabs { gap: 0 16px; }
  table, thead, tbody, tr, td { display: block; }
  .url.short { white-space: normal; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { padding: 8px 14px; }
  tbody tr + tr { border-top: 1px solid var(--line); }
  tbody tr + tr td { border: 0; }
  td, td.number, td.amount { position: relative; min-height: 1.5em; padding: 1px 0 1px 112px; text-align: left; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); color: var(--soft); position: absolute; left: 0; }
  td.action:empty, td.action::before { display: none; }
  .asked[open] { width: 100%; }
  .flow { flex-wrap: wrap; }
  .flow li { flex: 1 0 40%; }
  .flow li + li::before { content: none; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 6px; }
  .faults li { grid-template-columns: minmax(0, 1fr) auto; }
  .faults .what { grid-column: 1 / -1; }
  .faults .measure { grid-column: 1; grid-row: 3; }
  .choices label { display: grid; gap: 2px; width: 100%; }
  .choices label { min-width: 0; }
  .choices select { width: 100%; max-width: calc(100vw - 32px); }
}
`

export const stylesheet = colours + frame + parts + tables + narrow
