import { afterAll, beforeAll, expect } from 'vitest';
import { openModelLab, type ModelLab } from '#test/experiments/support/model-lab.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { expectAccessible, Site, visit } from '#test/web/site.ts';

let lab: ModelLab;
let site: Site;
beforeAll(async () => {
  lab = await openModelLab({ held: 5, dev: 6, env: { WEB: 'on' } });
  expect(await lab.app.app.preparePages()).toBe(true);
  site = new Site(lab.app);
}, 120_000);
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

browserTest('the page of an experiment says in plain words what failed, and that there is no verdict', async () => {
  lab.cast(() => ({ status: 401, body: '{"error":{}}' }));
  const { experimentId } = await lab.compared({ split: 'dev' });
  const tab = await site.open(lab.cookie);
  await visit(tab, `${site.api}/experiments/${experimentId}`);
  const verdict = tab.page.getByRole('region', { name: 'Verdict' });
  expect(await verdict.textContent()).toContain('12 of 12 runs failed: the model refused the key.');
  expect(await verdict.textContent()).toContain('No verdict');
  const lines = await verdict.getByText(/runs lost/).allTextContents();
  expect(lines).toEqual(['baseline', 'v1'].map((name) => `${name}: 6 runs lost: the model refused the key`));
  await expectAccessible(tab, 'experiment');
  expect(tab.complaints()).toEqual([]);
});
