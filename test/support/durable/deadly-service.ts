/** The program with node types that kill its process with the signal that cannot be caught, and one that does nothing. */
import { flushCompileCache } from 'node:module';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { collectionsIn } from '#test/support/stored.ts';

const config = loadConfig(process.env);
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const deadly = testNode('deadly', () => {
  die();
  return new Promise(() => {});
});

/** Checkpoints of a run whose second node begins: of its input, of its start, and of its first node. */
const checkpointsBefore = 3;
/** Dies when the node before it is stored: its deaths are then deaths without progress, however slow the machine is. */
const deadlyLater = testNode(
  'deadly_later',
  async ({ run: { runId } }) => {
    const { checkpoints } = await collectionsIn(config.dataDir);
    while ((await checkpoints.countDocuments({ threadId: runId })) < checkpointsBefore);
    die();
    return new Promise(() => {});
  },
  { defaultTimeoutMs: 30_000 },
);

const app = await compose(config, { catalog: catalogOf([...catalog.definitions, noop, deadly, deadlyLater]) });
app.logger.info(await app.start(), 'inkgraph is up');
// The process will be killed.
flushCompileCache();
