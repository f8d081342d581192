import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The used members of V8's .cpuprofile format. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface Cost {
  readonly name: string;
  selfMs: number;
  totalMs: number;
}

const outsideCpu = new Set(['(idle)', '(program)', '(root)', 'post node:inspector:115']);

function place(url: string, line: number): string {
  if (url === '') return '';
  const short = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(`${process.cwd()}/`, '');
  return ` ${short}:${line + 1}`;
}

/** Time on the CPU by function, recursion counted once. */
function costs({ nodes, samples, timeDeltas }: CpuProfile): Cost[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const self = new Map<number, number>();
  samples.forEach((id, index) => self.set(id, (self.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1_000));
  const nameOf = (id: number): string => {
    const frame = byId.get(id)?.callFrame;
    return frame === undefined ? '?' : `${frame.functionName || '(anonymous)'}${place(frame.url, frame.lineNumber)}`;
  };
  const found = new Map<string, Cost>();
  for (const [id, ms] of self) {
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const name = nameOf(at);
      const cost = found.get(name) ?? { name, selfMs: 0, totalMs: 0 };
      if (at === id) cost.selfMs += ms;
      if (!seen.has(name)) cost.totalMs += ms;
      seen.add(name);
      found.set(name, cost);
    }
  }
  return [...found.values()].filter(({ name }) => !outsideCpu.has(name));
}

function list(title: string, rows: readonly Cost[], of: (cost: Cost) => number, all: number): string[] {
  const top = rows.toSorted((a, b) => of(b) - of(a)).slice(0, 35);
  return [
    title,
    ...top.map(
      (cost) =>
        `  ${of(cost).toFixed(0).padStart(7)} ms ${((of(cost) / all) * 100).toFixed(1).padStart(5)} %  ${cost.name}`,
    ),
  ];
}

/** The functions that cost most, for each profile in the folder: alone, and with all they call. */
export async function summarizeProfiles(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).toSorted()) {
    const rows = costs(JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile);
    const all = rows.reduce((sum, cost) => sum + cost.selfMs, 0);
    parts.push(
      `## ${file}: ${all.toFixed(0)} ms on the CPU`,
      ...list('self', rows, (cost) => cost.selfMs, all),
      ...list('with callees', rows, (cost) => cost.totalMs, all),
      '',
    );
  }
  return parts.join('\n');
}
