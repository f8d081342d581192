/** The program with two more node types: `deadly` kills its process with the signal that cannot be caught, `noop` does nothing. */
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { compose } from '#src/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { noop, testNode } from '#test/graphs/support/graph-fixtures.ts';

const deadly = testNode('deadly', () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
});

const config = loadConfig(process.env);
const app = await compose(config, { catalog: catalogOf([...catalog.definitions, noop, deadly]) });
app.logger.info(await app.start(), 'inkgraph is up');
