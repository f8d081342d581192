import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { inAscii } from '#app/bundle/in-ascii.ts';

const raw = String.raw;

test.each([
  ['strings of each kind', raw`["é−💩", 'ü', ${'`ä${"ö"}`'}]`],
  ['names', '({ ünter: 1 }).ünter'],
  ['patterns', raw`["5 €".match(/\d [€£]/)[0], /^[💩]$/u.test("💩"), "é".replace(/\é/, "−")]`],
  ['characters behind backslashes', raw`["\é", "\\é", "\\\é"]`],
  ['raw texts', 'String.raw`a\\b[−é]${"ü" + String.raw`ö\\d`}\\\\€`'],
  [
    'templates of a page',
    '(() => { const html = ({ raw, ...texts }, ...more) => [texts, more]; return html`· ${"é"}`; })()',
  ],
])('keeps what %s mean', (_, code) => {
  const written = inAscii(code);
  expect(written).toMatch(/^[\t-~]*$/);
  expect(runInNewContext(written)).toEqual(runInNewContext(code));
});
