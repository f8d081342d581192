import { expect, test } from 'vitest';
import { temporaryFolder } from '#test/support/objects.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { startTestApp } from '#test/support/test-app.ts';

test('an event that is announced right before a stop is stored', async () => {
  const folder = await temporaryFolder();
  const dataDir = folder.path;
  let organizationId = '';
  {
    await using app = await startTestApp({ dataDir });
    ({ organizationId } = app.seed);
    app.app.deps.announce([realtimeEvent(organizationId, { data: { text: 'last words' } })]);
  }
  await using app = await startTestApp({ dataDir });
  const events = await app.app.deps.events.read(organizationId, 0, 1_000);
  expect(events).toContainEqual(expect.objectContaining({ data: { text: 'last words' } }));
  await app[Symbol.asyncDispose]();
  await folder.remove();
});
