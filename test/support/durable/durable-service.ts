/**
 * The program for tests of durable runs. `DIE_AFTER_EFFECTS` is an address that is asked after each node with an effect, when its effect is
 * stored and before the run knows: the answer `die` kills the process with the signal that cannot be caught. `DRAIN_MS` is how long
 * running runs may take to end after SIGTERM. With a channel to its parent it waits, loaded and connected, until the parent tells it to
 * start.
 */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { catalog, catalogOf } from '#graphs/catalog.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import { workflow } from '#graphs/nodes/workflow.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';

const { DIE_AFTER_EFFECTS: asked, DRAIN_MS: drain } = process.env;
const withEffects = new Set(['embed_image', 'segment', 'emit']);

function deadly(definition: NodeDefinition): NodeDefinition {
  if (asked === undefined || !withEffects.has(definition.type)) return definition;
  return {
    ...definition,
    async run(call) {
      const result = await definition.run(call);
      const answer = await fetch(`${asked}/after/${encodeURIComponent(call.path)}`);
      if ((await answer.text()) !== 'die') return result;
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  };
}

const all = catalog.definitions.some(({ type }) => type === 'workflow')
  ? catalog.definitions
  : [...catalog.definitions, workflow];
const config = loadConfig(process.env);
const app = await compose(config, {
  catalog: catalogOf(all.map(deadly)),
  ...(drain !== undefined && { drainMs: Number(drain) }),
});
if (process.send !== undefined) {
  // Loaded for the first run only, in the product.
  await Promise.all([import('#graphs/run/compile.ts'), import('#src/stores/checkpoints/saver.ts'), import('sharp')]);
  // The parent may be gone without a word.
  process.once('disconnect', () => process.exit());
  await once(process, 'message');
  process.removeAllListeners('disconnect').disconnect();
}
app.logger.info(await app.start(), 'inkgraph is up');
// The process will be killed.
flushCompileCache();
process.once('SIGTERM', () => void app[Symbol.asyncDispose]());
