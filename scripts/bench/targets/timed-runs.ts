/** The whole service with a workflow whose nodes take a known time, and LangGraph alone beside it, never at once. */
import { rawTimed } from '#scripts/bench/peers/raw-timed.ts';
import { inLanes } from '#scripts/bench/processes/http-send.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { startHarness } from '#scripts/bench/targets/run-harness.ts';
import { thirtyNodes, timedCatalog } from '#scripts/bench/targets/timed-workflow.ts';

const { app, seeded, add, runToEnd } = await startHarness(timedCatalog);
const document = sampleDocument(seeded, 0);
await app.deps.documents.insert(document);
const workflowId = await add(thirtyNodes);
const raw = rawTimed(thirtyNodes.graph);
let threads = 0;

serve({
  ours: (count: number) => inLanes(count, 1, async () => void (await runToEnd(workflowId, [document._id]))),
  raw: (count: number) => inLanes(count, 1, () => raw.run(`thread-${(threads += 1)}`)),
  idle: () => app.idle(),
});
