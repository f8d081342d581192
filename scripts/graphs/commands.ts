import { writeFile } from 'node:fs/promises';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { toSource } from '#graphs/build/source.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { drawMermaid } from '#graphs/draw/mermaid.ts';
import { drawSvg } from '#graphs/draw/svg.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { load, loadGraph } from '#scripts/graphs/load.ts';
import type { Store } from '#scripts/graphs/store.ts';

/** Arguments of a command; refs are files and ids. */
export interface Request {
  readonly refs: readonly string[];
  readonly format: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

export const say = (text: string): void => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);

async function write(text: string, out: string | undefined): Promise<void> {
  if (out === undefined) return say(text);
  await writeFile(out, text).catch((error: unknown) => {
    throw new UsageError(`Cannot write ${out} of --out: ${error instanceof Error ? error.message : String(error)}`);
  });
  return say(`Written: ${out}`);
}

/** All issues of all graphs; the process ends with 1 when one of them has an error. */
export async function check({ refs, json }: Request, store: Store | null): Promise<void> {
  const names = refs.length > 0 ? refs : codeWorkflows.map(({ id }) => id);
  const checked = [];
  for (const ref of names) {
    const { name, raw } = await load(ref, store);
    const { valid, issues, stats } = checkGraph(raw, catalog);
    if (!valid) process.exitCode = 1;
    checked.push({ name, valid, issues, stats });
  }
  if (json) return say(JSON.stringify(checked));
  for (const { name, valid, issues, stats } of checked) {
    say(`${valid ? 'ok    ' : 'broken'}  ${name}  ${stats.nodes} nodes, ${stats.edges} edges`);
    sayIssues(issues);
  }
}

type Issue = Readonly<Record<'severity' | 'code' | 'path' | 'message' | 'hint', string>>;
export function sayIssues(issues: readonly Issue[]): void {
  for (const { severity, code, path, message, hint } of issues)
    say(`  ${severity} ${code} ${path}: ${message} ${hint}`);
}

export async function list({ json }: Request, store: Store): Promise<void> {
  const stored = (await store.list()).map(({ _id: id, source, name, publishedVersion }) => ({
    id,
    source: source === 'code' ? 'follows code' : 'stored',
    name,
    publishedVersion,
  }));
  const code = codeWorkflows.map(({ id, graph }) => ({ id, source: 'code', name: graph.name, publishedVersion: null }));
  const rows = [...code, ...stored];
  if (json) return say(JSON.stringify(rows));
  for (const { id, source, name, publishedVersion } of rows)
    say(`${id}  ${source}${publishedVersion === null ? '' : `  version ${publishedVersion}`}  ${name}`);
}

export async function exportGraph(
  { refs: [ref = ''], format = 'ts', out }: Request,
  store: Store | null,
): Promise<void> {
  const { id, graph } = await loadGraph(ref, store);
  if (format === 'json') return write(`${JSON.stringify(graph, null, 2)}\n`, out);
  return write(toSource(graph, id ?? idFrom(graph.name), catalog), out);
}

/** A stored workflow becomes another one in code, so it is called by its name. */
function idFrom(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['workflow'];
  return `wf_${words.join('_').slice(0, 60)}`;
}

export async function diff({ refs: [from = '', to = ''], json }: Request, store: Store | null): Promise<void> {
  const operations = diffGraphs((await loadGraph(from, store)).graph, (await loadGraph(to, store)).graph);
  if (json) return say(JSON.stringify(operations));
  if (operations.length === 0) return say('No difference.');
  for (const operation of operations) say(inWords(operation));
}

function inWords({ op, ...rest }: Operation): string {
  return `${op} ${JSON.stringify(rest)}`;
}

export async function draw({ refs: [ref = ''], format = 'mermaid', out }: Request, store: Store | null): Promise<void> {
  const { graph } = await loadGraph(ref, store);
  await write(format === 'svg' ? await drawSvg(graph) : drawMermaid(graph), out);
}
