import { describe, expect, test } from 'vitest';
import { checkGraph, type GraphCheck } from '#graphs/check.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { broken, defectCatalog, defectContext, goodGraphs, type Loose } from '#test/graphs/check/defects.ts';
import { allDefects as defects } from '#test/graphs/check/lacks.ts';
import { langGraphRefuses } from '#test/graphs/check/langgraph.ts';
import { largest } from '#test/graphs/check/largest.ts';
import { Operation } from '#src/contracts/resources/operation.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const check = (graph: unknown): GraphCheck => checkGraph(graph, defectCatalog, defectContext);
const named = ({ issues }: GraphCheck): string[] => issues.map(({ code, path }) => `${code} ${path}`);

describe('The checker', () => {
  test.each(Object.entries(goodGraphs))('finds nothing in the good graph %s', (_, graph) => {
    expect(check(graph).issues).toEqual([]);
  });

  test('has a table of at least 40 defects', () => {
    expect(defects.length).toBeGreaterThanOrEqual(40);
  });

  test.each(defects)('finds: $name', (defect) => {
    const { issue, fixed } = defect;
    const found = check(broken(defect));
    expect(named(found)).toContain(issue);
    const first = found.issues.find(({ code, path }) => `${code} ${path}` === issue);
    expect(first?.message).toMatch(/^\S.*[.?]$/);
    expect(first?.hint).toMatch(/^\S.*[.?]$/);
    expect(first?.fix !== undefined, `fix ${JSON.stringify(first?.fix)}`).toBe(fixed);
  });

  test('takes the language auto, which needs no data of its own', () => {
    const missing = defects.find(({ issue }) => issue.startsWith('LANGUAGE_MISSING'));
    const graph =
      missing === undefined
        ? {}
        : broken({ ...missing, breaks: (g) => (g.nodes.recognize.config = { language: 'auto' }) });
    expect(check(graph).issues).toEqual([]);
  });

  test.each(defects.filter(({ fixed }) => fixed))('mends: $name', (defect) => {
    const { issue } = defect;
    const graph = broken(defect);
    const before = check(graph);
    const fix = before.issues.find(({ code, path }) => `${code} ${path}` === issue)?.fix ?? [];
    const operations = fix.map((operation) => Operation.parse(operation));
    const after = check(applyOperations(before.graph ?? withDefaults(graph), operations).graph);
    const known = new Set(named(before));
    expect(named(after)).not.toContain(issue);
    expect(named(after).filter((one) => !known.has(one))).toEqual([]);
  });

  test('finds what compile() of LangGraph lets through', () => {
    const answers = defects.map((defect) => langGraphRefuses(broken(defect), defect.issue.split(' ')[0] ?? ''));
    const count = (answer: boolean | null): number => answers.filter((one) => one === answer).length;
    expect({ refused: count(true), compiles: count(false), unknown: count(null) }).toEqual({
      refused: 12,
      compiles: 18,
      unknown: 53,
    });
  });

  test.each(Object.entries(goodGraphs))('and LangGraph take the good graph %s', (_, graph) => {
    expect(langGraphRefuses(graph, 'NO_ENTRY')).toBe(false);
  });

  test.each(Object.entries(largest))('answers a graph at its limits at once: %s', (_, graph) => {
    checkGraph(graph, defectCatalog);
    const computed = cpuClock();
    checkGraph(graph, defectCatalog);
    expect(computed()).toBeLessThan(2_000);
  });
});

/** Issues that the editor adds for a graph whose shape is not right yet. */
function withDefaults(graph: Loose): Loose {
  return { description: '', state: {}, outputs: {}, limits: {}, ...graph };
}
