import express from 'express';
import { createAuditLog } from '#src/stores/audit-log.ts';
import { createMemberStore } from '#src/stores/members.ts';
import { createOAuthStore } from '#src/stores/oauth.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createTokenEngine } from '#tools/oauth/token-engine.ts';
import { listen } from '#app/compose/listeners/listen.ts';
import { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { hashSecret, newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { newId } from '#src/domain/ids.ts';
import { mountOAuth, type OAuthParts } from '#http/oauth/mount-oauth.ts';
import { testDatabase } from '#test/support/database.ts';
import { authorizationCode, oauthClient, oauthGrant, verifier } from '#test/support/oauth/records.ts';
import type { AuthorizationCode, OAuthClient, OAuthGrant } from '#src/domain/access/oauth/records.ts';

export const resource = 'http://127.0.0.1:3002/mcp';
export const callback = 'http://localhost:4000/callback';

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

/** The authorization server on the real store, without the rest of the program. */
export async function startOAuthServer(more: Partial<OAuthParts> = {}) {
  const database = await testDatabase();
  const store = createOAuthStore(database.collections);
  const members = createMemberStore(database.collections);
  const audit = createAuditLog(database.collections);
  const logger = createPinoLogger('silent');
  const engine = createTokenEngine({ store, members, audit });
  const app = express();
  const router = express.Router({ caseSensitive: true, strict: true });
  const clients = { find: (clientId: string) => store.findClient(clientId), trouble: () => null };
  const documents = new DocumentSupport('auto');
  const about = { issuer: () => address, resource: () => resource, limiters: null, logger };
  mountOAuth(router, { store, members, engine, clients, documents, ...about, ...more });
  app.use(router);
  const opened = await listen(app, { name: 'API_PORT', host: '127.0.0.1', port: 0 });
  const address = opened.url;

  const send = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(`${address}${path}`, init);
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', headers, body: new URLSearchParams(fields) });

  /** A member with a grant to a client, and an unused code for it. */
  async function consented(
    given: {
      client?: Partial<OAuthClient>;
      grant?: Partial<OAuthGrant>;
      code?: Partial<AuthorizationCode>;
    } = {},
  ) {
    const whose = { organizationId: newId('organization'), userId: newId('user'), projectIds: [newId('project')] };
    const client = oauthClient(given.client);
    const grant = oauthGrant(whose, client, { resource, ...given.grant });
    const code = newOAuthSecret('code');
    const { organizationId, userId } = whose;
    const [{ memberId }] = await Promise.all([
      members.add({ organizationId, userId, role: 'editor' }),
      store.insertClient(client),
      store.insertGrant(grant),
      store.insertCode(authorizationCode(grant, { _id: hashSecret(code), clientId: client._id, ...given.code })),
    ]);
    const fields = { grant_type: 'authorization_code', client_id: client._id, code };
    return { client, grant, code, memberId, fields: { ...fields, redirect_uri: callback, code_verifier: verifier } };
  }

  return {
    address,
    database,
    store,
    members,
    audit,
    send,
    form,
    consented,
    token: (fields: Record<string, string>, headers?: Record<string, string>) => form('/oauth/token', fields, headers),
    async close() {
      await opened.connections.close(1_000);
      await database.close();
    },
  };
}

export type OAuthServer = Awaited<ReturnType<typeof startOAuthServer>>;

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
