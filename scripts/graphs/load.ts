import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { Code } from '#graphs/code/code.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import type { Store } from '#scripts/graphs/store.ts';

/** A graph that was asked for; `raw` may be no graph at all. */
export interface Loaded {
  readonly name: string;
  /** Workflow id, if the graph has one. */
  readonly id: string | null;
  readonly raw: unknown;
}

/** Places of graphs besides files: code, with that of WORKFLOWS_DIR, and the store, if a command needs it. */
export interface Sources {
  readonly code: Code;
  readonly store: Store | null;
}

const isFile = (ref: string): boolean => /[./\\]/.test(ref);
const codeWorkflow = (ref: string, code: readonly CodeWorkflow[]): CodeWorkflow | undefined =>
  code.find(({ id }) => id === ref);

/** True if any of these is in the store rather than in a file or in code. Throws UsageError for anything else. */
export function needStore(refs: readonly string[], code: readonly CodeWorkflow[]): boolean {
  const stored = refs.filter((ref) => !isFile(ref) && !codeWorkflow(ref, code));
  const odd = stored.find((ref) => !ref.startsWith('wf_'));
  if (odd === undefined) return stored.length > 0;
  const known = code.map(({ id }) => id).join(', ');
  throw new UsageError(
    `"${odd}" is not a graph. Use a file (.json, .workflow.ts), a workflow in code (${known}) or an id (wf_...).`,
  );
}

/** A file, a workflow in code, or one in the store: its draft, else what is published; `wf_...@3` is version 3. */
export async function load(ref: string, { code, store }: Sources): Promise<Loaded> {
  if (isFile(ref)) return ref.endsWith('.ts') ? loadModule(ref) : loadJson(ref);
  const workflow = codeWorkflow(ref, code.workflows);
  if (workflow) return { name: ref, id: ref, raw: workflow.graph };
  if (!store) throw new UsageError(`"${ref}" is neither a file nor a workflow in code. Check its spelling.`);
  return { name: ref, id: null, raw: await store.graph(ref) };
}

/** As `load`, and of the shape of a graph: what needs one says so in words. */
export async function loadGraph(ref: string, sources: Sources): Promise<{ id: string | null; graph: StoredGraph }> {
  const { id, raw } = await load(ref, sources);
  const parsed = StoredGraph.safeParse(raw);
  if (parsed.success) return { id, graph: parsed.data };
  throw new UsageError(`${ref} is not a valid graph. List its errors with: npm run graphs -- check ${ref}`);
}

async function loadJson(path: string): Promise<Loaded> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read ${path}: ${reason(error)}`);
  });
  try {
    return { name: path, id: null, raw: JSON.parse(text) };
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${reason(error)}`);
  }
}

async function loadModule(path: string): Promise<Loaded> {
  const module = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new UsageError(`Cannot load ${path}: ${reason(error)}`);
  })) as Record<string, unknown>;
  const workflows = Object.values(module).filter(isCodeWorkflow);
  const [workflow] = workflows;
  if (workflow && workflows.length === 1) return { name: path, id: workflow.id, raw: workflow.graph };
  throw new UsageError(`${path} exports ${workflows.length} workflows. Export exactly one, made by defineWorkflow.`);
}

function isCodeWorkflow(value: unknown): value is CodeWorkflow {
  return typeof value === 'object' && value !== null && 'graphHash' in value && 'graph' in value && 'id' in value;
}

function reason(error: unknown): string {
  return error instanceof Error || error instanceof AppError ? error.message : String(error);
}
