import { describe, expect } from 'vitest';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { AppError } from '#src/domain/app-error.ts';
import { picturePdf } from '#test/adapters/images/picture-pdf.ts';
import { callTool } from '#test/spec/support/call-tool.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { tools } from '#tools/index.ts';

let isDown = true;
/** The catalog, with a describer and an embedder that a provider refuses while `isDown`. */
const refused = catalogOf(
  catalog.definitions.map((definition) =>
    definition.type === 'describe' || definition.type === 'embed_text'
      ? {
          ...definition,
          async run(call) {
            if (isDown) throw new AppError('model.refused', 'The provider refused the credential (401).');
            return definition.run(call);
          },
        }
      : definition,
  ),
);
const app = await sharedApp({ overrides: { catalog: refused } });
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
});
