/** The program with node types that kill its process with the signal that cannot be caught, and one that does nothing. */
import { catalog, catalogOf } from '#graphs/catalog.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { noop, testNode } from '#test/graphs/support/graph-fixtures.ts';

const die = (): void => void process.kill(process.pid, 'SIGKILL');
const deadly = testNode('deadly', () => {
  die();
  return new Promise(() => {});
});
/** Late enough that what came before it is stored. */
const deadlyLater = testNode('deadly_later', () => new Promise(() => setTimeout(die, 250)));

const config = loadConfig(process.env);
const app = await compose(config, { catalog: catalogOf([...catalog.definitions, noop, deadly, deadlyLater]) });
app.logger.info(await app.start(), 'inkgraph is up');
