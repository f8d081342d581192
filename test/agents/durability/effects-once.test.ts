import { expect, test } from 'vitest';
import { addWhole, effectsOf, openWorkshop, wholeEffects } from '#test/support/durable/durable-run.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';

test('a worker that dies between an effect and the end of its node leaves every row, picture and webhook once', async () => {
  await using workshop = await openWorkshop();
  const { gates, stored } = workshop;
  // The first time after each effect: die.
  const deaths = new Set<string>();
  await using reaper = await startOutside(({ path }, response) => {
    const first = !deaths.has(path);
    deaths.add(path);
    response.end(first ? 'die' : 'live');
  });
  const env = { DIE_AFTER_EFFECTS: reaper.url, RUN_MAX_DEATHS: '20' };
  const { executionId, runId } = await workshop.start(await addWhole(workshop));
  const over = (async () => {
    await workshop.waiting(executionId);
    await workshop.answer(runId, 'ask', 'yes');
    return workshop.ended(executionId);
  })();
  const ended = over.then(() => 'over');
  const places = ['inside%2Finner_row', 'picture%5B0%5D', 'picture%5B1%5D', 'picture%5B2%5D', 'row', 'tell'];
  let next = workshop.standby(env);
  for (;;) {
    await using worker = await next.start();
    // The next worker loads meanwhile, unless this one lives to the end.
    if (deaths.size < places.length) next = workshop.standby(env);
    if ((await Promise.race([worker.ended, ended])) !== 'over') {
      await workshop.expire();
      continue;
    }
    expect(await over).toMatchObject({ status: 'succeeded' });
    // The process that had claimed the webhook is dead: its time is over now.
    await stored.deliveries.updateMany({ status: 'pending' }, { $set: { dueAt: new Date() } });
    await expect.poll(() => stored.deliveries.countDocuments({ status: 'delivered' }), { timeout: 5_000 }).toBe(1);
    break;
  }
  // Items of the map that were under way together may have died together.
  expect([...deaths].toSorted()).toEqual(places.map((path) => `/after/${path}`));
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
  expect(new Set(gates.webhooks().map(({ id }) => id)).size).toBe(1);
}, 60_000);
