import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource } from './source.ts';

/** A request, and the files that a reader opens to follow it, in order. */
interface Walk {
  readonly request: string;
  readonly atMost: number;
  readonly files: readonly string[];
}

/** Mark of a file that the composition root, a table such as `tools/index.ts` or an event hands on: no earlier file imports it. */
const wired = 'wired ';

/**
 * A file counts if it has code of this step that a reader must open to follow the request. Not counted are guards that every request passes
 * (authentication, rates), leaf stores and adapters, types, errors, ids, tracing, and the composition root.
 */
const walks: readonly Walk[] = [
  {
    request: 'an upload, from its acknowledgment to the first node',
    atMost: 22,
    files: [
      'http/routes/service.ts',
      'http/bind.ts',
      'tools/call.ts',
      `${wired}tools/uploads/acknowledge-upload.ts`,
      'tools/idempotent.ts',
      `${wired}app/agents/uploads/accept-uploads.ts`,
      'app/agents/uploads/requested-executions.ts',
      'src/domain/runs/new-runs.ts',
      'src/stores/executions.ts',
      'src/stores/runs/upload-relay.ts',
      `${wired}src/stores/event-log.ts`,
      `${wired}app/agents/worker.ts`,
      'app/agents/claims/run-claims.ts',
      'src/stores/run-queue.ts',
      'app/agents/perform-run.ts',
      `${wired}graphs/run/compile.ts`,
      'graphs/run/plan-node.ts',
      'graphs/run/execute.ts',
      'graphs/run/run-node.ts',
      'graphs/run/node-visit.ts',
      'graphs/run/prepare-node.ts',
      `${wired}graphs/nodes/load-image.ts`,
    ],
  },
  {
    request: 'an edit by update_workflow over MCP',
    atMost: 20,
    files: [
      'http/mcp/endpoint.ts',
      'http/mcp/transport.ts',
      'mcp/server/server-factory.ts',
      'mcp/tool-registry.ts',
      `${wired}mcp/use-case.ts`,
      'mcp/lenient-input.ts',
      'tools/call.ts',
      `${wired}tools/workflows/update-workflow.ts`,
      'tools/workflows/require-workflow.ts',
      'graphs/edit/apply.ts',
      'graphs/edit/node-operations.ts',
      'tools/workflows/check-workflow.ts',
      'graphs/compute/check-in-thread.ts',
      `${wired}graphs/compute/thread.ts`,
      'graphs/compute/check-sent.ts',
      'graphs/check.ts',
      'tools/workflows/save-draft.ts',
      'graphs/edit/diff.ts',
      'mcp/present/present.ts',
      'mcp/present/next-call.ts',
    ],
  },
  {
    request: 'a question in the chat, to its cited sources, without a model',
    atMost: 20,
    files: [
      'http/chat/mount-chat.ts',
      'http/chat/request.ts',
      'http/chat/answer-registry.ts',
      'http/chat/live-answer.ts',
      'http/chat/stream-writer.ts',
      'http/chat/wire.ts',
      'tools/call.ts',
      `${wired}tools/chat/answer-chat.ts`,
      'tools/chat/conversation.ts',
      'src/domain/chat/read-question.ts',
      'tools/chat/find-sources.ts',
      `${wired}src/stores/search/search-index.ts`,
      'src/stores/search/hybrid-search.ts',
      'src/domain/search/read-query.ts',
      'src/domain/search/fuse.ts',
      'src/domain/chat/passages.ts',
      'src/domain/chat/choose-sources.ts',
      'src/domain/chat/rank-passages.ts',
      'tools/chat/make-answer.ts',
      'src/domain/chat/extract-answer.ts',
    ],
  },
];

const root = resolve(import.meta.dirname, '../..');
const pathOf = (step: string): string => step.replace(wired, '');

/** Files that a file imports, as values or as types, from the root of the repository. */
function importedBy(path: string): string[] {
  const { imports } = readSource(path, readFileSync(join(root, path), 'utf8'));
  return imports.map(({ specifier }) => specifier.replace(/^#/, ''));
}

/** Steps that are not marked as wired and that no earlier file of the walk imports. The first one is where the request arrives. */
function unreachable(steps: readonly string[]): string[] {
  const reached = new Set([steps[0]]);
  return steps.filter((step) => {
    const isLost = !step.startsWith(wired) && !reached.has(step);
    for (const next of importedBy(pathOf(step))) reached.add(next);
    return isLost;
  });
}

describe.each(walks)('The walk of $request', ({ files, atMost }) => {
  test('names each file once, and every file exists', () => {
    const paths = files.map(pathOf);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('goes from file to file by imports, but where a file is wired', () => {
    expect(unreachable(files)).toEqual([]);
  });

  test('marks no file as wired that an earlier one imports', () => {
    const marked = files.filter((step) => step.startsWith(wired));
    const before = (step: string): string[] => files.slice(0, files.indexOf(step)).map(pathOf).flatMap(importedBy);
    expect(marked.filter((step) => before(step).includes(pathOf(step)))).toEqual([]);
  });

  test('is no longer than its bound', () => {
    expect(files.length).toBeLessThanOrEqual(atMost);
  });
});

test('the guard reports a step that nothing leads to', () => {
  expect(unreachable(['tools/call.ts', 'graphs/check.ts'])).toEqual(['graphs/check.ts']);
});
