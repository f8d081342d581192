import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import type { Route } from '#src/contracts/route.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { service } from '#src/contracts/service.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { callTool } from '#tools/call.ts';
import type { AnyTool } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { addTenant, type Tenant } from '#test/support/dashboard/tenant.ts';
import { startTestApp, type Answer, type TestApp } from '#test/support/test-app.ts';

type Ids = Tenant['ids'];
/** One request that names something of somebody else. */
interface Probe {
  readonly path?: string;
  readonly query?: string;
  readonly body?: object;
}
type Walk = Readonly<Record<string, 'shows nothing' | ((ids: Ids) => readonly Probe[])>>;

const message = [{ role: 'user', content: 'What is in it?' }];
const edits = { baseVersion: 1 };
const png = { contentType: 'image/png', size: 10 };

/** Every row of every family: with an id of theirs in each place that takes one, or a list in which nothing of theirs may show. */
const walk: Walk = {
  'ingest.presign': 'shows nothing',
  'ingest.ack': ({ objectKey }) => [{ body: { objectKey } }],
  'ingest.upload': ({ document }) => [{ path: document }],
  'service.workflows': 'shows nothing',
  'service.presign': 'shows nothing',
  'service.ack': ({ objectKey }) => [{ body: { objectKey, idempotencyKey: 'theirs' } }],
  'service.execute': ({ workflow, document, ownWorkflow }) => [
    { body: { workflowId: workflow, documentIds: [document] } },
    { body: { workflowId: ownWorkflow, documentIds: [document] } },
  ],
  'service.execution': ({ execution }) => [{ path: execution }],
  'service.execution.cancel': ({ execution }) => [{ path: execution }],
  'service.execution.replay': ({ execution }) => [{ path: execution, body: {} }],
  'service.execution.runs': ({ execution }) => [{ path: execution }],
  'service.execution.events': ({ execution }) => [{ path: execution }],
  'dashboard.execution.events': ({ execution }) => [{ path: execution }],
  'service.run': ({ run }) => [{ path: run }],
  'service.runs.cancel': ({ execution }) => [{ body: { executionId: execution } }],
  'service.runs.retry': ({ execution }) => [{ body: { executionId: execution } }],
  'service.run.resume': ({ run }) => [{ path: run, body: { answer: 1 } }],
  'service.documents': 'shows nothing',
  'service.document': ({ document }) => [{ path: document }],
  'service.document.text': ({ document }) => [{ path: document }],
  'service.documents.export': 'shows nothing',
  'service.document.files': ({ document }) => [{ path: document }],
  'service.document.ocr': ({ document }) => [{ path: document }],
  'service.document.similar': ({ document }) => [{ path: document }],
  'service.document.page': ({ document }) => [{ path: document }],
  'service.document.segmentations': ({ document }) => [{ path: document }],
  'service.document.update': ({ document }) => [{ path: document, body: { tags: ['stolen'] } }],
  'service.document.delete': ({ document }) => [{ path: document }],
  'service.search': 'shows nothing',
  'service.executions': 'shows nothing',
  'service.runs': ({ execution }) => [{ query: `?executionId=${execution}` }],
  'service.run.receipt': ({ run }) => [{ path: run }],
  'service.ask': ({ document, project }) => [
    { body: { question: 'What is in it?', documentIds: [document] } },
    { body: { question: 'What is in it?', projectIds: [project] } },
  ],
  'service.visibility': ({ document }) => [{ body: { documentIds: [document], visibility: 'public' } }],

  'dashboard.presign': ({ project }) => [{ body: { ...png, projectId: project } }],
  'dashboard.ack': ({ objectKey }) => [{ body: { objectKey } }],
  'dashboard.run': ({ document, workflow, ownWorkflow, ownDocument }) => [
    { path: document, body: { workflowId: ownWorkflow } },
    { path: ownDocument, body: { workflowId: workflow } },
  ],
  'dashboard.run_many': ({ document, workflow, ownWorkflow, ownDocument }) => [
    { body: { workflowId: ownWorkflow, documentIds: [ownDocument, document] } },
    { body: { workflowId: workflow, documentIds: [ownDocument] } },
  ],
  'dashboard.documents': ({ project }) => [{ query: `?projectId=${project}` }],
  'dashboard.ocr': ({ document }) => [{ path: document }],
  'dashboard.segmentations': ({ document }) => [{ path: document }],
  'dashboard.visibility': ({ document }) => [{ body: { documentIds: [document], visibility: 'public' } }],
  'dashboard.document': ({ document }) => [{ path: document }],
  'dashboard.documents.export': 'shows nothing',
  'dashboard.document.similar': ({ document }) => [{ path: document }],
  'dashboard.document.page': ({ document }) => [{ path: document }],
  'dashboard.document.update': ({ document }) => [{ path: document, body: { tags: ['stolen'] } }],
  'dashboard.document.text': ({ document }) => [{ path: document }],
  'dashboard.document.runs': ({ document }) => [{ path: document }],
  'dashboard.document.delete': ({ document }) => [{ path: document }],

  'dashboard.chat': ({ document, project, key }) => [
    { body: { messages: message, documentIds: [document] } },
    { body: { messages: message, projectIds: [project] } },
    { body: { messages: message, apiKeyIds: [key] } },
  ],
  'dashboard.chat.stream': ({ conversation }) => [{ path: conversation }],
  'dashboard.chats': 'shows nothing',
  'dashboard.chat.get': ({ conversation }) => [{ path: conversation }],
  'dashboard.chat.delete': ({ conversation }) => [{ path: conversation }],
  'dashboard.realtime': ({ project }) => [{ query: `?projectIds=${project}` }],

  'dashboard.context': 'shows nothing',
  'dashboard.runs': ({ execution }) => [{ query: `?executionId=${execution}` }],
  'dashboard.runs.cancel': ({ execution }) => [{ body: { executionId: execution } }],
  'dashboard.runs.retry': ({ execution }) => [{ body: { executionId: execution } }],
  'dashboard.run.detail': ({ run }) => [{ path: run }],
  'dashboard.run.resume': ({ run }) => [{ path: run, body: { answer: 1 } }],
  'dashboard.run.receipt': ({ run }) => [{ path: run }],
  'dashboard.executions': 'shows nothing',
  'dashboard.execution': ({ execution }) => [{ path: execution }],
  'dashboard.execution.cancel': ({ execution }) => [{ path: execution }],

  'dashboard.workflows': 'shows nothing',
  'dashboard.workflow.create': ({ workflow, project }) => [
    { body: { from: { workflowId: workflow } } },
    { body: { projectId: project } },
  ],
  'dashboard.workflow.validate': ({ workflow }) => [{ body: { workflowId: workflow } }],
  'dashboard.workflow': ({ workflow }) => [{ path: workflow }],
  'dashboard.workflow.operations': ({ workflow }) => [
    { path: workflow, body: { ...edits, operations: [{ op: 'set_metadata', name: 'X' }] } },
  ],
  'dashboard.workflow.node.test': ({ workflow, document, ownWorkflow, ownDocument }) => [
    { path: workflow, body: { documentId: ownDocument } },
    { path: ownWorkflow, body: { documentId: document } },
  ],
  'dashboard.workflow.delete': ({ workflow }) => [{ path: workflow }],
  'dashboard.workflow.versions': ({ workflow }) => [{ path: workflow }],
  'dashboard.workflow.version': ({ workflow }) => [{ path: workflow }],
  'dashboard.workflow.diff': ({ workflow }) => [{ path: workflow, query: '?from=draft' }],
  'dashboard.workflow.publish': ({ workflow }) => [{ path: workflow, body: edits }],
  'dashboard.workflow.restore': ({ workflow }) => [{ path: workflow, body: { ...edits, version: 'draft' } }],
  'dashboard.node-types': 'shows nothing',

  'dashboard.projects': 'shows nothing',
  'dashboard.project.create': 'shows nothing',
  'dashboard.project.rename': ({ project }) => [{ path: project, body: { name: 'Mine now' } }],
  'dashboard.organization.change': 'shows nothing',
  'dashboard.usage': 'shows nothing',
  'dashboard.members': 'shows nothing',
  'dashboard.member.role': ({ member }) => [{ path: member, body: { role: 'viewer' } }],
  'dashboard.project.members': ({ project }) => [{ path: project }],
  'dashboard.member.project_role': ({ member, project }) => [
    { path: `${member} ${project}`, body: { role: 'viewer' } },
    { path: `${member} ${app.seed.projectId}`, body: { role: null } },
  ],
  'dashboard.member.confirm-role': ({ member }) => [{ path: member, body: {} }],
  'dashboard.member.remove': ({ member }) => [{ path: member }],
  'dashboard.invitations': 'shows nothing',
  'dashboard.invitation.create': 'shows nothing',
  'dashboard.invitation.cancel': ({ invitation }) => [{ path: invitation }],
  'dashboard.keys': ({ project }) => [{ query: `?projectId=${project}` }],
  'dashboard.key.create': ({ project, workflow }) => [
    { body: { kind: 'service', name: 'X', projectId: project } },
    { body: { kind: 'workflow', name: 'X', workflowId: workflow } },
  ],
  'dashboard.key.rotate': ({ key }) => [{ path: key }],
  'dashboard.key.revoke': ({ key }) => [{ path: key }],
  'dashboard.apps': 'shows nothing',
  'dashboard.app.change': ({ app: connected }) => [{ path: connected, body: { scopes: ['runs:read'] } }],
  'dashboard.app.revoke': ({ app: connected }) => [{ path: connected }],
  'dashboard.clients': 'shows nothing',
  'dashboard.client.create': ({ project }) => [{ body: { name: 'X', projectIds: [project], scopes: ['runs:read'] } }],
  'dashboard.client.remove': ({ client }) => [{ path: client }],
  'dashboard.secrets': ({ project }) => [{ query: `?projectId=${project}` }],
  'dashboard.secret.set': ({ project }) => [
    { body: { name: 'STOLEN', value: 'x', hosts: ['api.example.org'], projectId: project } },
  ],
  'dashboard.secret.delete': ({ project }) => [{ path: 'TENANT_SECRET', query: `?projectId=${project}` }],
  'dashboard.audit': 'shows nothing',
  'dashboard.audit.export': 'shows nothing',
};

const rows = [
  ingestion,
  service,
  serviceResults,
  dashboardDocuments,
  dashboardLive,
  dashboardRuns,
  dashboardWorkflows,
  dashboardOrganization,
].flatMap((family) => Object.values(family) as Route[]);

/** Query that a list needs to answer at all. */
const usual: Readonly<Record<string, object>> = {
  'dashboard.organization.change': { requiresSecondFactor: false },
  'ingest.presign': png,
  'service.presign': { ...png, visibility: 'private' },
  'dashboard.project.create': { name: 'Another' },
  'dashboard.invitation.create': { email: 'someone@example.com' },
};

let app: TestApp;
let cookie: string;
let theirs: Tenant;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
  theirs = await addTenant(app);
});
afterAll(() => app[Symbol.asyncDispose]());

function send(row: Route, { path = '', query = '', body }: Probe): Promise<Answer> {
  const by =
    row.caller === 'session' || row.caller === 'editor'
      ? { cookie }
      : { key: row.caller === 'service-key' ? app.seed.serviceKey : app.seed.workflowKey };
  const [first = '', second = first] = path.split(' ');
  const address =
    row.path
      .replace(/:(?!version)\w+/, first)
      .replace(':page', '0')
      .replace(':projectId', second)
      .replace(':nodeId', 'recognize')
      .replace(':version', '1') + query;
  return app.call(row.method, address, { ...by, ...(body === undefined ? {} : { body }) });
}

/** An answer without what names this one request. */
const told = ({ status, body }: Answer, ids: Ids): string =>
  Object.values(ids).reduce(
    (said, id) => said.replaceAll(id, 'ID'),
    JSON.stringify({ status, body: { ...body, requestId: '' } }),
  );

/** Ids of the same forms that nobody has; the caller's own stay. */
function unknownIds({ ownWorkflow, ownDocument, objectKey }: Ids): Ids {
  return {
    workflow: newId('workflow'),
    document: newId('document'),
    execution: newId('execution'),
    run: newId('run'),
    project: newId('project'),
    member: newId('member'),
    invitation: newId('invitation'),
    key: newId('key'),
    conversation: newId('conversation'),
    app: newId('grant'),
    client: newId('client'),
    objectKey: objectKey.replace(/[^/]+$/, 'nobodys.png'),
    ownWorkflow,
    ownDocument,
  };
}

test('every row of every family is walked', () => {
  expect(Object.keys(walk).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
});

describe('43, 53, 69: ids of another organization', () => {
  const named = rows.flatMap((row) => {
    const probes = walk[row.id];
    return typeof probes === 'function' ? [[`${row.method} ${row.path}`, row, probes] as const] : [];
  });
  test.each(named)('%s answers as for unknown ids', async (_name, row, probes) => {
    const nobodys = unknownIds(theirs.ids);
    const unknown = probes(nobodys);
    for (const [index, probe] of probes(theirs.ids).entries()) {
      const answer = await send(row, probe);
      const said = told(answer, theirs.ids);
      expect(said).toContain('"status":404');
      expect(said).toBe(told(await send(row, unknown[index] ?? {}), nobodys));
    }
  });
  const lists = rows
    .filter(({ id }) => walk[id] === 'shows nothing')
    .map((row) => [`${row.method} ${row.path}`, row] as const);
  test.each(lists)('%s shows nothing of theirs', async (_name, row) => {
    const body = usual[row.id];
    const query = row.id === 'service.search' ? '?query=words' : '';
    const answer = await send(row, { query, ...(body !== undefined && { body }) });
    expect(answer.status).toBeLessThan(300);
    const said = JSON.stringify(answer.body);
    for (const id of theirs.secret) expect(said).not.toContain(id);
  });

  test.each(
    rows.filter(({ caller }) => caller === 'session').map((row) => [`${row.method} ${row.path}`, row] as const),
  )('%s does not work for their organization', async (_name, row) => {
    const answer = await send(row, {
      path: 'x',
      query: `?organizationId=${theirs.organizationId}`,
      ...(row.body && { body: {} }),
    });
    expect(answer.body).toMatchObject({ status: 404, code: 'organization.not_found' });
  });

  test('no tool takes them, and none tells of them', async () => {
    const { deps, sessions } = app.app;
    const { members, organizations } = deps;
    const principal = await new SessionAuthenticator({ sessions, members, organizations }).byCookie(cookie);
    const signal = AbortSignal.timeout(60_000);
    const ctx = { principal, requestId: 'test', surface: 'mcp', signal, deps, outcome: {} } as const;
    const { ids } = theirs;
    const guesses = {
      workflowId: ids.workflow,
      documentId: ids.document,
      executionId: ids.execution,
      runId: ids.run,
      projectId: ids.project,
      memberId: ids.member,
      invitationId: ids.invitation,
      keyId: ids.key,
      conversationId: ids.conversation,
      chatId: ids.conversation,
      appId: ids.app,
      clientId: ids.client,
      objectKey: ids.objectKey,
    };
    /** Inputs in which an id is looked at only beside another field, or as one of several. */
    const beside: Readonly<Record<string, (id: string) => readonly object[]>> = {
      ask_documents: (id) => [
        { question: 'What is in it?', documentIds: [id] },
        { question: 'What is in it?', projectIds: [id] },
      ],
      create_api_key: (id) => [
        { kind: 'service', name: 'X', projectId: id },
        { kind: 'workflow', name: 'X', workflowId: id },
      ],
      upload_document: (id) => [{ action: 'presign', ...png, projectId: id }],
      run_workflow: (id) => [{ workflowId: ids.ownWorkflow, documentIds: [ids.ownDocument], projectId: id }],
    };
    for (const tool of Object.values<AnyTool>(tools))
      for (const [name, id] of [...Object.entries(guesses), ...Object.values(ids).map((one) => ['id', one] as const)]) {
        // Most other inputs of a tool are not known here: an input that it refuses reveals nothing of another tenant either.
        const isTheirs = id !== ids.ownWorkflow && id !== ids.ownDocument;
        const more = isTheirs ? (beside[tool.name]?.(id) ?? []) : [];
        for (const input of [{ [name]: id }, ...more]) {
          const said = await callTool(tool, { ...ctx, outcome: {} }, input).then(
            (output) => JSON.stringify(output),
            (error: unknown) => {
              if (error instanceof AppError) return `${error.code}: ${error.detail} ${JSON.stringify(error.data)}`;
              throw error;
            },
          );
          if (isTheirs && tool.name in beside) expect(said, tool.name).toMatch(/^(request\.invalid|\w+\.not_found): /);
          for (const hidden of theirs.secret) expect(said.replaceAll(id, ''), tool.name).not.toContain(hidden);
        }
      }
  });
});

test('nothing of theirs was changed by any of this', async () => {
  expect(await theirs.stored()).toEqual(theirs.before);
});
