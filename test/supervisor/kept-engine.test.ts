import { expect, test } from 'vitest';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { keepEngine } from '#app/supervisor/kept-engine.ts';
import { loadConfig } from '#src/config/config.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { temporaryFolder } from '#test/support/objects.ts';

test('an engine that stops by itself is opened again at its port, also after a failed attempt, and not after the end', async () => {
  const folder = await temporaryFolder();
  const opened: { uri: string; stop(): Promise<void> }[] = [];
  let refusals = 0;
  const open: typeof openEmbeddedDatabase = async (options) => {
    if (refusals > 0) {
      refusals -= 1;
      throw new Error('the disk is full');
    }
    const engine = await openEmbeddedDatabase(options);
    const { promise: failed, resolve } = Promise.withResolvers<Error>();
    opened.push({
      uri: engine.uri,
      async stop() {
        await engine.close();
        resolve(new Error('stopped by the test'));
      },
    });
    return { ...engine, failed };
  };
  const log = new LogBook();
  const kept = await keepEngine(loadConfig({ DATA_DIR: folder.path }), log, { open });
  refusals = 1;
  await opened[0]?.stop();
  await expect.poll(() => opened.length).toBe(2);
  expect(opened[1]?.uri).toBe(opened[0]?.uri);
  const database = connectDatabase(opened[1]?.uri ?? '');
  await database.db.command({ ping: 1 });
  await database.close();
  expect(log.lines.filter(({ message }) => message.includes('could not be opened again'))).toHaveLength(1);
  // Attempts fail from here on: disposing ends them.
  refusals = Number.POSITIVE_INFINITY;
  await opened[1]?.stop();
  await expect.poll(() => log.lines.filter(({ message }) => message.includes('again')).length).toBeGreaterThan(3);
  await kept[Symbol.asyncDispose]();
  const attempts = log.lines.length;
  await using next = await keepEngine(loadConfig({ DATA_DIR: folder.path }), new LogBook());
  expect(next).toBeDefined();
  expect(log.lines.length).toBeLessThanOrEqual(attempts + 1);
  await folder.remove();
});
