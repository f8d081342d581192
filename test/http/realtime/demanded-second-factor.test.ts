import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserWith, tokenOf, withFactor } from '#test/auth/support/second-factor.ts';
import { chatPath, listenForChat, tellAnswer } from '#test/chat-clients/support/chat-listener.ts';
import { send } from '#test/mcp/work/modern-wire.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { realtimePath, serveRealtime } from '#test/support/dashboard/realtime-service.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
/** The owner who demands it, with a second factor. */
let owner: string;
let member: Person;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api,mcp' } });
  owner = await withFactor(app, await app.addPerson('owner'));
  member = await app.addPerson('editor');
});
afterAll(() => app[Symbol.asyncDispose]());
const demand = (requiresSecondFactor: boolean) =>
  app.call('PATCH', '/api/dashboard/organization', { cookie: owner, body: { requiresSecondFactor } });
afterEach(() => demand(false));

/** A feed that is open: it has sent its first id. */
async function live(cookie: string, origin: string | URL = app.addresses.api): Promise<RealtimeClient> {
  const client = await listenTo(new URL(realtimePath, origin), { cookie });
  expect(client.status).toBe(200);
  await client.until(({ lastId }) => lastId !== '');
  return client;
}
/** The feed gets an event that is sent after the demand, so it is still open. */
async function goesOn(client: RealtimeClient): Promise<void> {
  const before = client.told.length;
  await app.app.deps.events.append([realtimeEvent(app.seed.organizationId)]);
  await client.until(({ told }) => told.length > before);
}

describe('The demand of a second factor ends streams that are open', () => {
  test('feeds of members without one, at once, and no others', async () => {
    using theirs = await live(member.cookie);
    using owners = await live(owner);
    expect((await demand(true)).status).toBe(200);
    await theirs.ended;
    await goesOn(owners);
    using again = await listenTo(new URL(realtimePath, app.addresses.api), { cookie: member.cookie });
    expect(again.status).toBe(403);
  });

  test('feeds at once when an owner demands it on the page of organizations', async () => {
    using theirs = await live(member.cookie);
    const browser = browserWith(app, owner);
    await browser.open('/organizations');
    expect((await browser.send('/two-factor/demand', { required: 'yes' })).status).toBe(200);
    await theirs.ended;
  });

  test('feeds at the next regular check when another process changed it', async () => {
    await using other = await serveRealtime(app, { checkMs: 20 });
    using theirs = await live(member.cookie, other.origin);
    using owners = await live(owner, other.origin);
    await app.app.deps.organizations.demandSecondFactor(app.seed.organizationId, true);
    await theirs.ended;
    await goesOn(owners);
  });

  test('a feed of a member who turns their second factor off on its page', async () => {
    const leaving = await app.addPerson('editor');
    const cookie = await withFactor(app, leaving);
    expect((await demand(true)).status).toBe(200);
    using theirs = await live(cookie);
    const browser = browserWith(app, cookie);
    await browser.open('/two-factor');
    await browser.send('/two-factor/disable', { password: leaving.password });
    await theirs.ended;
  });

  test('streams of programs that act for such members, at once, and no others', async () => {
    const url = new URL('/mcp', app.addresses.mcp);
    const leaving = new AbortController();
    const listening = (secret: string): Promise<Response> =>
      send(
        { url, secret },
        {
          method: 'subscriptions/listen',
          params: { notifications: { toolsListChanged: true } },
          signal: leaving.signal,
        },
      );
    const token = await tokenOf(app, member, url.href);
    const [theirs, key] = [await listening(token), await listening(app.seed.serviceKey)];
    expect([theirs.status, key.status]).toEqual([200, 200]);
    const keyEnded = key.text().then(
      () => true,
      () => false,
    );
    const ended = theirs.text().catch(() => 'ended');
    await demand(true);
    await ended;
    expect((await listening(token)).status).toBe(403);
    leaving.abort();
    // The key's stream ended because this test left it.
    expect(await keyEnded).toBe(false);
  });

  test('the answer to a question of a member without one', async () => {
    const gate = new Promise<void>(() => undefined);
    await using chat = await listenForChat(app, (ctx) => tellAnswer(ctx, { gate }), { checkMs: 5 });
    const response = await fetch(chat.url + chatPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: member.cookie },
      body: JSON.stringify({ id: 'x', messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(response.status).toBe(200);
    await demand(true);
    await expect(response.text()).rejects.toThrow();
  });
});
