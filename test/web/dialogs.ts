import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, go, type Tab } from '#test/web/site.ts';

interface Opener {
  readonly path: string;
  readonly open: (page: Page) => Promise<void>;
}

const press = (keys: string) => (page: Page) => page.keyboard.press(keys);
const click = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('main')
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();

/** Ways to every dialog that a person opens without having made something first. */
const openers = (documentId: string, workflowId: string): readonly Opener[] => [
  { path: '/documents', open: press('Control+k') },
  { path: '/documents', open: press('?') },
  { path: '/documents', open: click('Upload') },
  { path: '/documents', open: click('Views') },
  { path: `/documents/${documentId}`, open: click('Run workflow') },
  { path: `/documents/${documentId}?tab=fields`, open: click(/^Correct /) },
  {
    path: `/documents/${documentId}`,
    async open(page) {
      await click(/^More/)(page);
      await page.getByRole('menuitem', { name: 'Rename and tag' }).click();
    },
  },
  { path: '/records', open: click('Add a condition') },
  { path: '/records', open: click(/^Correct /) },
  { path: '/workflows', open: click('New workflow') },
  { path: '/workflows', open: click(/^Delete/) },
  { path: `/workflows/${workflowId}`, open: click('Add node') },
  { path: `/workflows/${workflowId}`, open: click('Publish') },
  { path: '/experiments', open: click('New experiment') },
  { path: '/experiments?tab=datasets', open: click('New dataset') },
  { path: '/settings', open: click('Invite a person') },
  ...Object.entries({
    projects: 'New project',
    keys: 'New key',
    secrets: 'Set a secret',
    webhooks: 'Add a webhook',
  }).map(([section, name]): Opener => ({ path: `/settings?section=${section}`, open: click(name) })),
];

/** A person who opens a dialog with a text field types at once. */
async function expectFocusInField(dialog: Locator, place: string): Promise<void> {
  const field = ':is([type=text], textarea)';
  if ((await dialog.locator(field).count()) === 0) return;
  expect(await dialog.locator(`${field}:focus`).count(), place).toBe(1);
}

/** Opens every dialog, and fails with each violation of WCAG in it. */
export async function lookAtDialogs(tab: Tab, place: string, documentId: string, workflowId: string): Promise<void> {
  const { page, quiet } = tab;
  for (const { path, open } of openers(documentId, workflowId)) {
    await go(tab, path);
    await open(page);
    const dialog = page.locator('dialog[open]').last();
    await dialog.waitFor();
    await quiet();
    await expectFocusInField(dialog, `${path}, ${place}`);
    await expectAccessible(tab, `${path}, ${place}`, 'dialog[open]');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
}
