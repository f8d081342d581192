import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { allowAsShown } from '#test/conformance/mcp-consent.ts';
import { referee } from '#test/conformance/mcp-referee.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

/** The suite has to be told a port, and takes it a moment later: it is none of those that systems hand out by themselves. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    // Somebody has it.
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}

describe('the official conformance suite, of authorization servers', { timeout: 60_000 }, () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  it('passes with a program that registered itself and a person who consents', async () => {
    const port = await freePort();
    const { status, body } = await app.call('POST', oauthPaths.register, {
      body: {
        client_name: 'The referee',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      },
    });
    expect(status).toBe(201);
    const cookie = await app.signIn();
    const failed = new AbortController();
    const consents: Promise<void>[] = [];
    const verdict = await referee(
      ['authorization', '--url', app.addresses.api, '--client-id', body.client_id, '--port', String(port)],
      {
        listen(output) {
          const url = /^https?:\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
          if (url === undefined || !output.includes('Callback server started') || consents.length > 0) return;
          const consent = allowAsShown(url, cookie);
          consents.push(consent);
          consent.catch(() => failed.abort());
        },
        signal: failed.signal,
      },
    );
    await Promise.all(consents);
    expect(verdict).toEqual({
      exitCode: 0,
      passed: { 'authorization-server-metadata-endpoint': 2, 'authorization-code-grant': 1 },
      others: [],
    });
  });
});
