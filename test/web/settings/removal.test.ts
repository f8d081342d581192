import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserTest } from '#test/support/servers/browser.ts';
import type { TestApp } from '#test/support/test-app.ts';
import { expectAccessible, startSite, visit, type OwnSite, type Site } from '#test/web/site.ts';

let started: OwnSite;
let app: TestApp;
let site: Site;
let cookie: string;
beforeAll(async () => {
  started = await startSite('api');
  ({ app, site, cookie } = started);
}, 120_000);
afterAll(() => started[Symbol.asyncDispose]());

describe('The dialog of removing a member', () => {
  browserTest('names what ends with a member, and keeps what is ticked', async () => {
    const leaver = await app.addPerson('admin');
    const made = (path: string, body: object) =>
      app.call('POST', `/api/dashboard/${path}`, { cookie: leaver.cookie, body });
    const { projectId } = app.seed;
    await made('clients', { name: 'Nightly import', projectIds: [projectId], scopes: ['runs:read'] });
    const hook = 'https://receiver.example.com/left';
    await made('webhooks', { url: hook, events: ['run.failed'], projectId });
    const tab = await site.openNext(cookie);
    const { page } = tab;
    await visit(tab, `${site.api}/settings`);
    const row = page.getByRole('row').filter({ hasText: leaver.email });
    await row.getByRole('button', { name: /^Remove / }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('OAuth clients that are removed: Nightly import.').waitFor();
    await dialog.getByText(`Webhooks that are disabled: ${hook}.`).waitFor();
    await expectAccessible(tab, 'the dialog of a removal');
    await dialog.getByLabel('Keep these webhooks').check();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    const { clients } = (await app.call('GET', '/api/dashboard/clients', { cookie })).body;
    expect(clients).toEqual([]);
    await visit(tab, `${site.api}/settings?section=webhooks`);
    await page.getByRole('row').filter({ hasText: hook }).getByText('Enabled').waitFor();
    expect(tab.complaints()).toEqual([]);
  });
});
