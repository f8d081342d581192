import { expect, test } from 'vitest';
import { ioOf } from '#graphs/define.ts';
import { transform } from '#graphs/nodes/transform.ts';
import { callNode } from '#test/graphs/support/call-node.ts';
import { errorOf } from '#test/support/servers/outside-server.ts';

const set = (expressions: Record<string, string>, state: Record<string, unknown> = {}) =>
  callNode(transform, { config: { set: expressions }, state });

test('every channel is given the value of its expression over the state from before', async () => {
  const { update } = await set(
    { total: 'a + b', a: 'b * 2', names: 'items.map(i, i.name)', none: 'missing' },
    { a: 1, b: 2, items: [{ name: 'x' }, { name: 'y' }] },
  );
  expect(update).toEqual({ total: 3, a: 4, names: ['x', 'y'], none: null });
});

test('the channels it writes are the names it sets, also of a config that is wrong', () => {
  expect(ioOf(transform, { set: { a: '1', b: '(' } }).writes).toEqual(['a', 'b']);
  expect(ioOf(transform, {}).writes).toEqual([]);
  expect(ioOf(transform, { set: null }).writes).toEqual([]);
  expect(transform.params.safeParse({ set: {} }).success).toBe(false);
  expect(transform.params.safeParse({ set: { 'not a name': '1' } }).success).toBe(false);
});

test('a value over 64 KiB of JSON fails', async () => {
  const pages = Array.from({ length: 600 }, () => 'ü'.repeat(60));
  expect(await errorOf(set({ copy: 'pages' }, { pages }))).toMatch(/^expression\.failed: .*(64 KiB|65,?536)/);
});

test('a mistake of types fails as expression.failed', async () => {
  expect(await errorOf(set({ sum: 'a + b' }, { a: 'x', b: {} }))).toMatch(/^expression\.failed: /);
});
