import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { runGraph, testNode, visits } from '#test/graphs/support/graph-fixtures.ts';

type Edge = StoredGraphInput['edges'][number];

const mark = testNode('mark', ({ nodeId }) => ({ update: { visits: [nodeId] } }), { writes: ['visits'] });
const bad = testNode('bad', () => {
  throw new AppError('request.invalid', 'No.');
});

interface Way {
  readonly from: number;
  readonly to: number;
  readonly taken: boolean;
}

/** A graph without loops whose choices are known: constant conditions, nodes that always or never fail. */
interface Drawn {
  readonly size: number;
  readonly edges: readonly Edge[];
  readonly nodes: StoredGraphInput['nodes'];
  readonly ways: readonly Way[];
}

const name = (at: number): string => `n${at}`;

function drawn(size: number, picks: readonly number[]): Drawn {
  let at = 0;
  const pick = (most: number): number => {
    at += 1;
    return (picks[at % picks.length] ?? 0) % most;
  };
  const edges: Edge[] = [{ from: 'START', to: name(0) }];
  const nodes: StoredGraphInput['nodes'] = {};
  const ways: Way[] = [];
  for (let from = 0; from < size; from += 1) {
    nodes[name(from)] = { type: 'mark' };
    const later = (): number => from + 1 + pick(size - from - 1);
    if (from === size - 1) continue;
    const kind = pick(4);
    if (kind === 0) {
      const [one, two] = [later(), later()];
      const first = pick(2) === 0;
      edges.push({ from: name(from), when: [{ if: String(first), to: name(one) }], else: name(two) });
      ways.push({ from, to: one, taken: first || one === two }, { from, to: two, taken: !first || one === two });
    } else if (kind === 1) {
      const [plain, error] = [later(), later()];
      const fails = pick(2) === 0;
      nodes[name(from)] = { type: fails ? 'bad' : 'mark', onError: { goto: name(error) } };
      edges.push({ from: name(from), to: name(plain) });
      ways.push(
        { from, to: plain, taken: !fails || plain === error },
        { from, to: error, taken: fails || plain === error },
      );
    } else {
      for (const to of new Set([later(), later(), later()].slice(0, 1 + pick(3)))) {
        edges.push({ from: name(from), to: name(to) });
        ways.push({ from, to, taken: true });
      }
    }
  }
  // Every node has a way that may lead to it: others the checker refuses.
  for (let to = 1; to < size; to += 1) {
    if (ways.some((way) => way.to === to)) continue;
    edges.push({ from: name(to - 1), to: name(to) });
    ways.push({ from: to - 1, to, taken: nodes[name(to - 1)]?.type === 'mark' });
  }
  return { size, edges, nodes, ways };
}

/** Nodes that a run reaches, found without the engine: by walking along the edges that are taken. */
function expected({ ways }: Drawn): Set<number> {
  const come = new Set([0]);
  for (const at of come) for (const { from, to, taken } of ways) if (from === at && taken) come.add(to);
  return come;
}

const graphs = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }))
  .map(([size, picks]) => drawn(size, picks));

describe('Any graph without loops', () => {
  test('runs every node it comes to once, after every node that led there, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (one) => {
        const { nodes, edges, ways } = one;
        const outputs = { visits: 'visits' };
        const graph = StoredGraph.parse({ schemaVersion: 1, name: 'T', state: visits, nodes, edges, outputs });
        const run = await runGraph(graph, { definitions: [mark, bad] });
        const seen = run.outputs['visits'] as string[];
        const come = expected(one);
        const marked = [...come].filter((at) => nodes[name(at)]?.type === 'mark').map(name);
        expect(seen.toSorted()).toEqual(marked.toSorted());
        const place = new Map(seen.map((node, at) => [node, at]));
        for (const { from, to, taken } of ways) {
          const [before, after] = [place.get(name(from)), place.get(name(to))];
          if (taken && before !== undefined && after !== undefined) expect(before).toBeLessThan(after);
        }
      }),
      { numRuns: 150, seed: 4 },
    );
  });

  test('that is drawn again with its loop closed goes through it as often as it says', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.integer({ min: 1, max: 3 }), async (one, rounds) => {
        const last = name(one.size - 1);
        const nodes = { ...one.nodes, [last]: { type: 'mark' }, first: { type: 'count' }, end: { type: 'mark' } };
        const edges: Edge[] = [
          ...one.edges.slice(1),
          { from: 'START', to: 'first' },
          { from: 'first', to: name(0) },
          { from: 'first', to: last },
          { from: last, when: [{ if: `turns < ${rounds}`, to: 'first' }], else: 'end' },
        ];
        const count = testNode('count', () => ({ update: { turns: 1 } }), { writes: ['turns'] });
        const state = { ...visits, turns: { reducer: 'sum' } } as const;
        const limits = { maxSteps: 200 };
        const outputs = { visits: 'visits', turns: 'turns' };
        const graph = StoredGraph.parse({ schemaVersion: 1, name: 'T', state, nodes, edges, outputs, limits });
        const run = await runGraph(graph, { definitions: [mark, bad, count] });
        expect(run.outputs['turns']).toBe(rounds);
        const seen = run.outputs['visits'] as string[];
        expect(seen.filter((node) => node === last)).toHaveLength(rounds);
        expect(seen.filter((node) => node === 'end')).toHaveLength(1);
        expect(seen.at(-1)).toBe('end');
        for (const at of expected(one)) {
          if (nodes[name(at)]?.type === 'mark' && at !== one.size - 1)
            expect(seen.filter((node) => node === name(at))).toHaveLength(rounds);
        }
      }),
      { numRuns: 100, seed: 5 },
    );
  });
});
