import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { Route } from '#src/contracts/route.ts';
import { expectConforming } from '#test/spec/support/conforms.ts';
import { startTestApp, tinyPng, type Answer, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const rows = [dashboardDocuments, dashboardLive, dashboardRuns, dashboardWorkflows, dashboardOrganization].flatMap(
  (family) => Object.values(family) as Route[],
);
const pathOf = ({ path }: Route): string => path.replaceAll(/:(\w+)/g, '{$1}');

let app: TestApp;
let cookie: string;
let description: any;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  cookie = await app.signIn();
  description = (await app.call('GET', '/api/dashboard/openapi.json')).body;
});
afterAll(() => app[Symbol.asyncDispose]());

const { Spectral } = spectralCore;

/** Errors and warnings of Redocly's recommended rules and of Spectral's rules for OpenAPI, with their places. */
async function findingsOf(document: object): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const config = await createConfig({ extends: ['recommended'] });
  const [ofSpectral, ofRedocly] = await Promise.all([
    spectral.run(document as Record<string, unknown>),
    lintFromString({ source: JSON.stringify(document), config }),
  ]);
  return [
    ...ofSpectral.map(({ code, path, message }) => `Spectral ${code} ${path.join('/')}: ${message}`),
    ...ofRedocly.map(({ ruleId, location, message }) => `Redocly ${ruleId} ${location[0]?.pointer}: ${message}`),
  ];
}

/**
 * Addresses of conversations could also be those of documents named "chat". No document has such an id, and the service asks for the
 * conversation first. Source: docs/decisions/0193.
 */
const known = /^Redocly no-ambiguous-paths .*`\/api\/dashboard\/documents\/chat\/\{chatId\}`/;

verifies('service.openapi.clean', async () => {
  const service: any = (await app.call('GET', '/api/openapi.json')).body;
  const findings = await Promise.all([findingsOf(service), findingsOf(description)]);
  expect(findings.flat().filter((one) => !known.test(one))).toEqual([]);
  // The linters look: a document without what they want has findings of both.
  const worse = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: { '/x': { get: { responses: {} } } } };
  const found = (await findingsOf(worse)).join('\n');
  expect(found).toContain('Spectral operation-description');
  expect(found).toContain('Redocly info-license');
});

describe('The description of the dashboard', () => {
  test('is OpenAPI 3.1, public, with a tag of its own', async () => {
    const { headers } = await app.call('GET', '/api/dashboard/openapi.json');
    expect(description.openapi).toMatch(/^3\.1\./);
    expect(description.components.securitySchemes.session).toMatchObject({ in: 'cookie', name: 'app.session_token' });
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await app.call('GET', '/api/dashboard/openapi.json', again)).status).toBe(304);
    for (const hidden of [app.seed.operatorEmail, app.seed.organizationId, app.dataDir])
      expect(JSON.stringify(description)).not.toContain(hidden);
  });

  test('refers to nothing that is not there', () => {
    const names = [...JSON.stringify(description).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(50);
    for (const name of new Set(names)) expect(description.components.schemas).toHaveProperty([name ?? '']);
  });

  test.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'tells of %s, which is bound and wants a session',
    async (_name, row) => {
      const operation = description.paths[pathOf(row)][row.method.toLowerCase()];
      expect(operation.operationId).toBe(row.id);
      expect(operation.security[0]).toEqual({ session: [] });
      expect(Object.keys(operation.responses)).toContain(String(row.status));
      const answer = await app.call(
        row.method,
        row.path.replaceAll(/:\w+/g, 'x'),
        row.body === undefined ? {} : { body: {} },
      );
      expect(answer.status).toBe(401);
      expectConforming(description, [row.method, row.path.replaceAll(/:\w+/g, 'x')], answer);
      if (row.body === undefined) return;
      const { $ref: named, $defs, ...shown }: any = z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' });
      const schema = named === undefined ? shown : $defs[String(named).split('/').at(-1) ?? ''];
      const { $ref, ...inline } = operation.requestBody.content['application/json'].schema;
      const described =
        $ref === undefined ? inline : description.components.schemas[String($ref).split('/').at(-1) ?? ''];
      expect(Object.keys(described.properties)).toEqual(Object.keys(schema.properties));
    },
  );

  test('holds for live answers', async () => {
    const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await app.call(method, path, { cookie, ...(body === undefined ? {} : { body }) });
      expectConforming(description, [method, path], answer);
      return answer;
    };
    const base = '/api/dashboard';
    const { projectId, workflowId } = app.seed;
    const png = { contentType: 'image/png', size: tinyPng.length };
    const presigned = await ask('POST', `${base}/documents/uploads/presign`, { ...png, projectId });
    await fetch(presigned.body.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    const { body } = await ask('POST', `${base}/documents/uploads/ack`, { objectKey: presigned.body.objectKey });
    const document = `${base}/documents/${body.document.id}`;
    const queued = await ask('POST', `${document}/run`, { workflowId });
    await app.app.idle();
    for (const path of ['', '/ocr', '/segmentations', '/runs']) await ask('GET', `${document}${path}`);
    await ask('GET', `${base}/documents`);
    await ask('GET', `${base}/documents?query=anything`);
    await ask('GET', `${base}/runs/${queued.body.runId}`);
    await ask('GET', `${base}/executions/${queued.body.executionId}`);
    await ask('POST', `${base}/documents/run`, { workflowId, documentIds: [body.document.id] });
    for (const list of [
      'context',
      'runs',
      'projects',
      'members',
      'keys',
      'secrets',
      'audit',
      'workflows',
      'documents/chat',
    ])
      await ask('GET', `${base}/${list}`);
    const issued = await ask('POST', `${base}/keys`, { kind: 'service', name: 'Described' });
    await ask('POST', `${base}/keys/${issued.body.key.id}/revoke`);
    const invited = await ask('POST', `${base}/invitations`, { email: 'someone@example.com' });
    await ask('GET', `${base}/invitations`);
    await ask('DELETE', `${base}/invitations/${invited.body.invitationId}`);
    await ask('DELETE', document);
    expect((await ask('GET', document)).status).toBe(404);
    expect((await ask('GET', `${base}/documents?limit=0`)).status).toBe(400);
  });
});
