import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { type Anything, failureOf, openOnWarmThread } from '#embedded-test/engine.ts';
import { embedded } from '#scripts/embedded.ts';
import { runCommand } from '#test/support/command.ts';
import { run, startOwnProcess } from '#embedded-test/running/own-process.ts';

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  dataDir = join(folder, 'data');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const cardFile = (): string => join(dataDir, 'database', 'engine.json');
const readCard = async (): Promise<Record<string, unknown>> => JSON.parse(await readFile(cardFile(), 'utf8'));

async function things<T>(
  uri: string,
  body: (all: ReturnType<typeof collectionOf>, client: MongoClient) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1500 });
  try {
    return await body(collectionOf(client), client);
  } finally {
    await client.close();
  }
}
const collectionOf = (client: MongoClient) => client.db('d').collection<Anything>('things');

async function squat(): Promise<{ server: Server; port: number; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      heard.push(bytes.toString('latin1'));
      socket.end('nothing of yours');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as { port: number }).port, heard };
}

describe('the engine as a process of its own', () => {
  it('tells a terminal or whoever asks the connection string, and anyone else the file where the password is', async () => {
    await using shy = await startOwnProcess(dataDir, ['--port', '0']);
    const { password, address, pid } = await readCard();
    expect(shy.line).toBe(`Listening on ${String(address)}; the password is in ${cardFile()}`);
    expect(shy.line).not.toContain(password);
    expect(pid).toBe(shy.pid);
    expect((await stat(cardFile())).mode & 0o777).toBe(0o600);
    expect(await shy.end('SIGTERM')).toBe(0);
    await using open = await startOwnProcess(dataDir);
    expect(open.line).toMatch(new RegExp(`^mongodb://inkgraph:${String(password)}@127\\.0\\.0\\.1:\\d+/`));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'on %s finishes what it was given and leaves one complete file',
    async (signal) => {
      await using engine = await startOwnProcess(dataDir);
      const acknowledged = await things(engine.line, async (all) => {
        await all.insertOne({ _id: 'first' });
        const writes = Promise.allSettled(Array.from({ length: 200 }, (_, _id) => all.insertOne({ _id })));
        await engine.end(signal);
        return (await writes).filter(({ status }) => status === 'fulfilled').length;
      });
      expect(await engine.ended).toBe(0);
      expect(await engine.errors).toBe('');
      expect(await readdir(join(dataDir, 'database'))).not.toContain('inkgraph.sqlite-wal');
      expect(Object.keys(await readCard()).toSorted()).toEqual(['opened', 'password']);
      const again = await openOnWarmThread({ dataDir });
      expect(await things(again.uri, (all) => all.countDocuments())).toBeGreaterThanOrEqual(acknowledged + 1);
      await again.close();
    },
  );

  it('is found by engines, services and commands that start later on the same folder', async () => {
    await prepareFolder(dataDir);
    await using engine = await startOwnProcess(dataDir);
    const attached = await openOnWarmThread({ dataDir });
    expect([attached.owned, attached.uri, attached.pid]).toEqual([false, engine.line, engine.pid]);
    await attached.close();
    await using service = await startService({ dataDir, env: { SERVICES: 'api' } });
    await things(engine.line, async (_, client) => {
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
      expect(databases.map(({ name }) => name)).toContain('inkgraph');
    });
    expect((await fetch(`${service.addresses.api}/livez`)).status).toBe(200);
    expect(await engine.end('SIGTERM')).toBe(0);
    // The service runs it now, where everybody knows it to be.
    await expect
      .poll(async () => (await fetch(`${service.addresses.api}/readyz`)).status, { timeout: 10_000 })
      .toBe(200);
    expect(await things(engine.line, (all) => all.countDocuments())).toBe(0);
  });

  it('killed with -9, gives its place to the next at once, with everything acknowledged', async () => {
    const engine = await startOwnProcess(dataDir);
    await things(engine.line, (all) => all.insertMany([{ _id: 1 }, { _id: 2 }]));
    await engine.end('SIGKILL');
    expect(await readCard()).toMatchObject({ pid: engine.pid });
    const next = await openOnWarmThread({ dataDir });
    expect(next.owned).toBe(true);
    expect(await things(next.uri, (all) => all.countDocuments())).toBe(2);
    await next.close();
  });
});

describe('the engine as a process of its own refuses, with one line and a code that is not 0', () => {
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runCommand(embedded, ['--data', dataDir, ...args]);
    expect([code, out]).toEqual([1, '']);
    return err;
  };
  const refusalOfProcess = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run('embedded', ['--data', dataDir, ...args]);
    expect([code, out]).toEqual([1, '']);
    return err;
  };

  it.each(['0.0.0.0', '::'])('to listen on %s', async (host) => {
    expect(await refusal('--host', host)).toMatch(/^--host=.*this machine only.*\n$/);
  });

  it.each(['-1', '65536', '1e3'])('port "%s"', async (port) => {
    expect(await refusal(`--port=${port}`)).toMatch(/^--port: expected 0 to 65535/);
  });

  it('an unknown option', async () => {
    expect(await refusal('--prot', '1')).toContain("Unknown option '--prot'");
  });

  it('a folder that another has open, and says which process and where', async () => {
    await using engine = await startOwnProcess(dataDir);
    const { address } = await readCard();
    expect(await refusalOfProcess('--port', '0')).toBe(
      `Another engine already runs on ${dataDir}: process ${engine.pid}, on ${String(address)}.\n`,
    );
  });

  it('a port in use', async () => {
    const { server, port } = await squat();
    expect(await refusalOfProcess('--port', String(port))).toBe(
      `The embedded engine cannot listen on 127.0.0.1:${port}: another program uses it\n`,
    );
    server.close();
    await (await openOnWarmThread({ dataDir })).close();
  });

  it('NODE_ENV=production without EMBEDDED_DB=allow, whatever MONGODB_URI is', async () => {
    const env = { PATH: process.env['PATH'], NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1/' };
    const refused = await run('embedded', ['--data', dataDir, '--port', '0'], { env });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('EMBEDDED_DB=allow')]);
    await using allowed = await startOwnProcess(dataDir, ['--port', '0'], { env: { ...env, EMBEDDED_DB: 'allow' } });
    expect(await allowed.end('SIGTERM')).toBe(0);
  });
});

describe('a card that was left behind', () => {
  it('sends nobody to a stranger on the old port, and nobody tells the stranger the password', async () => {
    const first = await openOnWarmThread({ dataDir });
    const { password } = await readCard();
    await first.close();
    const { server, port, heard } = await squat();
    await writeFile(cardFile(), JSON.stringify({ password, address: `127.0.0.1:${port}`, pid: 1 }));
    const second = await openOnWarmThread({ dataDir });
    expect([second.owned, second.address === `127.0.0.1:${port}`]).toEqual([true, false]);
    expect(heard).toEqual([]);
    await second.close();
    server.close();
  });

  it('loses the address of its killed owner before the next one listens', async () => {
    await (await openOnWarmThread({ dataDir })).close();
    const { server, port } = await squat();
    const left = { ...(await readCard()), address: '127.0.0.1:9', pid: 1 };
    await writeFile(cardFile(), JSON.stringify(left));
    await expect(openOnWarmThread({ dataDir, port })).rejects.toThrow('another program uses it');
    expect(await readCard()).toEqual({ ...left, address: undefined, pid: process.pid });
    server.close();
  });

  it('does not make an engine of another folder ours', async () => {
    const other = await openOnWarmThread({ dataDir: join(folder, 'other') });
    await mkdir(join(dataDir, 'database'), { recursive: true });
    await writeFile(cardFile(), JSON.stringify({ password: 'a guess', address: other.address }));
    const ours = await openOnWarmThread({ dataDir });
    expect([ours.owned, ours.uri === other.uri]).toEqual([true, false]);
    await ours.close();
    await other.close();
  });

  it('that is torn gives way to a new password', async () => {
    await (await openOnWarmThread({ dataDir })).close();
    await writeFile(cardFile(), '{"passw');
    const again = await openOnWarmThread({ dataDir });
    await things(again.uri, (all) => all.insertOne({ _id: 1 }));
    await again.close();
  });
});

describe('a unix socket in place of a port', () => {
  const socketUri = (uri: string, socket: string): void =>
    expect(uri).toMatch(new RegExp(`^mongodb://inkgraph:[^@]+@${encodeURIComponent(socket)}/`));

  it('is the owner’s alone, asks for the password all the same, and is found by later openers', async () => {
    const socket = join(folder, 'run', 'engine.sock');
    await using engine = await startOwnProcess(dataDir, ['--socket', socket, '--print-uri']);
    socketUri(engine.line, socket);
    expect((await stat(socket)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'run'))).mode & 0o777).toBe(0o700);
    const attached = await openOnWarmThread({ dataDir });
    expect([attached.owned, attached.uri]).toEqual([false, engine.line]);
    await things(attached.uri, async (all) => {
      await all.insertMany([{ _id: 1 }, { _id: 2 }]);
      expect(await all.find().toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
    });
    await things(engine.line.replace(/inkgraph:[^@]*@/, 'inkgraph:wrong@'), async (_, client) =>
      expect(await failureOf(client.connect())).toMatchObject({ code: 18 }),
    );
    expect(await engine.end('SIGTERM')).toBe(0);
    expect(await readdir(join(folder, 'run'))).toEqual([]);
  });

  it('left by a killed engine is replaced; one that another program answers on is not', async () => {
    const socket = join(folder, 'run', 'engine.sock');
    const killed = await startOwnProcess(dataDir, ['--socket', socket, '--print-uri']);
    await killed.end('SIGKILL');
    expect(await readdir(join(folder, 'run'))).toEqual(['engine.sock']);
    await using engine = await startOwnProcess(dataDir, ['--socket', socket, '--print-uri']);
    await things(engine.line, (all) => all.insertOne({ _id: 1 }));
    const { message } = await failureOf(openOnWarmThread({ dataDir: join(folder, 'other'), socket }));
    expect(message).toContain('another program uses it');
    await things(engine.line, async (all) => expect(await all.countDocuments()).toBe(1));
  });

  it('is refused in a folder that others can open, and where its path is too long', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o755);
    const open = await failureOf(openOnWarmThread({ dataDir, socket: join(shared, 'x.sock') }));
    expect(open.message).toContain('chmod 700');
    const long = await failureOf(openOnWarmThread({ dataDir, socket: join(folder, 'x'.repeat(100), 'x.sock') }));
    expect(long.message).toContain('longer than');
  });
});
