import type { Source } from '#test/architecture/source.ts';
import type { Requirement } from './requirement.ts';

/** Mismatches between the rows and the tests that claim to prove them, one sentence each. */
export function coverageViolations(
  rows: readonly Requirement[],
  tests: readonly Source[],
  exists: (path: string) => boolean,
): string[] {
  const uses = tests.flatMap(({ path, verified }) => verified.map(({ id, line }) => ({ id, at: `${path}:${line}` })));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const used = new Set(uses.map((use) => use.id));
  return [
    ...repeated(rows.map((row) => row.id)).map((id) => `${id} is the id of two rows`),
    ...repeated(rows.map((row) => row.behaviour)).map((behaviour) => `two rows say "${behaviour}"`),
    ...rows
      .filter((row) => row.status === 'proved' && !used.has(row.id))
      .map((row) => `${row.id} has no test: ${row.behaviour}`),
    ...uses.flatMap(({ id, at }) => useFault(id, at, byId)),
    ...rows.flatMap(({ id, decision }) =>
      decision === undefined || exists(decision) ? [] : [`${id} cites ${decision}, which does not exist`],
    ),
  ];
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function useFault(id: string | null, at: string, byId: ReadonlyMap<string, Requirement>): string[] {
  if (id === null) return [`${at} calls verifies with an id that is not written out`];
  const row = byId.get(id);
  if (row === undefined) return [`${at} proves ${id}, which no row has`];
  return row.status === 'deferred' ? [`${at} proves ${id}, which is deferred to ${row.deferredTo}`] : [];
}

/** One line: how many statements there are, how many of them tests prove, and where the rest is deferred to. */
export function coverageCounts(rows: readonly Requirement[], tests: readonly Source[]): string {
  const used = new Set(tests.flatMap(({ verified }) => verified.map(({ id }) => id)));
  const toProve = rows.filter((row) => row.status === 'proved');
  const deferred = new Map<string, number>();
  for (const { deferredTo } of rows) {
    if (deferredTo !== undefined) deferred.set(deferredTo, (deferred.get(deferredTo) ?? 0) + 1);
  }
  const later = [...deferred].map(([milestone, count]) => `${milestone} ${count}`).join(', ');
  const proved = toProve.filter((row) => used.has(row.id)).length;
  return `specification: ${rows.length} statements, ${proved} of ${toProve.length} proved, ${rows.length - toProve.length} deferred (${later})`;
}
