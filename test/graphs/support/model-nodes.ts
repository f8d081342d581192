import { expect } from 'vitest';
import type { z } from 'zod';
import { collectionsOf } from '#src/stores/collections.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createResultStore } from '#src/stores/results.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createChat } from '#src/adapters/models/create-models.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { AppError } from '#src/domain/app-error.ts';
import { Computing } from '#graphs/compute/computing.ts';
import type { NodeDefinition, NodeResult } from '#graphs/define.ts';
import type { NodeDeps, RunFacts } from '#graphs/node-deps.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { expectDeclared } from '#test/graphs/support/declared.ts';
import { temporaryDatabase } from '#test/graphs/support/embedded-database.ts';
import { startOpenAiServer, type Behaviour, type OpenAiServer } from '#test/support/servers/openai-server.ts';

export const apiKey = 'sk-test-9f8e7d6c5b4a';
export const run: RunFacts = {
  runId: 'run_test',
  executionId: 'exec_test',
  organizationId: 'org_a',
  projectId: 'prj_a',
  documentId: 'doc_a',
};

/** A real store for results and search, with chat over a local server by script, or without a model. */
export async function modelBench() {
  const database = await temporaryDatabase();
  await migrate(database.db);
  const collections = collectionsOf(database.db);
  const models = createLocalModels();
  const results = createResultStore(database.client, collections);
  const search = createSearchIndex(collections, { mode: 'lexical', embedder: models.text });
  let rows = 0;

  return {
    collections,
    results,
    search,
    models,
    close: () => database.close(),
    /** Stores recognized pages; what the `ocr` channel then holds. */
    async ocr(...pages: readonly OcrPage[]) {
      const origin = { ...run, nodeId: `ocr_${(rows += 1)}` };
      const { ocrResultId, text, modelLabel } = await results.saveOcr(origin, {
        modelLabel: 'test/1 eng',
        text: pages.map((page) => page.text).join('\f'),
        avgConfidence: 90,
        result: { engine: 'test/1', language: 'eng', pages },
      });
      return { ocr: { ocrResultId, characters: text.length, avgConfidence: 90, modelLabel } };
    },
    /** Everything the model nodes use; more parts as given. */
    async deps(chat: readonly Behaviour[] | null, more: Partial<NodeDeps> = {}) {
      const server = await startOpenAiServer({ chat: chat ?? [] });
      const openai = {
        apiKey,
        baseUrl: server.baseUrl,
        visionModel: 'eye-1',
        chatModel: 'talk-1',
        embeddingModel: 'x',
        timeoutMs: 30_000,
        maxRetries: 2,
        retryDelayMs: 1,
      };
      const deps = {
        results,
        search,
        models,
        chat: createChat(chat === null ? {} : { openai }),
        readDocument: async () => null,
        ...more,
      } as Partial<NodeDeps> as NodeDeps;
      return { deps, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  };
}
export type ModelBench = Awaited<ReturnType<typeof modelBench>>;

interface Asked<Schema extends z.ZodObject> {
  readonly deps: NodeDeps;
  readonly config: z.input<Schema>;
  readonly state?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** One attempt of a node, its config read as the engine reads it; `update` holds no more than the node declares. */
export async function attempt<Schema extends z.ZodObject>(
  definition: NodeDefinition<Schema>,
  { deps, config, state = {}, signal = new AbortController().signal }: Asked<Schema>,
): Promise<NodeResult> {
  const params = definition.params.parse(config);
  const runWorkflow = (): Promise<never> => Promise.reject(new Error('no node here runs a workflow'));
  const computing = new Computing().forRun(run.organizationId).forVisit('step');
  const openThread = (): never => expect.unreachable('no node here has a thread');
  const facts = { deps, run, path: 'step', nodeId: 'step', state, params, secrets: [], signal, computing };
  const call = { ...facts, runWorkflow, openThread };
  const result = await definition.run(call);
  const writes = [...definition.writes, ...(definition.channels?.(config).writes ?? [])];
  expect(writes).toEqual(expect.arrayContaining(Object.keys(result.update)));
  expectDeclared(definition, config, result.update);
  return result;
}

export async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

/** The messages of a request, joined by role. */
export function said(server: OpenAiServer, index: number): { system: string; user: string; all: any[] } {
  const messages: any[] = server.seen[index]?.body.messages ?? [];
  const of = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map((message) => String(message.content))
      .join('\n');
  return { system: of('system'), user: of('user'), all: messages };
}
