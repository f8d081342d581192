import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Seed } from '#app/compose/seed.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { Restarter } from '#scripts/chaos/restarter.ts';
import { untilFinished, uploadStubbornly } from '#scripts/chaos/stubborn-client.ts';
import { verifyFolder } from '#scripts/chaos/verify.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { fixture } from '#test/support/test-app.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let seed: Seed;
beforeAll(async () => {
  folder = await temporaryFolder();
  seed = await prepareFolder(folder.path);
});
afterAll(() => folder.remove());

const env = { SERVICES: 'api,agents', RUN_LEASE_MS: '1000' };

test('every acknowledged upload is one finished run with one result of each kind, however often the process is killed', async () => {
  const file = { bytes: await fixture('note.gif'), contentType: 'image/gif' };
  const documentIds: string[] = [];
  {
    await using restarter = new Restarter({ dataDir: folder.path, env });
    const acks = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
    const uploads = Promise.all(
      acks.map(async () => {
        documentIds.push(await uploadStubbornly(restarter, seed.workflowKey, file));
        acks[documentIds.length - 1]?.resolve();
      }),
    );
    const acknowledged = (count: number) => Promise.race([acks[count - 1]?.promise, uploads]);
    // While others are being uploaded, with an outbox that may not be relayed yet.
    await acknowledged(1);
    await restarter.kill();
    // While runs are under way.
    await acknowledged(6);
    await restarter.kill();
    await uploads;
    const allFinished = () => documentIds.map((id) => untilFinished(restarter, seed.serviceKey, id));
    // In the middle of the work, after some of it was finished.
    const waiting = allFinished();
    await Promise.any(waiting);
    await restarter.kill();
    await Promise.all([...waiting, ...allFinished()]);
    expect(restarter.restarts).toHaveLength(3);
  }
  expect(documentIds).toHaveLength(8);
  expect(await verifyFolder(folder.path, seed.organizationId, documentIds)).toEqual([]);
}, 180_000);
