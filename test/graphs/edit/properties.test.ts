import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import { anyGraph, anyOperation } from '#test/graphs/edit/arbitraries.ts';

const anyOperations = fc.array(anyOperation, { minLength: 1, maxLength: 12 });

/** The operations of the list that can be applied, one after the other, and what they lead to. */
function applicable(graph: StoredGraph, operations: readonly Operation[]): { done: Operation[]; graph: StoredGraph } {
  const done: Operation[] = [];
  let now = graph;
  for (const operation of operations) {
    try {
      now = applyOperations(now, [operation]).graph;
      done.push(operation);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect(error.code).toBe('workflow.operation_refused');
      expect(error.errors[0]?.pointer).toMatch(/^\/operations\/0/);
    }
  }
  return { done, graph: now };
}

describe('the difference of two graphs', () => {
  it('replays one into the other exactly', () => {
    fc.assert(
      fc.property(anyGraph, anyGraph, (from, to) => {
        const operations = diffGraphs(from, to);
        expect(canonicalJson(applyOperations(from, operations).graph)).toBe(canonicalJson(to));
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a graph and itself is nothing', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        expect(diffGraphs(graph, structuredClone(graph))).toEqual([]);
      }),
    );
  });
});

describe('any operations', () => {
  it('are taken back by their inverse', () => {
    fc.assert(
      fc.property(anyGraph, anyOperations, (graph, operations) => {
        const { graph: changed } = applicable(graph, operations);
        const restored = applyOperations(changed, diffGraphs(changed, graph)).graph;
        expect(canonicalJson(restored)).toBe(canonicalJson(graph));
      }),
      { numRuns: 500 },
    );
  });

  it('leave a stored graph that the checker can look at, or are refused, and never touch what they were given', () => {
    fc.assert(
      fc.property(anyGraph, anyOperations, (graph, operations) => {
        const before = canonicalJson([graph, operations]);
        const { done, graph: changed } = applicable(graph, operations);
        expect(canonicalJson(StoredGraph.parse(changed))).toBe(canonicalJson(changed));
        expect(canonicalJson(applyOperations(graph, done).graph)).toBe(canonicalJson(changed));
        expect(canonicalJson([graph, operations])).toBe(before);
        expect(Array.isArray(checkGraph(changed, catalog).issues)).toBe(true);
        expect(Object.getPrototypeOf(changed.nodes)).toBe(Object.prototype);
      }),
      { numRuns: 500 },
    );
  });
});
