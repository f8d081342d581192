import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '#test/spec/support/call-tool.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { tools } from '#tools/index.ts';

let app: TestApp;
let documentId: string;
/** Words of the scan with their first letters changed: no rule for typing errors reaches them. */
const misspelt = 'eyllow itcket';

beforeAll(async () => {
  app = await startTestApp({ env: { DOCUMENT_SEARCH_MODE: 'hybrid' } });
  documentId = (await app.ingest(await fixture('note.gif'), 'image/gif')).id;
  await app.app.idle();
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

describe('DOCUMENT_SEARCH_MODE=hybrid', () => {
  test('search_documents finds neighbours of the embedding, and says how near', async () => {
    const { documents, degraded } = await callTool(app, tools.searchDocuments, { query: misspelt });
    expect(documents).toMatchObject([{ id: documentId, matchedBy: ['semantic'] }]);
    expect(documents[0]?.distance).toBeGreaterThan(0);
    expect(documents[0]?.distance).toBeLessThan(1);
    expect(degraded).toEqual([]);
    expect(documents[0]?.highlights).toMatchObject([{ field: 'ocr', spans: [] }]);
  });

  test('cards say where the words are in the stored text', async () => {
    const { documents } = await callTool(app, tools.searchDocuments, { query: 'yellow tickets' });
    const marked = documents[0]?.highlights.flatMap(({ text, spans }) =>
      spans.map(({ start, end }) => text.slice(start, end).toLowerCase()),
    );
    expect(new Set(marked)).toEqual(new Set(['yellow', 'ticket']));
  });

  test('lexical alone would not have found it', async () => {
    const { organizationId, projectId } = app.seed;
    const scope = { organizationId, projectIds: [projectId], limit: 10, mode: 'lexical' } as const;
    const { search } = app.app.deps;
    expect(await search.search({ ...scope, text: misspelt })).toEqual({ hits: [], degraded: [] });
    expect((await search.search({ ...scope, text: 'yellow ticket' })).hits).toHaveLength(1);
  });

  test('a query without an embedding says what had no part in its answer', async () => {
    expect(await callTool(app, tools.searchDocuments, { query: 'the of' })).toMatchObject({ degraded: ['semantic'] });
  });

  test('a document that is gone does not appear, though its search record is there yet', async () => {
    const { documents } = app.app.deps;
    const gone = { ...documents, findMany: async () => [] };
    const without = { ...app, app: { ...app.app, deps: { ...app.app.deps, documents: gone } } };
    const found = await callTool(without, tools.searchDocuments, { query: 'yellow ticket' });
    expect(found).toEqual({ documents: [], nextCursor: null, degraded: [] });
  });

  test('each retriever is measured by how it went', async () => {
    const told = await (await fetch(new URL('/metrics', app.addresses.agents))).text();
    expect(told).toMatch(/inkgraph_search_leg_seconds_count\{leg="semantic",outcome="found"\} [1-9]/);
    expect(told).toMatch(/inkgraph_search_leg_seconds_count\{leg="semantic",outcome="empty"\} 1/);
  });
});
