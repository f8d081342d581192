import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { home } from '#http/guard/own-path.ts';
import { html, verbatim, type Content } from '#http/pages/html.ts';

const style = `
:root { color-scheme: light dark; --text: oklch(.235 .018 265); --soft: oklch(.475 .02 265); --back: oklch(.982 .003 265);
  --card: oklch(1 0 0); --line: oklch(.62 .013 265); --accent: oklch(.48 .19 268); --on-accent: oklch(1 0 0); --bad: oklch(.5 .19 25);
  --bad-back: oklch(.955 .025 20); --good: oklch(.45 .115 155); --good-back: oklch(.95 .035 155); --care: oklch(.47 .105 70);
  --care-back: oklch(.955 .045 85); --faint: oklch(.905 .006 265); }
@media (prefers-color-scheme: dark) { :root { --text: oklch(.945 .004 265); --soft: oklch(.735 .014 265); --back: oklch(.175 .008 265);
  --card: oklch(.212 .009 265); --line: oklch(.56 .015 265); --accent: oklch(.775 .115 268); --on-accent: oklch(.19 .05 268);
  --bad: oklch(.77 .13 22); --bad-back: oklch(.29 .065 22); --good: oklch(.8 .13 155); --good-back: oklch(.29 .05 155);
  --care: oklch(.84 .12 80); --care-back: oklch(.3 .05 75); --faint: oklch(.31 .012 265); } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: .9375rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
header p { margin: 0; }
.brand { font-weight: 600; font-size: 1.125rem; letter-spacing: -.01em; display: flex; gap: .5rem; align-items: center; }
.brand a { color: inherit; text-decoration: none; display: inherit; gap: inherit; align-items: inherit; }
.who { color: var(--soft); display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
h1 { font-size: 1.625rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
h3 { font-size: 1.0625rem; margin: 0; }
section, .card { background: var(--card); border: 1px solid var(--faint); border-radius: .625rem; padding: 1.25rem; margin: 0 0 1rem; }
ul { list-style: none; margin: 0; padding: 0; }
li + li { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: .75rem; }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; }
.row p, .row form { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.lead { margin: 0 0 1rem; }
.soft, .hint { color: var(--soft); margin: 0; }
.field { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .375rem;
  padding: .5rem .625rem; min-height: 2.75rem; }
input[aria-invalid] { border: 2px solid var(--bad); }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1rem; border-radius: .375rem; cursor: pointer;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); }
button.quiet { background: transparent; color: var(--accent); }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, input:focus-visible, select:focus-visible, button:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.error { color: var(--bad); font-weight: 600; margin: .25rem 0; }
.errors { background: var(--bad-back); border: 2px solid var(--bad); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; }
.errors li + li { border: 0; margin: .25rem 0 0; padding: 0; }
.errors p { margin: 0; }
.errors a { color: var(--bad); }
.done { background: var(--good-back); color: var(--good); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; }
select, textarea { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .375rem; padding: .5rem .625rem; min-height: 2.75rem; }
input[type=checkbox], input[type=radio] { width: 1.25rem; height: 1.25rem; min-height: 0; margin: .125rem 0 0; flex: none;
  accent-color: var(--accent); }
fieldset { border: 0; border-top: 1px solid var(--faint); margin: 1rem 0 0; padding: 1rem 0 0; min-width: 0; }
fieldset.wrong { border-top: 3px solid var(--bad); }
legend { float: left; width: 100%; font-weight: 700; font-size: 1.0625rem; padding: 0; margin: 0 0 .25rem; }
legend + * { clear: both; }
.boxes { display: grid; gap: .125rem 1rem; margin: .5rem -.25rem 0; padding: 0 .25rem; }
.boxes.short { grid-template-columns: repeat(auto-fill, minmax(min(12rem, 100%), 1fr)); max-height: 20rem; overflow-y: auto; }
label.box { display: flex; gap: .625rem; align-items: flex-start; font-weight: 400; margin: 0; padding: .4375rem 0; cursor: pointer; }
label.box .hint { display: block; }
label.box:not(:has(:checked)) .with, label.box:has(:checked) .without { display: none; }
label.box:has(:disabled) { cursor: default; opacity: .7; }
.tag { font-size: .8125rem; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; color: var(--soft); white-space: nowrap; }
.presets { margin: .25rem 0 .5rem; }
button[aria-pressed=true] { background: var(--accent); color: var(--on-accent); }
button.bad { border-color: var(--bad); color: var(--bad); background: transparent; }
dl { margin: 0; display: grid; gap: .5rem; }
dl > div { display: grid; grid-template-columns: 8.5rem 1fr; gap: 0 .75rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
.host { font-weight: 700; font-size: 1.25rem; line-height: 1.3; }
.warn { background: var(--care-back); color: var(--care); border-left: 4px solid currentColor; border-radius: .375rem;
  padding: .625rem .75rem; margin: 1rem 0 0; }
.joined { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: .25rem; }
.joined select, .joined input { flex: 1 1 12rem; width: auto; }
.row + .row { margin-top: .5rem; }
summary { cursor: pointer; color: var(--accent); padding: .375rem 0; }
details form { margin-top: .5rem; }
.consent > .field, .consent > p { margin: 0; }
p + .consent, .row + dl { margin-top: .75rem; }
.done > :first-child, .errors > :first-child { margin-top: 0; }
.done dt { color: inherit; }
.decision { display: flex; flex-wrap: wrap; gap: .75rem; border-top: 1px solid var(--faint); margin-top: 1rem; padding-top: 1rem; }
.decision button { flex: 1 1 10rem; }
code { font: .9375rem/1.5 ui-monospace, monospace; }
.secret { display: block; background: var(--back); border: 1px solid var(--line); border-radius: .375rem; padding: .5rem .625rem; }
@media (max-width: 30rem) { dl > div { grid-template-columns: 1fr; } }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem; }
`;

const drawing =
  '<rect width="32" height="32" rx="7" fill="#2f4bd8"/><path d="M16 5c5 6.5 7.5 10.4 7.5 14a7.5 7.5 0 0 1-15 0C8.5 15.4 11 11.5 16 5z" fill="#fff"/><circle cx="16" cy="19.5" r="2.6" fill="#2f4bd8"/></svg>';
/** The sign of the product, as the dashboard has it. */
const sign = verbatim(`<svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">${drawing}`);
/** In the page itself: the API has no files without the dashboard, and browsers ask for /favicon.ico otherwise. */
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawing}`)}`;

const name = html`${sign}Inkgraph`;

const scriptPath = '/passkeys.js';

const styleHash = createHash('sha256').update(style).digest('base64');

/** No `form-action`: sign-in may redirect to another program's page, and browsers apply the directive to redirects, too. */
const usualPolicy = `default-src 'none'; img-src data:; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`;

/** Policy of a page that runs one script of ours, which calls the API of accounts. */
const policyWithScript = (origin: string): string =>
  `${usualPolicy}; script-src ${origin}${scriptPath}; connect-src ${origin}/api/auth/`;

export interface Page {
  readonly title: string;
  readonly body: Content;
  /** Content at the top right. */
  readonly who?: Content;
  readonly status?: number;
  /** Prefixes the title with "Error: ". */
  readonly isWrong?: boolean;
  /** Origin of the page, if it runs the script of passkeys. Absent: no script. */
  readonly scriptOrigin?: string;
}

/** Sends a page that allows no script but ours, no foreign content, no framing and no caching. */
export function sendPage(response: Response, page: Page): void {
  const { title, body, who = null, status = 200, isWrong = false, scriptOrigin } = page;
  const policy = scriptOrigin === undefined ? usualPolicy : policyWithScript(scriptOrigin);
  response.setHeader('content-security-policy', policy);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-frame-options', 'DENY');
  // With no-referrer, browsers would send forms with the origin null.
  response.setHeader('referrer-policy', 'same-origin');
  response.vary('cookie');
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${isWrong && 'Error: '}${title} - Inkgraph</title>
        <link rel="icon" href="${icon}" />
        ${verbatim(`<style>${style}</style>`)}
        ${scriptOrigin !== undefined && html`<script src="${scriptPath}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <p class="brand">${who === null ? name : html`<a href="${home}">${name}</a>`}</p>
          ${who}
        </header>
        <main id="main">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  response.status(status).type('html').send(text.text);
}
