import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Binary, deserialize, Long, serialize } from 'bson';
import type { Document } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../engine.ts';

/** A client that says exactly what it is told to, message by message. */
class RawClient {
  readonly #socket: Socket;
  #sent = 0;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
  }

  async command(body: Document, db = 'raw'): Promise<Document> {
    return deserialize((await this.send(opMsg({ ...body, $db: db }, ++this.#sent))).subarray(21));
  }

  /** Every reply here is small enough to come in one piece. */
  async send(message: Buffer): Promise<Buffer> {
    this.#socket.write(message);
    return this.next();
  }

  async next(): Promise<Buffer> {
    const [reply] = (await once(this.#socket, 'data')) as [Buffer];
    expect(reply.readInt32LE(0)).toBe(reply.length);
    return reply;
  }

  write(message: Buffer): void {
    this.#socket.write(message);
  }

  login(mechanism: string, user: string, password: string): Promise<Document> {
    const payload = new Binary(Buffer.from(`\0${user}\0${password}`));
    return this.command({ saslStart: 1, mechanism, payload }, '$external');
  }

  close(): void {
    this.#socket.destroy();
  }
}

function framed(opCode: number, id: number, ...parts: Uint8Array[]): Buffer {
  const message = Buffer.concat([Buffer.alloc(16), ...parts]);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(id, 4);
  message.writeInt32LE(opCode, 12);
  return message;
}

function opMsg(body: Document, id: number, flags = 0, sequence?: [name: string, documents: Document[]]): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags, 0);
  const parts: Uint8Array[] = [head, serialize(body)];
  if (sequence) {
    const items = Buffer.concat([Buffer.from(`${sequence[0]}\0`), ...sequence[1].map((item) => serialize(item))]);
    const size = Buffer.alloc(5);
    size[0] = 1;
    size.writeInt32LE(items.length + 4, 1);
    parts.push(size, items);
  }
  if ((flags & 1) !== 0) parts.push(Buffer.alloc(4));
  return framed(2013, id, ...parts);
}

let engine: TestEngine;
let url: URL;
let raw: RawClient;
beforeAll(async () => {
  engine = await startTestEngine();
  url = new URL(engine.database.uri);
});
afterAll(() => engine[Symbol.asyncDispose]());
beforeEach(() => {
  raw = new RawClient(Number(url.port));
});
afterEach(() => raw.close());
const login = () => raw.login('PLAIN', url.username, url.password);
const failed = (code: number, codeName?: string) => ({ ok: 0, code, ...(codeName ? { codeName } : {}) });

describe('the handshake', () => {
  const me = {
    isWritablePrimary: true,
    helloOk: true,
    setName: 'inkgraph',
    minWireVersion: 0,
    maxWireVersion: 25,
    ok: 1,
  };

  it('answers isMaster over the legacy protocol, as drivers begin', async () => {
    const query = Buffer.concat([
      Buffer.alloc(4),
      Buffer.from('admin.$cmd\0'),
      Buffer.from([0, 0, 0, 0, 255, 255, 255, 255]),
    ]);
    const client = { driver: { name: 'raw', version: '1' }, os: { type: 'x' } };
    const reply = await raw.send(framed(2004, 7, query, serialize({ ismaster: 1, helloOk: true, client })));
    expect([reply.readInt32LE(8), reply.readInt32LE(12), reply.readInt32LE(32)]).toEqual([7, 1, 1]);
    expect(deserialize(reply.subarray(36))).toMatchObject({ ...me, ismaster: true });
  });

  it('answers hello with what limits a client, and no speculative authentication', async () => {
    const speculativeAuthenticate = {
      saslStart: 1,
      mechanism: 'SCRAM-SHA-256',
      payload: new Binary(Buffer.from('n,,n=a')),
      db: 'admin',
    };
    const reply = await raw.command({
      hello: 1,
      helloOk: true,
      compression: ['zlib'],
      speculativeAuthenticate,
      saslSupportedMechs: 'admin.a',
    });
    expect(reply).toMatchObject({
      ...me,
      maxBsonObjectSize: 16777216,
      maxMessageSizeBytes: 48000000,
      maxWriteBatchSize: 100000,
      logicalSessionTimeoutMinutes: 30,
      saslSupportedMechs: ['PLAIN'],
    });
    expect(reply).not.toHaveProperty('speculativeAuthenticate');
    expect(reply).not.toHaveProperty('compression');
    expect(reply['hosts']).toEqual([reply['me']]);
  });

  it('holds back the reply to a hello that knows the state, and goes on replying to a client that takes several', async () => {
    const { topologyVersion } = await raw.command({ hello: 1 });
    const awaited = { hello: 1, topologyVersion, maxAwaitTimeMS: 1, $db: 'admin' };
    const [exhaustAllowed, moreToCome] = [1 << 16, 2];
    const first = await raw.send(opMsg(awaited, 70, exhaustAllowed));
    expect([first.readInt32LE(8), first.readInt32LE(16)]).toEqual([70, moreToCome]);
    const second = await raw.next();
    expect([second.readInt32LE(8), second.readInt32LE(16)]).toEqual([first.readInt32LE(4), moreToCome]);
    // One reply waits at a time: a stranger holds one timer of the engine.
    expect(await raw.command(awaited)).toMatchObject(me);
  });

  it.each<[string, Document, Document]>([
    ['ping', { ping: 1 }, { ok: 1 }],
    ['connectionStatus, of nobody', { connectionStatus: 1 }, { ok: 1, authInfo: { authenticatedUsers: [] } }],
    ['no read', { find: 'c' }, failed(13, 'Unauthorized')],
    ['no write', { insert: 'c', documents: [{}] }, failed(13)],
    ['nothing about the server', { serverStatus: 1 }, failed(13)],
    ['no conversation', { saslContinue: 1, conversationId: 1, payload: new Binary(Buffer.alloc(0)) }, failed(17)],
  ])('lets a stranger have %s', async (_title, command, reply) => {
    expect(await raw.command(command)).toMatchObject(reply);
  });

  it.each<[string, string, string, number]>([
    ['a wrong password', 'PLAIN', 'wrong', 18],
    ['an empty password', 'PLAIN', '', 18],
    ['another mechanism', 'SCRAM-SHA-256', 'x', 2],
  ])('refuses %s', async (_title, mechanism, password, code) => {
    expect(await raw.login(mechanism, url.username, password)).toMatchObject(failed(code));
    expect(await raw.command({ find: 'c' })).toMatchObject(failed(13));
  });

  it('knows who has logged in', async () => {
    expect(await login()).toMatchObject({ ok: 1, done: true });
    const { authInfo } = await raw.command({ connectionStatus: 1 });
    expect(authInfo.authenticatedUsers).toEqual([{ user: 'inkgraph', db: '$external' }]);
    expect(await raw.command({ whatsmyuri: 1 })).toMatchObject({ you: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
  });
});

describe('a message', () => {
  beforeEach(login);

  it('may carry its documents beside its body, and a checksum', async () => {
    const sent = opMsg({ insert: 'm', ordered: true, $db: 'raw' }, 5, 1, ['documents', [{ _id: 1 }, { _id: 2 }]]);
    expect(deserialize((await raw.send(sent)).subarray(21))).toMatchObject({ n: 2, ok: 1 });
  });

  it('that wants no answer gets none, and is done', async () => {
    raw.write(opMsg({ insert: 'm', documents: [{ _id: 3 }], writeConcern: { w: 0 }, $db: 'raw' }, 6, 2));
    expect(await raw.command({ count: 'm', query: { _id: 3 } })).toMatchObject({ n: 1 });
  });

  it('with a sequence under an unknown name is refused', async () => {
    const sent = opMsg({ insert: 'm', documents: [{}], $db: 'raw' }, 7, 0, ['frob', [{}]]);
    expect(deserialize((await raw.send(sent)).subarray(21))).toMatchObject(failed(40415));
  });

  it('is answered under its own number', async () => {
    expect((await raw.send(opMsg({ ping: 1, $db: 'raw' }, 4711))).readInt32LE(8)).toBe(4711);
  });
});

describe('a retryable write', () => {
  let sessions = 0;
  const session = () => ({ id: new Binary(Buffer.alloc(16, ++sessions), Binary.SUBTYPE_UUID) });
  const named = (command: Document, lsid: Document, txn: number) => ({
    ...command,
    lsid,
    txnNumber: Long.fromNumber(txn),
  });
  beforeEach(async () => {
    await login();
    await raw.command({ drop: 'r' });
    await raw.command({
      insert: 'r',
      documents: [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
    });
  });
  const stored = async () => (await raw.command({ find: 'r', sort: { _id: 1 } }))['cursor'].firstBatch;
  const [one, two] = [
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
  ];

  it.each<[string, Document, Document[], string?]>([
    ['insert', { insert: 'r', documents: [{ _id: 3 }] }, [one, two, { _id: 3 }]],
    [
      'insert with a duplicate',
      { insert: 'r', documents: [{ _id: 3 }, { _id: 1 }], ordered: false },
      [one, two, { _id: 3 }],
    ],
    ['update', { update: 'r', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }, [{ _id: 1, n: 2 }, two]],
    [
      'upsert',
      { update: 'r', updates: [{ q: { _id: 3 }, u: { $inc: { n: 1 } }, upsert: true }] },
      [one, two, { _id: 3, n: 1 }],
    ],
    ['delete', { delete: 'r', deletes: [{ q: {}, limit: 1 }] }, [two]],
    [
      'findAndModify',
      { findAndModify: 'r', query: { _id: 1 }, update: { $inc: { n: 1 } }, new: true },
      [{ _id: 1, n: 2 }, two],
    ],
    ['removal', { findAndModify: 'r', sort: { _id: 1 }, remove: true }, [two]],
    [
      'bulk',
      {
        bulkWrite: 1,
        ops: [{ update: 0, filter: { _id: 1 }, updateMods: { $inc: { n: 1 } } }],
        nsInfo: [{ ns: 'raw.r' }],
      },
      [{ _id: 1, n: 2 }, two],
      'admin',
    ],
  ])('by %s is done once, and answered alike', async (_title, command, after, db = 'raw') => {
    const again = named(command, session(), 1);
    const first = await raw.command(again, db);
    expect(first).toMatchObject({ ok: 1 });
    expect(await raw.command(again, db)).toEqual(first);
    expect(await stored()).toEqual(after);
  });

  const increment = { update: 'r', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] };

  it('of a later number is another write, of an earlier one too old', async () => {
    const lsid = session();
    await raw.command(named(increment, lsid, 5));
    expect(await raw.command(named(increment, lsid, 4))).toMatchObject(failed(225, 'TransactionTooOld'));
    await raw.command(named(increment, lsid, 6));
    expect(await stored()).toMatchObject([{ n: 3 }, two]);
  });

  it('of another session is another write', async () => {
    await raw.command(named(increment, session(), 1));
    await raw.command(named(increment, session(), 1));
    expect(await stored()).toMatchObject([{ n: 3 }, two]);
  });

  it('that failed as a whole may be tried again', async () => {
    const lsid = session();
    const refused = named({ ...increment, frob: 1 }, lsid, 1);
    expect(await raw.command(refused)).toMatchObject(failed(40415));
    const duplicate = { findAndModify: 'r', query: { _id: 9 }, update: { $set: { _id: 1 } }, upsert: true };
    expect(await raw.command(named(duplicate, lsid, 1))).toMatchObject({ ok: 0 });
    expect(await raw.command(named(increment, lsid, 1))).toMatchObject({ n: 1, ok: 1 });
  });

  it('says each time that its concern is not met', async () => {
    const again = named({ ...increment, writeConcern: { w: 3 } }, session(), 1);
    for (let times = 0; times < 2; times++)
      expect(await raw.command(again)).toMatchObject({ n: 1, writeConcernError: { code: 100 } });
    expect(await stored()).toMatchObject([{ n: 2 }, two]);
  });

  it.each<[string, Document, Document]>([
    ['a read', { find: 'r' }, failed(50768)],
    ['a drop', { drop: 'r' }, failed(50768)],
    ['an aggregation that writes', { aggregate: 'r', pipeline: [{ $out: 'o' }], cursor: {} }, failed(50768)],
  ])('is not %s', async (_title, command, reply) => {
    expect(await raw.command(named(command, session(), 1))).toMatchObject(reply);
  });

  it('has a session that is a UUID, and a number that is a long', async () => {
    expect(await raw.command(named(increment, { id: 'me' }, 1))).toMatchObject(failed(14));
    expect(await raw.command({ ...increment, lsid: session(), txnNumber: 1 })).toMatchObject(failed(14));
    expect(await stored()).toEqual([one, two]);
  });

  it('needs a session', async () => {
    expect(await raw.command({ ...increment, txnNumber: Long.fromNumber(1) })).toMatchObject(failed(72));
  });
});
