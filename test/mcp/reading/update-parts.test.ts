import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addressOf, namedBy } from '#mcp/resources/address.ts';
import { Coalescer } from '#mcp/updates/coalescer.ts';
import { Seen } from '#mcp/updates/seen.ts';

describe('Coalescer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('tells the first at once and what follows together, each key once, at most once a pause', () => {
    const told: string[][] = [];
    const coalescer = new Coalescer<number>(100, (found) => void told.push([...found.keys()]));
    coalescer.add('a', 1);
    expect(told).toEqual([['a']]);
    for (let index = 0; index < 50; index += 1) coalescer.add(index % 2 === 0 ? 'a' : 'b', index);
    vi.advanceTimersByTime(99);
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([['a'], ['a', 'b']]);
    coalescer.add('c', 1);
    expect(told, 'the pause begins anew with each telling').toHaveLength(2);
    vi.advanceTimersByTime(100);
    expect(told).toEqual([['a'], ['a', 'b'], ['c']]);
    vi.advanceTimersByTime(1_000);
    coalescer.add('d', 1);
    expect(told.at(-1), 'after a quiet time at once again').toEqual(['d']);
    coalescer.add('e', 1);
    coalescer.close();
    vi.advanceTimersByTime(1_000);
    expect(told).toHaveLength(4);
  });
});

describe('Seen', () => {
  it('takes each number once, in any order, and reads on after what was read', () => {
    const seen = new Seen(10);
    expect([seen.add(10), seen.add(11), seen.add(11)]).toEqual([false, true, false]);
    expect([seen.add(13), seen.upTo]).toEqual([true, 10]);
    seen.readUpTo(12);
    expect([seen.add(12), seen.upTo, seen.add(13), seen.add(14)]).toEqual([false, 12, false, true]);
    seen.readUpTo(11);
    expect(seen.upTo).toBe(12);
  });
});

describe('addresses', () => {
  it.each([
    'inkgraph://workflows/wf_1',
    'inkgraph://workflows/wf_1/versions/12',
    'inkgraph://runs/run_1',
    'inkgraph://documents/doc_1',
    'inkgraph://documents/doc_1/text',
    'inkgraph://documents/doc_1/image',
    'inkgraph://node-types',
    'inkgraph://openapi',
  ])('%s is read and written the same', (uri) => {
    const named = namedBy(uri);
    expect(named === null ? null : addressOf(named)).toBe(uri);
  });

  it.each([
    'inkgraph://documents/doc_1/../doc_2',
    'inkgraph://documents/doc%5f1',
    'inkgraph://documents/doc_1?x',
    'inkgraph://workflows/wf_1/versions/0',
    'inkgraph://workflows/wf_1/versions/1e3',
    'INKGRAPH://documents/doc_1',
    'inkgraph://documents/doc_1\n',
    `inkgraph://documents/${'d'.repeat(101)}`,
    'file:///etc/passwd',
    '',
  ])('%j names nothing', (uri) => {
    expect(namedBy(uri)).toBeNull();
  });
});
