import { describe, expect } from 'vitest';
import { z } from 'zod';
import { ingestion } from '#src/contracts/ingestion.ts';
import { buildOpenApi } from '#src/contracts/openapi.ts';
import type { Route } from '#src/contracts/route.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { service } from '#src/contracts/service.ts';
import { serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { version } from '#src/config/version.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { expectConforming } from '#test/spec/support/conforms.ts';
import { createProbe } from '#test/spec/support/probe.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { fixture, tinyPng, type Answer } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const probe = createProbe();
const app = await sharedApp({ overrides: { catalog: probe.catalog } });
const { seed } = app;
const fetched = await app.client().get('/api/openapi.json');
const description = fetched.body;
const families = [ingestion, service, serviceResults, serviceWebhooks];
const rows = families.flatMap((family) => Object.values(family) as Route[]);
const pathOf = (row: Route): string => row.path.replaceAll(/:(\w+)/g, '{$1}');

describe('openapi.json', () => {
  verifies('service.openapi', async () => {
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('content-type')).toMatch(/^application\/json/);
    const operations = Object.entries(description.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // The service API with the ingestion of workflow keys.
    expect(operations.toSorted()).toEqual([
      'DELETE /api/service/documents/{id}',
      'DELETE /api/service/webhooks/{webhookId}',
      'GET /api/service/documents',
      'GET /api/service/documents/export',
      'GET /api/service/documents/{id}',
      'GET /api/service/documents/{id}/files',
      'GET /api/service/documents/{id}/ocr',
      'GET /api/service/documents/{id}/pages/{page}',
      'GET /api/service/documents/{id}/segmentations',
      'GET /api/service/documents/{id}/similar',
      'GET /api/service/documents/{id}/text',
      'GET /api/service/record-types',
      'GET /api/service/records',
      'GET /api/service/runs',
      'GET /api/service/runs/{id}',
      'GET /api/service/runs/{id}/receipt/verify',
      'GET /api/service/search',
      'GET /api/service/webhooks',
      'GET /api/service/webhooks/{webhookId}/deliveries',
      'GET /api/service/workflow-executions',
      'GET /api/service/workflow-executions/{id}',
      'GET /api/service/workflow-executions/{id}/events',
      'GET /api/service/workflow-executions/{id}/runs',
      'GET /api/service/workflows',
      'GET /api/uploads/{id}',
      'PATCH /api/service/documents/{id}',
      'PATCH /api/service/records/{recordId}',
      'PATCH /api/service/webhooks/{webhookId}',
      'POST /api/service/ask',
      'POST /api/service/documents/visibility',
      'POST /api/service/record-types',
      'POST /api/service/runs/cancel',
      'POST /api/service/runs/retry',
      'POST /api/service/runs/{id}/resume',
      'POST /api/service/uploads/ack',
      'POST /api/service/uploads/presign',
      'POST /api/service/webhooks',
      'POST /api/service/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
      'POST /api/service/webhooks/{webhookId}/rotate',
      'POST /api/service/webhooks/{webhookId}/test',
      'POST /api/service/workflow-executions',
      'POST /api/service/workflow-executions/{id}/cancel',
      'POST /api/service/workflow-executions/{id}/replay',
      'POST /api/uploads/ack',
      'POST /api/uploads/presign',
    ]);
    expect(description.components.securitySchemes.apiKey).toEqual({ type: 'apiKey', in: 'header', name: 'x-api-key' });
    expect(description.servers).toEqual([{ url: app.addresses.api }]);
    // Every reference leads somewhere.
    const names = [...JSON.stringify(description).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of new Set(names)) expect(description.components.schemas).toHaveProperty([name ?? '']);
  });

  verifies('service.openapi.public', async () => {
    const { status, headers } = await app.client().get('/api/openapi.json');
    expect(status).toBe(200);
    const etag = headers.get('etag') ?? '';
    expect((await app.client().get('/api/openapi.json', { 'if-none-match': etag })).status).toBe(304);
    const text = JSON.stringify(description);
    for (const hidden of [seed.serviceKey, seed.organizationId, app.dataDir]) expect(text).not.toContain(hidden);
  });

  verifies('service.openapi.words', async () => {
    const declared: { name: string; description: string }[] = description.tags;
    const undescribed: string[] = [];
    const look = (schema: any, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, field] of Object.entries<any>(schema.properties ?? {}))
        if (field.description === undefined && field.$ref === undefined) undescribed.push(`${path}.${name}`);
      for (const [name, child] of Object.entries(schema)) look(child, `${path}.${name}`);
    };
    for (const [name, schema] of Object.entries(description.components.schemas)) look(schema, name);
    for (const [path, methods] of Object.entries<any>(description.paths))
      for (const [method, operation] of Object.entries<any>(methods)) {
        const at = `${method} ${path}`;
        expect(operation.summary, at).toMatch(/^[A-Z].{10,}[^.]$/);
        expect(operation.tags, at).toHaveLength(1);
        expect(declared.map(({ name }) => name)).toContain(operation.tags[0]);
        expect(operation.tags, at).not.toEqual(['Other']);
        look([operation.requestBody, operation.responses], at);
        for (const one of operation.parameters)
          if (one.description === undefined) undescribed.push(`${at} ${one.name}`);
      }
    expect(undescribed).toEqual([]);
    for (const tag of declared) expect(tag.description).not.toBe('');
  });

  verifies('service.openapi.version', async () => {
    expect(description.openapi).toMatch(/^3\.1\.\d+$/);
    expect(description.info.version).toBe(version);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    for (const path of Object.keys(description.paths)) expect(path).not.toMatch(/\/v\d/);
  });

  verifies('service.openapi.contracts', async () => {
    expect(description).toEqual(JSON.parse(JSON.stringify(buildOpenApi('service', version, app.addresses.api))));
    for (const row of rows) {
      const operation = description.paths[pathOf(row)][row.method.toLowerCase()];
      expect(operation.operationId).toBe(row.id);
      expect(Object.keys(operation.responses)).toContain(String(row.status));
      // The row's address is bound, and bound to its caller.
      const answer = await app.call(
        row.method,
        row.path.replaceAll(/:\w+/g, 'x'),
        row.body === undefined ? {} : { body: {} },
      );
      expect(answer.status, `${row.method} ${row.path}`).toBe(401);
      if (row.body === undefined) continue;
      const { $schema: _, $defs: __, ...schema } = z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' });
      const described = operation.requestBody.content['application/json'].schema;
      expect(Object.keys(described.properties)).toEqual(Object.keys(schema.properties ?? {}));
      expect(described.required).toEqual(schema.required);
    }
    const { oneOf } =
      description.paths['/api/service/workflow-executions'].post.requestBody.content['application/json'].schema;
    expect(oneOf).toEqual([{ required: ['documentIds'] }, { required: ['scope'] }]);
  });

  verifies('service.openapi.live', async () => {
    const seen = new Set<string>();
    const ask = async (key: string | undefined, method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await app.call(method, path, { key, body });
      expectConforming(description, [method, path], answer);
      seen.add(
        `${method} ${path
          .replaceAll(/(doc|exec|run)_\w{22}/g, '{id}')
          .replace(/\bwh_\w{22}/, '{webhookId}')
          .replace(/\bdlv_\w{22}/, '{deliveryId}')
          .replace(/pages\/\d+/, 'pages/{page}')
          .replace(/\?.*/, '')} ${answer.status}`,
      );
      return answer;
    };
    const { serviceKey, workflowKey, workflowId } = seed;
    const tiny = { contentType: 'image/png', size: tinyPng.length };
    const executions = '/api/service/workflow-executions';
    const documents = '/api/service/documents';

    const document = await app.ingest(await fixture('note.gif'), 'image/gif');
    await app.app.idle();
    for (const [prefix, key] of [
      ['/api/uploads', workflowKey],
      ['/api/service/uploads', serviceKey],
    ] as const) {
      const more = key === serviceKey ? { visibility: 'public' } : {};
      const { body } = await ask(key, 'POST', `${prefix}/presign`, { ...tiny, ...more });
      const ack = { objectKey: body.objectKey, ...(key === serviceKey ? { idempotencyKey: 'live' } : {}) };
      await ask(key, 'POST', `${prefix}/ack`, ack);
      await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
      await ask(key, 'POST', `${prefix}/ack`, ack);
      await ask(key, 'POST', `${prefix}/ack`, { ...ack, ...(key === serviceKey ? { idempotencyKey: 'again' } : {}) });
      await ask(key, 'POST', `${prefix}/presign`, { ...tiny, ...more, size: 1e9 });
      await ask(key, 'POST', `${prefix}/presign`, { ...tiny, ...more, contentType: 'text/html' });
    }
    await ask(serviceKey, 'GET', '/api/service/workflows');
    await ask(serviceKey, 'GET', `${documents}?limit=2&total=true&facets=type,status`);
    await ask(serviceKey, 'GET', `${executions}?limit=2`);
    await ask(serviceKey, 'GET', '/api/service/runs?limit=2&counts=true');
    await ask(serviceKey, 'GET', `${documents}?limit=0`);
    await ask(serviceKey, 'GET', `${documents}/${document.id}`);
    await ask(serviceKey, 'GET', `${documents}/${document.id}/text`);
    await ask(serviceKey, 'GET', `${documents}/${document.id}/text?page=9`);
    for (const path of ['files', 'ocr', 'pages/0', 'pages/9', 'segmentations'])
      await ask(serviceKey, 'GET', `${documents}/${document.id}/${path}`);
    await ask(serviceKey, 'GET', `${documents}/export?format=csv`);
    await ask(serviceKey, 'GET', '/api/service/search?query=note');
    await ask(serviceKey, 'POST', '/api/service/ask', { question: 'What does the note say?' });
    await ask(serviceKey, 'PATCH', `${documents}/${document.id}`, { tags: ['live'] });
    await ask(workflowKey, 'GET', `/api/uploads/${document.id}?wait=1`);
    const spare = await app.store(tinyPng, 'image/png');
    await ask(serviceKey, 'DELETE', `${documents}/${spare.id}`);
    await ask(serviceKey, 'GET', `${documents}/doc_0000000000000000000000`);
    await ask(serviceKey, 'POST', `${documents}/visibility`, { documentIds: [document.id], visibility: 'public' });
    const { failing } = await probe.publish(app);
    const started = await ask(serviceKey, 'POST', executions, {
      workflowId: failing,
      documentIds: [document.id],
      idempotencyKey: 'live',
    });
    await ask(serviceKey, 'POST', executions, { workflowId, scope: {}, idempotencyKey: 'live' });
    await ask(serviceKey, 'POST', executions, { workflowId: 'wf_1', documentIds: [document.id] });
    await app.app.idle();
    await ask(serviceKey, 'GET', started.body.links.self);
    await ask(serviceKey, 'GET', `${executions}/exec_0000000000000000000000`);
    const self = started.body.links.self;
    await ask(serviceKey, 'POST', `${self}/cancel`);
    await ask(serviceKey, 'POST', `${self}/replay`, { only: 'failed' });
    await app.app.idle();
    await ask(serviceKey, 'GET', `${self}/runs?limit=1`);
    await ask(serviceKey, 'GET', `${self}/events`);
    const asking = { ask: { type: 'review', config: { prompt: 'Fine?' } } };
    const more = { state: { answer: { schema: {} } }, outputs: { verdict: 'answer' } };
    const review = await addWorkflow(app, graphOf(asking, ['START>ask', 'ask>END'], more));
    const waiting = await ask(serviceKey, 'POST', executions, { workflowId: review, documentIds: [document.id] });
    await app.app.idle();
    const run = `/api/service/runs/${waiting.body.runs[0].runId}`;
    await ask(serviceKey, 'GET', run);
    await ask(serviceKey, 'POST', `${run}/resume`, { answer: { ok: true } });
    await ask(serviceKey, 'POST', `${run}/resume`, { answer: { ok: true } });
    await app.app.idle();
    await ask(serviceKey, 'GET', run);
    await ask(serviceKey, 'GET', `${run}/receipt/verify`);
    await ask(serviceKey, 'GET', `/api/service/documents/${document.id}/similar`);
    await askWebhooks(ask);
    for (const row of rows) {
      const path = row.path
        .replace(':id', 'doc_0000000000000000000000')
        .replace(':page', '0')
        .replace(':webhookId', 'wh_0000000000000000000000')
        .replace(':deliveryId', 'dlv_0000000000000000000000');
      const body = row.body === undefined ? undefined : {};
      await ask(undefined, row.method, path, body);
      await ask(row.caller === 'service-key' ? workflowKey : serviceKey, row.method, path, body);
      if (row.body !== undefined)
        await ask(row.caller === 'service-key' ? serviceKey : workflowKey, row.method, path, body);
    }
    // Every address with its success, and every failure that was brought about.
    for (const row of rows) expect([...seen]).toContain(`${row.method} ${pathOf(row)} ${row.status}`);
    expect(seen.size).toBeGreaterThan(45);
  });
});

type Ask = (key: string | undefined, method: string, path: string, body?: unknown) => Promise<Answer>;

/** Each row of webhooks with its success. Nobody listens at the address. */
async function askWebhooks(ask: Ask): Promise<void> {
  const { agentKey } = seed;
  const made = await ask(agentKey, 'POST', '/api/service/webhooks', {
    url: 'https://webhooks.example/inkgraph',
    events: ['run.completed'],
  });
  const webhook = `/api/service/webhooks/${made.body.webhook.id}`;
  await ask(agentKey, 'GET', '/api/service/webhooks');
  await ask(agentKey, 'PATCH', webhook, { description: 'live' });
  await ask(agentKey, 'POST', `${webhook}/rotate`);
  await ask(agentKey, 'POST', `${webhook}/test`);
  const log = await ask(agentKey, 'GET', `${webhook}/deliveries`);
  await app.app.idle();
  await ask(agentKey, 'POST', `${webhook}/deliveries/${log.body.deliveries[0].id}/redeliver`);
  await ask(agentKey, 'DELETE', webhook);
}

describe('the check of live replies', () => {
  verifies('service.openapi.live', async () => {
    const answer = await app.client(seed.serviceKey).get('/api/service/workflows');
    const [first] = answer.body.workflows;
    const broken = [
      { workflows: [{ ...first, publishedVersion: '1' }] },
      { workflows: [{ ...first, name: undefined }] },
      { workflows: [{ ...first, extra: 1 }] },
      { workflows: null },
    ];
    for (const body of broken) {
      const altered = { ...answer, body: JSON.parse(JSON.stringify(body)) };
      expect(() => expectConforming(description, ['GET', '/api/service/workflows'], altered)).toThrow();
    }
    expect(() => expectConforming(description, ['GET', '/api/nothing'], answer)).toThrow('is not described');
    expect(() => expectConforming(description, ['GET', '/api/service/workflows'], { ...answer, status: 418 })).toThrow(
      '418',
    );
  });
});
