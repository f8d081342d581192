import { writeFile } from 'node:fs/promises';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { toSource } from '#graphs/build/source.ts';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { drawMermaid } from '#graphs/draw/mermaid.ts';
import { drawSvg } from '#graphs/draw/svg.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';
import type { Code } from '#graphs/code/code.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { load, loadGraph } from '#scripts/graphs/load.ts';
import type { Store } from '#scripts/graphs/store.ts';

/** Arguments of a command; refs are files and ids. */
export interface Request {
  readonly terminal: Pick<Terminal, 'out'>;
  readonly refs: readonly string[];
  readonly code: Code;
  readonly format: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

export const say = ({ terminal }: Pick<Request, 'terminal'>, text: string): void =>
  terminal.out(text.endsWith('\n') ? text : `${text}\n`);

async function write(request: Request, text: string): Promise<void> {
  const { out } = request;
  if (out === undefined) return say(request, text);
  await writeFile(out, text).catch((error: unknown) => {
    throw new UsageError(`Cannot write ${out} of --out: ${error instanceof Error ? error.message : String(error)}`);
  });
  return say(request, `Written: ${out}`);
}

/** All issues of all graphs; 1 when one of them has an error. */
export async function check(request: Request, store: Store | null): Promise<void | 1> {
  const { refs, code, json } = request;
  const names = refs.length > 0 ? refs : code.workflows.map(({ id }) => id);
  const checked = [];
  for (const ref of names) {
    const { name, raw } = await load(ref, { code, store });
    const { valid, issues, stats } = checkGraph(raw, code.catalog);
    checked.push({ name, valid, issues, stats });
  }
  if (json) say(request, JSON.stringify(checked));
  for (const { name, valid, issues, stats } of json ? [] : checked) {
    say(request, `${valid ? 'ok    ' : 'broken'}  ${name}  ${stats.nodes} nodes, ${stats.edges} edges`);
    sayIssues(request, issues);
  }
  if (checked.some(({ valid }) => !valid)) return 1;
}

type Issue = Readonly<Record<'severity' | 'code' | 'path' | 'message' | 'hint', string>>;
export function sayIssues(request: Pick<Request, 'terminal'>, issues: readonly Issue[]): void {
  for (const { severity, code, path, message, hint } of issues)
    say(request, `  ${severity} ${code} ${path}: ${message} ${hint}`);
}

export async function list(request: Request, store: Store): Promise<void> {
  const stored = (await store.list()).map(({ _id: id, source, name, publishedVersion }) => ({
    id,
    source: source === 'code' ? 'follows code' : 'stored',
    name,
    publishedVersion,
  }));
  const inCode = request.code.workflows.map(({ id, graph }) => ({
    id,
    source: 'code',
    name: graph.name,
    publishedVersion: null,
  }));
  const rows = [...inCode, ...stored];
  if (request.json) return say(request, JSON.stringify(rows));
  for (const { id, source, name, publishedVersion } of rows)
    say(request, `${id}  ${source}${publishedVersion === null ? '' : `  version ${publishedVersion}`}  ${name}`);
}

export async function exportGraph(request: Request, store: Store | null): Promise<void> {
  const {
    refs: [ref = ''],
    code,
    format = 'ts',
  } = request;
  const { id, graph } = await loadGraph(ref, { code, store });
  if (format === 'json') return write(request, `${JSON.stringify(graph, null, 2)}\n`);
  return write(request, toSource(graph, id ?? idFrom(graph.name), catalog));
}

/** A stored workflow becomes another one in code, so it is called by its name. */
function idFrom(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['workflow'];
  return `wf_${words.join('_').slice(0, 60)}`;
}

export async function diff(request: Request, store: Store | null): Promise<void> {
  const {
    refs: [from = '', to = ''],
    code,
    json,
  } = request;
  const sources = { code, store };
  const operations = diffGraphs((await loadGraph(from, sources)).graph, (await loadGraph(to, sources)).graph);
  if (json) return say(request, JSON.stringify(operations));
  if (operations.length === 0) return say(request, 'No difference.');
  for (const operation of operations) say(request, inWords(operation));
}

function inWords({ op, ...rest }: Operation): string {
  return `${op} ${JSON.stringify(rest)}`;
}

export async function draw(request: Request, store: Store | null): Promise<void> {
  const {
    refs: [ref = ''],
    code,
    format = 'mermaid',
  } = request;
  const { graph } = await loadGraph(ref, { code, store });
  await write(request, format === 'svg' ? await drawSvg(graph) : drawMermaid(graph));
}

/** Verifies the receipts of runs; 1 when one of them differs. */
export async function verify(request: Request, { runs }: Store): Promise<void | 1> {
  const checks = [];
  for (const id of request.refs) checks.push(await callTool(tools.verifyReceipt, runs, { id }));
  if (request.json) say(request, JSON.stringify(checks));
  for (const { runId, valid, steps, hash, differences, unchecked } of request.json ? [] : checks) {
    const gone = unchecked.length === 0 ? '' : `, without ${unchecked.join(' and ')}, which were deleted`;
    say(request, `${valid ? 'ok    ' : 'broken'}  ${runId}  ${steps} steps, ${hash}${gone}`);
    for (const { at, receipt, computed } of differences)
      say(request, `        ${at}: ${JSON.stringify(receipt)}, but stored is ${JSON.stringify(computed)}`);
  }
  if (checks.some(({ valid }) => !valid)) return 1;
}
