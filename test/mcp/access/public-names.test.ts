import dns from 'node:dns';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { oauthPaths, protectedResourcePaths } from '#src/contracts/oauth.ts';
import { findProgram, mayMissPrograms, nginx } from '#scripts/check/programs.ts';
import { allow, Program } from '#test/mcp/clients/program.ts';
import { consentBrowser } from '#test/oauth/consent-form.ts';
import { freePort } from '#test/support/servers/redis-server.ts';
import { proxyCertificate, startNginx, startSmallProxy } from '#test/support/servers/reverse-proxy.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const usualAuthorities = getCACertificates();
const names = { api: 'api.example.org', mcp: 'mcp.example.org', objects: 'files.example.org' } as const;
let port: number;
let app: TestApp;
beforeAll(async () => {
  setDefaultCACertificates([...usualAuthorities, proxyCertificate.cert]);
  // The three names lead to this machine, as those of an installation lead to its proxy.
  const lookup: (name: string, ...rest: any[]) => void = dns.lookup;
  vi.spyOn(dns, 'lookup').mockImplementation((name: string, ...rest: unknown[]) =>
    lookup(name.endsWith('.example.org') ? '127.0.0.1' : name, ...rest),
  );
  port = await freePort();
  const at = (name: string): string => `https://${name}:${port}`;
  app = await startTestApp({
    env: {
      SERVICES: 'api,mcp',
      BASE_URL: at(names.api),
      MCP_URL: at(names.mcp),
      OBJECTS_URL: at(names.objects),
      ALLOWED_HOSTS: 'Other.example.org:8443, https://third.example.org/',
      TRUSTED_PROXIES: 'loopback',
    },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  vi.restoreAllMocks();
  setDefaultCACertificates(usualAuthorities);
});

const proxies = { nginx: startNginx, 'a small proxy': startSmallProxy };

for (const [name, start] of Object.entries(proxies))
  it(`behind ${name} that keeps Host, a program signs in, calls tools and uploads, all by public names`, async ({
    skip,
  }) => {
    if (name === 'nginx') skip(findProgram(nginx) === null && mayMissPrograms(), nginx.missing);
    const ports = app.app.ports();
    const behind = { [names.api]: ports.api, [names.mcp]: ports.mcp, [names.objects]: ports.objects };
    await using _ = await start({ port, behind });
    const url = new URL('/mcp', app.addresses.mcp);
    expect(url.host).toBe(`${names.mcp}:${port}`);
    const program = new Program();
    const transport = () => new StreamableHTTPClientTransport(url, { authProvider: program, fetch: program.fetch });
    const client = new Client({ name: 'desk-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const first = transport();
    await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    const [asked] = program.asked;
    expect(asked?.host).toBe(`${names.api}:${port}`);
    const answer = await allow(await consentBrowser(app), asked, { scope: ['documents:write', 'documents:read'] });
    expect(answer.get('iss')).toBe(app.addresses.api);
    await first.finishAuth(answer);
    await client.connect(transport());
    const use = async (input: object): Promise<any> =>
      (await client.callTool({ name: 'upload_document', arguments: { ...input } })).structuredContent;
    const { upload } = await use({ action: 'presign', contentType: 'image/png', size: tinyPng.length });
    expect(new URL(upload.uploadUrl).host).toBe(`${names.objects}:${port}`);
    const put = await fetch(upload.uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) });
    expect(put.status).toBe(200);
    const { document } = await use({ action: 'acknowledge', objectKey: upload.objectKey });
    expect(document).toMatchObject({ projectId: app.seed.projectId });
    await client.close();
  });

/** A request to the MCP service itself, as a proxy passes it on. */
async function passedOn(
  path: string,
  ...lines: readonly string[]
): Promise<{ status: number; head: string; body: any }> {
  const socket = connect(app.app.ports().mcp, '127.0.0.1');
  socket.end([`GET ${path} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'));
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    head,
    body: JSON.parse(body.replace(/^[0-9a-f]+\r\n/, '').replace(/\r\n0\r\n.*$/s, '')),
  };
}

verifies('auth.mcp.hosts', async () => {
  const { api, mcp, objects } = names;
  const others = ['other.example.org', 'third.example.org:1', 'localhost', '127.0.0.1:3002', '[::1]:3002'];
  const spelled = [mcp.toUpperCase(), `${mcp}:443`, `${mcp}:3002`, `${mcp}.`, `${mcp}.:443`];
  for (const host of [api, mcp, objects, ...others, ...spelled])
    expect([host, await passedOn('/mcp', `host: ${host}`)]).toMatchObject([host, { status: 401 }]);
  const foreign = ['evil.example', `${mcp}.evil.example`, `x${mcp}`, `evil@${mcp}`, '0.0.0.0', '192.0.2.7:3002', 'a b'];
  for (const host of foreign) {
    const { status, head, body } = await passedOn('/mcp', `host: ${host}`);
    expect([host, status, body.code]).toEqual([host, 403, 'request.host_not_allowed']);
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(body.detail).toMatch(/MCP_URL.*ALLOWED_HOSTS/);
  }
  const page = await passedOn('/mcp', `host: ${mcp}`, 'origin: https://evil.example');
  expect(page).toMatchObject({ status: 403, body: { code: 'request.origin_not_allowed' } });
  expect(page.body.detail).toContain('ALLOWED_HOSTS');
  for (const origin of [`https://${api}`, `https://${mcp}:${port}`, 'https://other.example.org'])
    expect((await passedOn('/mcp', `host: ${mcp}`, `origin: ${origin}`)).status).toBe(401);
});

it('a trusted proxy may send another Host and name the public one in X-Forwarded-Host', async () => {
  const inside = 'host: mcp.internal:3002';
  expect((await passedOn('/mcp', inside)).status).toBe(403);
  expect((await passedOn('/mcp', inside, 'x-forwarded-host: evil.example')).status).toBe(403);
  expect((await passedOn('/mcp', inside, `x-forwarded-host: ${names.mcp}`)).status).toBe(401);
});

it('no header changes the public addresses that metadata and challenges name', async () => {
  for (const lines of [
    [`host: localhost:${port}`],
    ['host: localhost'],
    [`host: 127.0.0.1:${app.app.ports().mcp}`],
    [`host: ${names.mcp}`, 'x-forwarded-host: localhost'],
  ]) {
    const { body } = await passedOn(protectedResourcePaths[1], ...lines);
    expect(body).toMatchObject({ resource: `${app.addresses.mcp}/mcp`, authorization_servers: [app.addresses.api] });
    expect((await passedOn(oauthPaths.metadata, ...lines)).body).toMatchObject({ issuer: app.addresses.api });
    const { head } = await passedOn('/mcp', ...lines);
    expect(head).toContain(`resource_metadata="${app.addresses.mcp}${protectedResourcePaths[1]}"`);
  }
});
