import { createHash } from 'node:crypto';
import { createClient, items, pages, Problem, verifyWebhook, WebhookError, type Client } from 'inkgraph/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { serviceRecords } from '#src/contracts/dashboard/records.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { service } from '#src/contracts/service.ts';
import { webhookHeaders, webhookSecret } from '#src/domain/webhooks/sign.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop } from '#test/graphs/support/graph-fixtures.ts';
import { smallPictures } from '#test/scripts/inkgraph/small-pictures.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

let app: TestApp;
let client: Client;
let workflowId: string;
let pictures: Uint8Array<ArrayBuffer>[];
beforeAll(async () => {
  [app, pictures] = await Promise.all([
    startTestApp({
      env: { SERVICES: 'api,agents', RATE_LIMIT_PER_SECOND: '100000' },
      overrides: { catalog: catalogOf([noop]) },
    }),
    smallPictures(6),
  ]);
  workflowId = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
  client = createClient({ baseUrl: `${app.addresses.api}/`, apiKey: app.seed.serviceKey });
});
afterAll(() => app[Symbol.asyncDispose]());

const png = { contentType: 'image/png' };
const picture = (at: number): Uint8Array<ArrayBuffer> => pictures[at] ?? new Uint8Array(0);
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The network as it is, but for what `change` does with a response. */
const network = (change: (url: string, response: Response, options?: RequestInit) => Response): typeof fetch =>
  (async (url: string, options?: RequestInit) => change(url, await fetch(url, options), options)) as typeof fetch;

/** The connection breaks after some bytes of a body. */
function broken(response: Response, bytes: number): Response {
  let left = bytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (left > chunk.length) controller.enqueue(chunk);
      else controller.error(new TypeError('terminated'));
      left -= chunk.length;
    },
  });
  return new Response(response.body?.pipeThrough(cut), response);
}

verifies('client.rows', async () => {
  const families = { ingestion, service, results: serviceResults, records: serviceRecords };
  for (const [family, rows] of Object.entries(families))
    expect(Object.keys(client[family as keyof typeof families])).toEqual(Object.keys(rows));
  const missing = await client.service.getDocument({ id: 'doc_none' }).catch((error: unknown) => error);
  expect(missing).toMatchObject({
    name: 'Problem',
    status: 404,
    code: 'document.not_found',
    requestId: expect.any(String),
  });
  const wrong = client.service.execute({ workflowId, documentIds: [] });
  await expect(wrong).rejects.toThrow(/documentIds/);
  const { url } = await startOutside(() => undefined).then(async (server) => {
    await server[Symbol.asyncDispose]();
    return server;
  });
  const nobody = createClient({ baseUrl: url, apiKey: 'ink_svc_x', retries: 1 });
  await expect(nobody.service.listWorkflows()).rejects.toThrow(`${url} cannot be reached (ECONNREFUSED).`);
  await expect(client.service.getRun({ id: '..' })).rejects.toThrow(TypeError);
  const csv = await client.results.exportDocuments({ format: 'csv' });
  expect(await csv.text()).toMatch(/^documentId,|^id,/);
  expect((await client.raw('service', 'listDocuments', { limit: 1 })).headers.get('etag')).not.toBeNull();
});

verifies('client.upload', async () => {
  const sent: number[] = [];
  const file = new File([picture(0)], 'first.png', { type: 'image/png' });
  const first = await client.upload(file, { onProgress: (bytes) => sent.push(bytes) });
  expect(first).toMatchObject({ isNew: true, document: { filename: 'first.png', sha256: digest(picture(0)) } });
  expect(sent.at(-1)).toBe(file.size);
  const again = await client.upload(file, { dedupe: true });
  expect(again).toMatchObject({ isNew: false, document: { id: first.document.id } });
  // The bytes are stored, and the response is lost: the store refuses the second PUT, and ack finds the bytes.
  let puts = 0;
  const lossy = createClient({
    baseUrl: app.addresses.api,
    apiKey: app.seed.serviceKey,
    fetch: network((_, response, options) => {
      if (options?.method !== 'PUT') return response;
      puts += 1;
      if (puts === 1) throw new TypeError('fetch failed');
      return response;
    }),
  });
  let objectKey = '';
  const second = await lossy.upload(picture(1), { ...png, onStored: (key) => void (objectKey = key) });
  expect({ puts, isNew: second.isNew }).toEqual({ puts: 2, isNew: true });
  expect(await client.acknowledge(objectKey)).toMatchObject({ document: { id: second.document.id } });
  const scanner = createClient({ baseUrl: app.addresses.api, apiKey: app.seed.workflowKey });
  const { document, execution } = await scanner.upload(picture(2), png);
  expect(execution).toMatchObject({ status: 'queued' });
  expect(await scanner.ingestion.upload({ id: document.id })).toMatchObject({ documentId: document.id });
  await expect(scanner.upload(picture(2), { ...png, dedupe: true })).rejects.toThrow('service key');
  await expect(client.upload(picture(3))).rejects.toThrow('contentType');
});

verifies('lists.documents.digests', async () => {
  const wanted = [picture(0), picture(1)].map(digest);
  const { documents, total } = await client.service.listDocuments({ sha256: [...wanted, '0'.repeat(64)], total: true });
  expect(new Set(documents.map(({ sha256 }) => sha256))).toEqual(new Set(wanted));
  expect(total).toEqual({ value: 2, relation: 'eq' });
  await expect(client.service.listDocuments({ sha256: 'ABC' })).rejects.toThrow(/sha256.*64 hexadecimal/);
});

verifies('client.follow', async () => {
  const documentIds: string[] = [];
  for (const at of [3, 4, 5]) documentIds.push((await client.upload(picture(at), png)).document.id);
  const listed: string[] = [];
  for await (const { id } of items(client.service.listDocuments, 'documents', { limit: 2 })) listed.push(id);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(expect.arrayContaining(documentIds));
  for await (const page of pages(client.service.listDocuments, { limit: 2 })) {
    expect(page.documents).toHaveLength(2);
    break;
  }
  const started = await client.service.execute({ workflowId, documentIds });
  const states: string[] = [];
  const ended: Execution = await client.wait(started, { onChange: ({ status }) => void states.push(status) });
  expect(ended).toMatchObject({ status: 'succeeded', counts: { succeeded: 3 } });
  expect(states.at(-1)).toBe('succeeded');
  const whole: string[] = [];
  for await (const { id } of client.service.executionEvents({ id: started.id })) whole.push(id);
  let streams = 0;
  const flaky = createClient({
    baseUrl: app.addresses.api,
    apiKey: app.seed.serviceKey,
    fetch: network((url, response) => {
      if (!url.endsWith('/events')) return response;
      streams += 1;
      return streams === 1 ? broken(response, 900) : response;
    }),
  });
  const seen: { id: string; type: string }[] = [];
  for await (const { id, data } of flaky.service.executionEvents({ id: started.id }))
    seen.push({ id, type: data.type });
  expect(streams).toBe(2);
  expect(seen.at(-1)?.type).toBe('execution.completed');
  expect(seen.map(({ id }) => id)).toEqual(whole);
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await expect(client.wait(started, { signal: stop.signal })).rejects.toThrow('enough');
});

describe('verifyWebhook', () => {
  const secrets = ['a', 'b'].map((name) => webhookSecret(Buffer.from(name.repeat(32)), 'prj_1'));
  const [before = '', after = ''] = secrets;
  const payload = '{"type":"execution.completed","timestamp":"2026-01-31T12:00:00.000Z","data":{"status":"succeeded"}}';
  const at = new Date('2026-01-31T12:00:00.000Z');
  const headers = webhookHeaders(secrets, { id: 'msg_1', at, payload });

  verifies('client.webhooks', async () => {
    for (const [bag, secret] of [
      [headers, before],
      [new Headers(headers), after],
      [{ ...headers, 'Webhook-Id': 'msg_1' }, after],
    ] as const)
      expect(await verifyWebhook(bag, payload, secret, { now: at })).toMatchObject({ data: { status: 'succeeded' } });
    expect(await verifyWebhook(headers, Buffer.from(payload), before, { now: at })).toMatchObject({
      type: 'execution.completed',
    });
    const old = new Date(at.getTime() + 301_000);
    const refused: [Record<string, string>, string, string, Date][] = [
      [headers, payload.replace('succeeded', 'failed'), before, at],
      [headers, payload, webhookSecret(Buffer.from('c'.repeat(32)), 'prj_1'), at],
      [headers, payload, before, old],
      [{ ...headers, 'webhook-timestamp': 'soon' }, payload, before, at],
      [{ 'webhook-id': 'msg_1' }, payload, before, at],
      [headers, payload, 'whsec_%%%', at],
    ];
    for (const [bag, body, secret, now] of refused)
      await expect(verifyWebhook(bag, body, secret, { now })).rejects.toThrow(WebhookError);
  });
});

test('replies are of the types of the contracts', () => {
  // Compiles only while both agree.
  const same = (execution: Awaited<ReturnType<Client['wait']>>): z.output<typeof service.execute.reply> => execution;
  expect(same).toBeTypeOf('function');
  expect(new Problem(500, {}).message).toBe('The server responded with 500.');
});
