import type { Stores } from '#test/support/database.ts';
import { oauthOf } from '#test/support/oauth/records.ts';

/** Every method of the stores of OAuth and of MCP sessions, in the name of one organization. */
export async function askOAuth(
  { oauth, mcpSessions }: Stores,
  { organizationId, projectId, now }: { organizationId: string; projectId: string; now: Date },
): Promise<void> {
  const { client, grant, consent, code, tokens } = oauthOf({
    organizationId,
    userId: 'usr_a',
    projectIds: [projectId],
  });
  await oauth.insertClient(client);
  await oauth.saveClient(client);
  await oauth.findClient(client._id);
  await oauth.touchClient(client._id, now, null);
  await oauth.listClients(organizationId);
  await oauth.insertConsent(consent);
  await oauth.takeConsent(consent._id, consent.sessionId, now);
  await oauth.insertGrant(grant);
  await oauth.findGrant(grant._id);
  await oauth.listGrants(organizationId);
  await oauth.listGrants(organizationId, 'usr_a');
  await oauth.touchGrant(organizationId, grant._id, now);
  await oauth.changeScopes(organizationId, grant._id, { scopes: grant.scopes, added: [] });
  await oauth.revokeGrant(organizationId, grant._id, now);
  await oauth.insertCode(code);
  await oauth.findCode(code._id);
  for (let twice = 0; twice < 2; twice += 1) await oauth.consumeCode(code._id, now);
  await oauth.insertTokens(tokens);
  await oauth.findToken(tokens[0]?._id ?? '');
  for (let twice = 0; twice < 2; twice += 1) await oauth.consumeRefreshToken(tokens[1]?._id ?? '', now);
  await oauth.removeToken(tokens[0]?._id ?? '');
  await oauth.revokeFamily(tokens[0]?.family ?? '');
  await oauth.removeClient(organizationId, client._id);
  const session = { organizationId, name: 'session' };
  for (let twice = 0; twice < 2; twice += 1) {
    await mcpSessions.setUsed([{ ...session, usedAt: now, forgetAt: now }]);
    await mcpSessions.setUris(session, { uris: ['inkgraph://runs/run_a'], forgetAt: now });
    await mcpSessions.end(session, now);
  }
  await mcpSessions.find(session);
  await mcpSessions.findEnded([session, { ...session, name: 'other' }]);
}
