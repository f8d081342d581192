import type { Goal, Line } from '#scripts/bench/row.ts';
import { ratioOf, verdictOf } from '#scripts/bench/verdict.ts';

const heads = ['row', 'what', 'unit', 'ours', 'p95', 'CPU ms', 'peer', 'median', 'CPU ms', 'ratio', 'goal', 'result'];

/** Three digits that count, and no more than a reader needs. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

function goalText(goal: Goal | undefined, unit: string): string {
  if (goal === undefined) return '';
  const mark = goal.of === 'ratio' ? 'x' : ` ${unit}`;
  const parts = [
    ...(goal.atLeast === undefined ? [] : [`>= ${short(goal.atLeast)}${mark}`]),
    ...(goal.atMost === undefined ? [] : [`<= ${short(goal.atMost)}${mark}`]),
  ];
  return parts.join(', ');
}

function cells(line: Line): string[] {
  const { id, what, unit, ours, cpuMs, peer, goal } = line;
  return [
    id,
    what,
    unit,
    short(ours?.median),
    short(ours?.p95),
    short(cpuMs),
    peer?.name ?? '',
    short(peer?.figure.median),
    short(peer?.cpuMs),
    short(ratioOf(line)),
    goalText(goal, unit),
    verdictOf(line),
  ];
}

/** Lines of a Markdown table with aligned columns. The first row is its head. */
export function columnsOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...body] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body];
}

/** A Markdown table of the lines, and the notes below it. */
export function table(lines: readonly Line[]): string {
  const rows = [heads, ...lines.map(cells)];
  const notes = lines.flatMap(({ id, what, note }) => (note === undefined ? [] : [`  ${id} ${what}: ${note}`]));
  return [...columnsOf(rows), ...(notes.length === 0 ? [] : ['', ...notes]), ''].join('\n');
}
