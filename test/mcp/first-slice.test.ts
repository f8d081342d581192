import type { Client } from '@modelcontextprotocol/client';
import type { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyClient, modernClient } from '#test/mcp/listener.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

let at: TestApp;
let url: URL;
let agent: Client;
let documentId: string;

interface Told {
  readonly text: string;
  readonly isError: boolean;
  readonly data: any;
}

async function use(client: Client | LegacyClient, name: string, input: Record<string, unknown> = {}): Promise<Told> {
  const result = await client.callTool({ name, arguments: input });
  const [first] = result.content as { text: string }[];
  return { text: first?.text ?? '', isError: result.isError === true, data: result.structuredContent };
}

/** Presign, PUT and acknowledge as an agent does. */
async function upload(client: Client | LegacyClient, bytes: Buffer, contentType: string): Promise<Told> {
  const presigned = await use(client, 'upload_document', { action: 'presign', contentType, size: bytes.length });
  const { uploadUrl, method, headers, objectKey } = presigned.data.upload;
  expect(presigned.text).toContain(`call upload_document with action "acknowledge" and objectKey "${objectKey}"`);
  const put = await fetch(uploadUrl, { method, headers, body: new Uint8Array(bytes) });
  expect(put.status).toBe(200);
  return use(client, 'upload_document', { action: 'acknowledge', objectKey });
}

beforeAll(async () => {
  at = await startTestApp();
  url = new URL('/mcp', at.addresses.mcp);
  agent = await modernClient(url, at.seed.serviceKey);
  const uploaded = await upload(agent, await fixture('receipt.jpg'), 'image/jpeg');
  documentId = uploaded.data.document.id;
}, 60_000);
afterAll(async () => {
  await agent.close();
  await at[Symbol.asyncDispose]();
});

describe('an agent with a service key', () => {
  it('learns where it is', async () => {
    const { data, text } = await use(agent, 'get_context');
    expect(data).toMatchObject({
      organization: { id: at.seed.organizationId },
      projects: [{ id: at.seed.projectId }],
      credential: { kind: 'service-key' },
    });
    expect(text).toContain('Hint: ');
    expect(text).not.toContain(at.seed.serviceKey);
  });

  it('runs a workflow over its upload, follows the run to its steps and reads the text', async () => {
    const listed = await use(agent, 'list_workflows');
    const ids = listed.data.workflows.map((workflow: { workflowId: string }) => workflow.workflowId);
    expect(listed.text).toContain(`workflowId "${ids[0]}"`);
    const { workflowId } = at.seed;
    expect(ids).toContain(workflowId);
    let told = await use(agent, 'run_workflow', { workflowId, documentIds: [documentId], waitSeconds: 25 });
    const executionId = told.data.id as string;
    if (told.data.finishedAt === null) {
      expect(told.text).toContain(`Call get_run with executionId "${executionId}"`);
      told = await use(agent, 'get_run', { executionId, waitSeconds: 25 });
    }
    const execution = (await use(agent, 'get_run', { executionId })).data.execution;
    expect(execution).toMatchObject({ status: 'succeeded', counts: { total: 1, succeeded: 1 } });
    const { data, text } = await use(agent, 'get_run', { runId: execution.runs[0].runId });
    expect(data.run.steps.map((step: { nodeId: string }) => step.nodeId)).toEqual(
      expect.arrayContaining(['recognize', 'index']),
    );
    expect(text).not.toContain('"outputPreview"');
    const read = await use(agent, 'read_document_text', { documentId, limit: 40 });
    expect(read.data.documentText).toHaveLength(40);
    expect(read.text).toContain(`<untrusted-document id="${documentId}">\n`);
    expect(read.text).toContain(`documentId "${documentId}" and offset 40`);
  });

  it('finds the document by its words and sees its description as untrusted text', async () => {
    await at.app.idle();
    const { data: read } = await use(agent, 'read_document_text', { documentId });
    const word = /[A-Za-z]{5,}/.exec(read.documentText as string)?.[0] ?? '';
    const found = await use(agent, 'search_documents', { query: word });
    expect(found.data.documents.map((document: { id: string }) => document.id)).toContain(documentId);
    const one = await use(agent, 'get_document', { id: documentId });
    expect(one.data.description).toBeTypeOf('string');
    const [json, ...rest] = one.text.split('\n\n');
    expect(json).not.toContain(one.data.description);
    expect(rest.join('\n\n')).toContain(one.data.description);
  });

  it('pages through all documents, oldest client and newest alike', async () => {
    const { client: older } = await legacyClient(url, at.seed.serviceKey);
    for (let index = 0; index < 3; index += 1) await at.store(tinyPng, 'image/png');
    const all = await use(agent, 'list_documents', { limit: 100 });
    expect(all.data.documents[0]).toHaveProperty('thumbnailUrl');
    expect(all.text).not.toContain('thumbnailUrl');
    for (const client of [agent, older]) {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await use(client, 'list_documents', { limit: 2, ...(cursor === null ? {} : { cursor }) });
        ids.push(...page.data.documents.map((document: { id: string }) => document.id));
        cursor = page.data.nextCursor as string | null;
        if (cursor !== null) expect(page.text).toContain(`Call list_documents with cursor "${cursor}"`);
      } while (cursor !== null);
      expect(ids).toEqual(all.data.documents.map((document: { id: string }) => document.id));
      expect(new Set(ids).size).toBeGreaterThanOrEqual(4);
    }
    await older.close();
  });

  it('uploads and runs with a client of the older generation, too', async () => {
    const { client } = await legacyClient(url, at.seed.serviceKey);
    const uploaded = await upload(client, tinyPng, 'image/png');
    const { id } = uploaded.data.document;
    const input = { workflowId: at.seed.workflowId, documentIds: [id], waitSeconds: 25, idempotencyKey: 'older-1' };
    const [first, again] = [await use(client, 'run_workflow', input), await use(client, 'run_workflow', input)];
    expect(again.data.id).toBe(first.data.id);
    const other = await use(client, 'run_workflow', { ...input, documentIds: [documentId] });
    expect(other.isError).toBe(true);
    expect(other.text).toMatch(/^idempotency\.key_reused: [\s\S]*\nHint: Call again with the input of the first call/);
    await client.close();
  });

  it('gets the way out with every mistake', async () => {
    const both = await use(agent, 'run_workflow', { workflowId: at.seed.workflowId });
    expect(both.text).toContain('- /documentIds: give exactly one of documentIds and scope');
    const workflow = await use(agent, 'run_workflow', { workflowId: 'wf_none', documentIds: [documentId] });
    expect(workflow.text).toMatch(/^workflow\.not_found: [\s\S]*\nHint: Call list_workflows/);
    const early = await use(agent, 'upload_document', { action: 'presign', contentType: 'image/png', size: 10 });
    const missing = await use(agent, 'upload_document', {
      action: 'acknowledge',
      objectKey: early.data.upload.objectKey,
    });
    expect(missing.text).toMatch(/^upload\.object_missing: [\s\S]*\nHint: PUT the raw bytes/);
    const cursor = await use(agent, 'list_documents', { cursor: 'forged' });
    expect(cursor.text).toMatch(/^request\.cursor_invalid: /);
  });
});

describe('attack 69: ids of another project', () => {
  it.each(['organization', 'project'] as const)('of another %s are not found by any tool', async (where) => {
    const neighbour = await addNeighbour(at, where);
    const stranger = await modernClient(url, neighbour.serviceKey);
    const [run] = (await use(agent, 'run_workflow', { workflowId: at.seed.workflowId, documentIds: [documentId] })).data
      .runs;
    const calls: [string, Record<string, unknown>][] = [
      ['get_document', { id: documentId }],
      ['read_document_text', { documentId }],
      ['get_run', { runId: run.runId }],
      ['run_workflow', { workflowId: at.seed.workflowId, documentIds: [documentId] }],
      ['run_workflow', { workflowId: neighbour.workflowId, documentIds: [documentId] }],
      ['set_document_visibility', { documentIds: [documentId], visibility: 'public' }],
    ];
    for (const [name, input] of calls) {
      const { isError, text } = await use(stranger, name, input);
      expect(isError).toBe(true);
      expect(text).toMatch(/^(document|run|workflow)\.not_found: /);
    }
    expect((await use(stranger, 'list_documents')).data.documents).toEqual([]);
    await stranger.close();
  });
});
