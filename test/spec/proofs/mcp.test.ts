import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, expect } from 'vitest';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import { scopesOfRole } from '#src/domain/access/role.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { allow, Program } from '#test/mcp/clients/program.ts';
import { consentBrowser } from '#test/oauth/consent-form.ts';
import { addTheirThings } from '#test/support/neighbour.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { storeText } from '#test/tools/chat/support/stored-text.ts';

const app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
const url = new URL('/mcp', app.addresses.mcp);
const owner = await consentBrowser(app);
const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.close();
  await app[Symbol.asyncDispose]();
});

const transportOf = (program: Program) => new StreamableHTTPClientTransport(url, { authProvider: program });
const newClient = () => new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });

/** An agent whose user went through sign-in and consent, and granted these scopes. */
async function agentWith(...scope: string[]): Promise<{ agent: Client; program: Program; call: typeof callAs }> {
  const program = new Program();
  const first = transportOf(program);
  await expect(newClient().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  await first.finishAuth(await allow(owner, program.asked[0], { scope }));
  const agent = newClient();
  clients.push(agent);
  await agent.connect(transportOf(program));
  return { agent, program, call: (name, input) => callAs(name, input, agent) };
}

async function callAs(name: string, input: Record<string, unknown> = {}, agent?: Client) {
  const result = await agent?.callTool({ name, arguments: input });
  const text = (result?.content as { text?: string }[] | undefined)?.map((block) => block.text ?? '').join('\n') ?? '';
  return { isError: result?.isError === true, text, answer: result?.structuredContent as any };
}

/** The raw status of one call, whatever a client would make of it. */
async function statusOf(
  token: string | null,
  tool = 'get_context',
  input = {},
): Promise<{ status: number; challenge: string }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: input, _meta },
    }),
  });
  await reply.body?.cancel();
  return { status: reply.status, challenge: reply.headers.get('www-authenticate') ?? '' };
}

verifies('auth.mcp.oauth', async () => {
  expect(await statusOf(null)).toMatchObject({ status: 401, challenge: expect.stringContaining('resource_metadata=') });
  expect((await statusOf('ink_at_0000000000000000000000000000000000000000')).status).toBe(401);
  const { program, call } = await agentWith('workflows:read');
  expect((await call('get_context')).answer).toMatchObject({
    organization: { id: app.seed.organizationId },
    credential: { kind: 'oauth', email: app.seed.operatorEmail },
  });
  const { access_token: token } = program.held;
  expect((await statusOf(token)).status).toBe(200);
  const { oauth } = app.app.deps;
  const grantId = (await oauth.findToken(hashSecret(token)))?.grantId ?? '';
  await oauth.revokeGrant(app.seed.organizationId, grantId, new Date());
  expect((await statusOf(token)).status).toBe(401);
});

verifies('mcp.workflows', async () => {
  const { call } = await agentWith('workflows:read', 'workflows:write', 'workflows:publish');
  const made = await call('create_workflow', {
    name: 'By an agent',
    graph: graphOf({ read: 'load_image' }, ['START>read']),
  });
  const { workflowId, revision, issues } = made.answer;
  expect(made.answer.valid).toBe(false);
  const operations = issues.flatMap(({ fix }: { fix?: unknown[] }) => fix ?? []);
  const edited = await call('update_workflow', { workflowId, baseVersion: revision, operations, dryRun: false });
  expect(edited.answer).toMatchObject({ valid: true, revision: revision + 1 });
  const published = await call('publish_workflow', { workflowId, baseVersion: revision + 1 });
  expect(published.answer).toMatchObject({ workflowId, version: 1 });
  const stored = await app.app.deps.workflows.find(
    { organizationId: app.seed.organizationId, projectIds: [app.seed.projectId] },
    workflowId,
  );
  expect(stored?.publishedVersion).toBe(1);
});

verifies('mcp.documents', async () => {
  const { id } = await app.store(tinyPng, 'image/png');
  const text = 'Invoice 4711 of the observatory';
  const read = await storeText(app, { title: 'An invoice', text });
  const { call } = await agentWith('documents:read');
  expect((await call('list_documents')).answer.documents.map((one: { id: string }) => one.id)).toContain(id);
  expect((await call('read_document_text', { documentId: read })).text).toContain(text);
  const { ids } = await addTheirThings(app, 'organization');
  const foreign = await call('get_document', { documentId: ids.document });
  const unknown = await call('get_document', { documentId: 'doc_0000000000000000000000' });
  expect(foreign.isError).toBe(true);
  expect(foreign.text).toBe(unknown.text);
});

verifies('mcp.scopes', async () => {
  const { program, call } = await agentWith('documents:read');
  const { access_token: token } = program.held;
  expect((await call('list_documents')).isError).toBe(false);
  const refused = await statusOf(token, 'create_workflow', { name: 'No' });
  expect(refused).toMatchObject({ status: 403, challenge: expect.stringContaining('insufficient_scope') });
  expect(refused.challenge).toContain('workflows:write');
});

verifies('auth.mcp.scopes', async () => {
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  const { scopes_supported: named } = (await metadata.json()) as { scopes_supported: string[] };
  expect(named).toEqual(
    expect.arrayContaining(['workflows:read', 'workflows:write', 'runs:execute', 'documents:read']),
  );
  // Granted by the user: what was taken off the page is not in the token.
  const { program, call } = await agentWith('workflows:read', 'workflows:write');
  const { access_token: token } = program.held;
  expect((await call('get_context')).answer.scopes).toEqual(['workflows:read', 'workflows:write']);
  // Checked on every call: what the person may no longer do, neither may the program.
  const { members } = app.app.deps;
  const { organizationId } = app.seed;
  const [me] = await members.list(organizationId);
  const other = await app.addPerson('owner');
  expect(other).toBeDefined();
  expect(await members.changeRole(organizationId, me?.memberId ?? '', 'owner', 'viewer')).toBe('done');
  expect(scopesOfRole('viewer').has('workflows:write')).toBe(false);
  const name = 'Too late';
  expect((await call('create_workflow', { name })).isError).toBe(true);
  expect((await statusOf(token, 'list_workflows')).status).toBe(200);
});
