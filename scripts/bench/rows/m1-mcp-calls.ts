import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { figureOf, quantile } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import type { HttpRequest } from '#scripts/bench/processes/http-send.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { startLoadClient, type LoadClient, type Measured } from '#scripts/bench/processes/load-client.ts';
import { interleave, scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import type { OAuthGrant, OAuthToken } from '#src/domain/access/oauth/records.ts';

const peerName = 'bare MCP SDK server';
const calls = 1_500;
/** Each has a grant and a token of its own. */
const agents = 10;
const version = '2026-07-28';

interface Call {
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** Goal of its throughput, as a ratio to the peer. */
  readonly atLeast: number;
}

/** A `tools/call` as a client of 2026-07-28 sends it. */
function callOf(url: string, name: string, args: object, token?: string): HttpRequest {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name, arguments: args, _meta };
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

/** An access token of the seeded owner for everything that can be granted, as the token endpoint would make it. */
async function accessToken({ app, addresses, seed }: Inkgraph): Promise<string> {
  const { organizationId, projectId } = seed;
  const [member] = await app.deps.members.list(organizationId);
  if (member === undefined) throw new Error('the seeded organization has no member');
  const scopes = ['workflows:write', 'documents:read', 'runs:read'] as const;
  const common = { clientId: newId('client'), scopes, resource: `${addresses.mcp}/mcp`, createdAt: new Date() };
  const grant: OAuthGrant = {
    ...common,
    _id: newId('grant'),
    kind: 'person',
    userId: member.userId,
    clientName: 'bench',
    redirectHost: '127.0.0.1',
    organizationId,
    projectIds: [projectId],
    offline: false,
    expiresAt: null,
    lastUsedAt: new Date(),
    revokedAt: null,
  };
  const secret = newOAuthSecret('access');
  const token: OAuthToken = {
    ...common,
    _id: hashSecret(secret),
    kind: 'access',
    grantId: grant._id,
    family: 'bench',
    expiresAt: new Date(Date.now() + 3_600_000),
    consumedAt: null,
  };
  await app.deps.oauth.insertGrant(grant);
  await app.deps.oauth.insertTokens([token]);
  return secret;
}

async function answersWell(client: LoadClient, request: HttpRequest): Promise<void> {
  const [reply] = await client.collect<{ result?: { isError?: boolean } }>([request], 200);
  if (reply?.result === undefined || reply.result.isError === true)
    throw new Error(`a call failed: ${JSON.stringify(reply).slice(0, 500)}`);
}

function linesOf({ id, name, atLeast }: Call, { ours, peer }: { ours: Measured[]; peer: Measured[] }): Line[] {
  const line = (what: string, unit: string, of: (one: Measured) => number): Line => ({
    id,
    what: `tools/call ${name} with an access token: ${what}`,
    unit,
    ours: figureOf(ours.map(of)),
    peer: { name: peerName, figure: figureOf(peer.map(of)) },
  });
  const latency = (share: number) => (one: Measured) => quantile(one.latenciesMs, share);
  return [
    { ...line('throughput', 'req/s', (one) => one.perSecond), goal: { of: 'ratio', atLeast } },
    line('p50 latency', 'ms', latency(0.5)),
    line('p95 latency', 'ms', latency(0.95)),
    line('CPU a request', 'ms', (one) => one.cpuMs),
  ];
}

async function measureCall(context: BenchContext, call: Call): Promise<Line[]> {
  const { id, name } = call;
  await using inkgraph = await startInkgraph(context, 'mcp');
  await using peer = startChild(new URL('../peers/mcp-server.ts', import.meta.url));
  await using client = startLoadClient();
  const args = name === 'get_workflow' ? { workflowId: inkgraph.seed.workflowId } : {};
  const ours: HttpRequest[] = [];
  while (ours.length < agents)
    ours.push(callOf(`${inkgraph.addresses.mcp}/mcp`, name, args, await accessToken(inkgraph)));
  const bare = [callOf(await peer.ask<string>('origin'), 'ping', {})];
  for (const request of [...ours, ...bare]) await answersWell(client, request);
  const many = (requests: readonly HttpRequest[]) =>
    Array.from({ length: scaled(context, calls) }, (_, index) => requests[index % requests.length] as HttpRequest);
  const results = await interleave(context, {
    ours: () => client.measure(inkgraph.service, `${id}-ours`, many(ours), 200),
    peer: () => client.measure(peer, `${id}-bare`, many(bare), 200),
  });
  return linesOf(call, results);
}

/** M1: what a call of an agent costs that asks for nearly nothing, beside the SDK without anything around it. */
export const mcpContext: Row = {
  id: 'M1',
  measure: (context) => measureCall(context, { id: 'M1', name: 'get_context', atLeast: 0.75 }),
};

/** M2: the same for a call that reads a workflow. */
export const mcpWorkflow: Row = {
  id: 'M2',
  measure: (context) => measureCall(context, { id: 'M2', name: 'get_workflow', atLeast: 0.65 }),
};
