import { expect, test } from 'vitest';
import { greet } from '#app/greeting.ts';
import type { ServiceName } from '#src/config/env.ts';

const addresses = { api: 'http://127.0.0.1:3000', agents: 'http://a', mcp: 'http://m', objects: 'http://o' };

function said(isTTY: boolean | undefined, services: readonly ServiceName[] = ['api', 'agents', 'mcp']): string {
  let text = '';
  const out = { ...(isTTY === undefined ? {} : { isTTY }), write: (one: string) => (text += one) };
  greet(out, addresses, new Set(services));
  return text;
}

test('a start on a terminal ends with the address to open and the next step', () => {
  expect(said(true).trim().split('\n')).toEqual([
    'Inkgraph is up. Open http://127.0.0.1:3000',
    'For an e-mail address and password, in a second terminal: npm run seed',
  ]);
});

test('a start without a terminal, or without the API, prints nothing', () => {
  expect(said(false)).toBe('');
  expect(said(undefined)).toBe('');
  expect(said(true, ['mcp'])).toBe('');
});
