import { describe, expect, it } from 'vitest';
import { mendRuns } from '#app/upkeep/mend-runs.ts';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { AppError } from '#src/domain/app-error.ts';
import { picturePdf } from '#scripts/inputs/picture-pdf.ts';
import { createRunMends } from '#src/stores/runs/run-mends.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { dashboardClient, documentsPath } from '#test/support/dashboard/dashboard-client.ts';
import { verifies } from '#test/support/verifies.ts';
import { tools } from '#tools/index.ts';

let isDown = true;
let failure: 'model.refused' | 'model.failed' = 'model.refused';
/** The catalog, with a describer and an embedder that fail while `isDown`. */
const refused = catalogOf(
  catalog.definitions.map((definition) =>
    definition.type === 'describe' || definition.type === 'embed_text'
      ? {
          ...definition,
          async run(call) {
            // One node is enough where failures are retried, with pauses.
            if (isDown && (failure === 'model.refused' || definition.type === 'describe'))
              throw new AppError(failure, 'The provider does not answer as it should.');
            return definition.run(call);
          },
        }
      : definition,
  ),
);
const app = await sharedApp({ overrides: { catalog: refused } });
/** One round of the regular work, at this time. */
const mend = async (at: string | number) => {
  const mends = createRunMends(await app.stored());
  const done = await mendRuns({ ...app.app.deps, mends }, new Date(at), new AbortController().signal);
  await app.app.idle();
  return done;
};
const sentence = 'The boiler of the municipal baths was inspected by Havlicek and found in order';

describe('a document whose description failed', () => {
  verifies('resource.execution.degraded', async () => {
    const pdf = picturePdf({ text: `BT /F1 12 Tf 60 700 Td (${sentence}) Tj ET` });
    const { id } = await app.ingest(pdf, 'application/pdf');
    await app.app.idle();
    const nodes = ['describe', 'embed_text'];
    const card = async () =>
      (await callTool(app, tools.searchDocuments, { query: 'Havlicek' })).documents.find((one) => one.id === id);
    expect(await card()).toMatchObject({ degraded: nodes, description: null });
    const { runs } = await callTool(app, tools.listRuns, { documentId: id });
    expect(runs).toMatchObject([{ status: 'succeeded', degraded: nodes }]);
    const { run } = await callTool(app, tools.getRun, { runId: runs[0]?.runId ?? '', detail: 'steps' });
    expect(
      run?.steps.filter((step) => step.type === 'describe'),
      'a refusal is not retried',
    ).toMatchObject([{ status: 'continued', attempt: 1, error: { code: 'model.refused' } }]);

    expect(await mend('2100-01-01'), 'not by itself after a refusal').toEqual({ mended: 0 });
    isDown = false;
    expect(await callTool(app, tools.retryRuns, { degraded: true })).toMatchObject({ retried: 1 });
    await app.app.idle();
    expect(await callTool(app, tools.retryRuns, { degraded: true }), 'once').toMatchObject({ retried: 0 });
    const mended = await card();
    expect(mended?.description).toContain('boiler');
    expect(mended).not.toHaveProperty('degraded');
    const again = await callTool(app, tools.listRuns, { documentId: id, limit: 1 });
    expect(again.runs[0]).not.toHaveProperty('degraded');
  });

  it('is mended by itself when the model is back', async () => {
    isDown = true;
    failure = 'model.failed';
    const ids: string[] = [];
    for (const name of ['Abelard', 'Benedikt', 'Cyprian']) {
      const pdf = picturePdf({
        text: `BT /F1 12 Tf 60 700 Td (The roof was inspected by ${name} and found dry) Tj ET`,
      });
      ids.push((await app.ingest(pdf, 'application/pdf')).id);
      await app.app.idle();
    }
    const { runs } = await app.stored();
    const waiting = () => runs.countDocuments({ mendAt: { $exists: true } });
    expect(await waiting()).toBe(3);
    expect(await mend(Date.now()), 'not before its time').toEqual({ mended: 0 });
    const minutes = (count: number) => Date.now() + count * 60_000;
    expect(await mend(minutes(11)), 'one asks while the model is away').toEqual({ mended: 1 });
    expect(await waiting(), 'the others keep their repetitions').toBe(3);
    isDown = false;
    expect(await mend(minutes(11))).toEqual({ mended: 1 });
    expect(await mend(minutes(121)), 'all others').toEqual({ mended: 2 });
    expect(await waiting()).toBe(0);
    expect(await runs.distinct('lane', { mends: { $exists: true } }), 'behind other work').toEqual(['bulk']);
    const { documents } = await app.stored();
    expect(await documents.countDocuments({ _id: { $in: ids }, degraded: { $exists: false } })).toBe(3);
  });

  it('keeps the description that a person wrote meanwhile when it is mended', async () => {
    isDown = true;
    const { id } = await app.ingest(
      picturePdf({ text: `BT /F1 12 Tf 60 700 Td (The well was inspected by Dagobert and found dry) Tj ET` }),
      'application/pdf',
    );
    await app.app.idle();
    const { cookie, get } = await dashboardClient(app);
    const path = `${documentsPath}/${id}`;
    const body = { baseDescriptionId: null, description: 'Written by hand' };
    const { status } = await app.call('PATCH', `${path}/description`, { cookie, body });
    expect(status).toBe(200);
    isDown = false;
    expect(await mend(Date.now() + 11 * 60_000)).toEqual({ mended: 1 });
    expect((await get(path)).body.description).toBe('Written by hand');
    expect((await get(`${path}/descriptions`)).body.descriptions).toMatchObject([
      { source: 'run', current: false },
      { source: 'person', current: true },
    ]);
  });
});
