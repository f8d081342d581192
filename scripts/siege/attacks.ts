import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { drawingPdf } from '#scripts/inputs/drawing-pdf.ts';
import { picturePdf } from '#scripts/inputs/picture-pdf.ts';
import { passwordAttacks } from '#scripts/siege/password-attacks.ts';
import type { ScanName } from '#scripts/siege/read-scans.ts';
import { flood, senderFrom, type Sender, type Statuses } from '#scripts/siege/send.ts';
import type { Target } from '#scripts/siege/target.ts';

/** Addresses of attackers; the tenant uses 127.0.0.1. */
const attackers = '127.0.0.2';

export interface Attack {
  readonly name: string;
  /** Only these scans of the tenant are read, and their time has the goal of the requests. Default: all of them, without a goal. */
  readonly scans?: readonly ScanName[];
  /** true: other programs use a core before and under the attack, and only failures count. */
  readonly busy?: true;
  /** Goes on until the signal. */
  run(target: Target, signal: AbortSignal, statuses: Statuses): Promise<void>;
}

const json = (body: object, key?: string) => ({
  headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
  body: JSON.stringify(body),
});

export async function withSender(statuses: Statuses, work: (sender: Sender) => Promise<void>): Promise<void> {
  using sender = senderFrom(attackers, statuses);
  await work(sender);
}

/** A request that sends one header a second and never ends. */
async function holdConnections(url: string, count: number, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: attackers });
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    return socket;
  });
  while (!signal.aborted) {
    await pause(1_000);
    for (const socket of sockets) if (socket.writable) socket.write('X-More: 1\r\n');
  }
  for (const socket of sockets) socket.destroy();
}

/** Uploads with presign, PUT and ack; answers the document's id, or null where something was refused. */
export async function upload(
  { send }: Sender,
  { api, key }: Pick<Target, 'api'> & { key: string },
  { bytes, contentType }: { bytes: Buffer; contentType: string },
): Promise<string | null> {
  const service = key.startsWith('ink_svc_');
  const base = `${api}/api/${service ? 'service/' : ''}uploads`;
  const wanted = { contentType, size: bytes.length, ...(service && { visibility: 'private' }) };
  const signed = await send({ method: 'POST', url: `${base}/presign`, ...json(wanted, key) });
  if (signed.status !== 200) return null;
  const { uploadUrl, objectKey } = JSON.parse(signed.body) as { uploadUrl: string; objectKey: string };
  await send({ method: 'PUT', url: uploadUrl, body: bytes });
  const acked = await send({
    method: 'POST',
    url: `${base}/ack`,
    ...json({ objectKey, ...(service && { idempotencyKey: objectKey.slice(-100) }) }, key),
  });
  return acked.status === 201 ? (JSON.parse(acked.body) as { document: { id: string } }).document.id : null;
}

/** Uploads a PDF and reads its document, two at once. */
function unpackingPdfs(name: string, make: () => Buffer): Attack {
  return {
    name,
    run: (target, signal, statuses) =>
      withSender(statuses, async (sender) => {
        const bytes = make();
        const { api, workflowKey, key } = target;
        await flood(2, signal, async () => {
          const id = await upload(sender, { api, key: workflowKey }, { bytes, contentType: 'application/pdf' });
          if (id === null) return pause(200);
          await sender.send({
            method: 'GET',
            url: `${api}/api/service/documents/${id}`,
            headers: { 'x-api-key': key },
          });
          return pause(1_000);
        });
      }),
  };
}

/** A page with one grey picture of 24,000 x 24,000 pixels. */
function hugePicture(): Buffer {
  const side = 24_000;
  const entries = '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode';
  const data = deflateSync(Buffer.alloc(side ** 2, 0x7f), { level: 9 });
  return picturePdf({ picture: { width: side, height: side, entries, data } });
}

/** 90,000 keys in a megabyte. */
const manyKeys = `{${Array.from({ length: 90_000 }, (_, at) => `"k${at}":0`).join(',')}}`;

/** A schema of 4 kB whose references unfold to 2^40 parts. */
const doubled = {
  $ref: '#/$defs/d40',
  $defs: Object.fromEntries(
    Array.from({ length: 41 }, (_, at) => [
      `d${at}`,
      at === 0
        ? { type: 'string' }
        : { properties: { a: { $ref: `#/$defs/d${at - 1}` }, b: { $ref: `#/$defs/d${at - 1}` } } },
    ]),
  ),
};

const chain = (node: object, state: object) => ({
  schemaVersion: 1,
  name: 'Hostile',
  state,
  nodes: { a: node },
  edges: [
    { from: 'START', to: 'a' },
    { from: 'a', to: 'END' },
  ],
});

const tool = (name: string, input: object, key: string) => ({
  method: 'POST' as const,
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: input,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'siege', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
});

/** Each attack that an adversary brought the service down with once, and floods at each limit. */
export const attacks: readonly Attack[] = [
  {
    name: 'sign-in with 90,000 keys in 1 MB, ten at once',
    run: ({ api }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(10, signal, () =>
          send({
            method: 'POST',
            url: `${api}/api/auth/sign-in/email`,
            headers: { 'content-type': 'application/json' },
            body: manyKeys,
          }),
        ),
      ),
  },
  {
    name: 'guesses of a password, 20 at once',
    run: ({ api }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(20, signal, (turn) => {
          const url = `${api}/api/auth/sign-in/email`;
          return send({
            method: 'POST',
            url,
            ...json({ email: 'operator@example.com', password: `guess ${turn} of many` }),
          });
        }),
      ),
  },
  {
    name: 'tokens and registrations of OAuth, 20 at once',
    run: ({ api }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(20, signal, (turn) => {
          const register = json({ redirect_uris: ['http://127.0.0.1/'], client_name: `Client ${turn}` });
          const token = {
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: `grant_type=authorization_code&code=code${turn}&client_id=oac_none`,
          };
          const [path, request] = turn % 2 === 0 ? ['register', register] : ['token', token];
          return send({ method: 'POST', url: `${api}/oauth/${path}`, ...request });
        }),
      ),
  },
  {
    name: 'requests without a credential, 50 at once',
    run: ({ api, mcp, objects }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(50, signal, (turn) => {
          const urls = [`${api}/api/service/workflows`, `${mcp}/mcp`, `${objects}/o/none?signature=wrong`];
          return send({ method: turn % 3 === 1 ? 'POST' : 'GET', url: urls[turn % 3] ?? api });
        }),
      ),
  },
  {
    name: '1,500 connections that never finish their request',
    run: ({ api }, signal) => holdConnections(api, 1_500, signal),
  },
  {
    name: 'a valid key as fast as it can, 50 at once',
    run: ({ api, key }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(50, signal, () =>
          send({ method: 'GET', url: `${api}/api/service/documents`, headers: { 'x-api-key': key } }),
        ),
      ),
  },
  {
    name: 'four runs that compute in a loop',
    run: ({ api, key, documentId, loopingWorkflowId }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(4, signal, async () => {
          const body = { workflowId: loopingWorkflowId, documentIds: [documentId] };
          const url = `${api}/api/service/workflow-executions`;
          const begun = await send({ method: 'POST', url, ...json(body, key) });
          if (begun.status >= 300) return pause(200);
          const { id } = JSON.parse(begun.body) as { id: string };
          await send({ method: 'GET', url: `${url}/${id}?wait=10`, headers: { 'x-api-key': key } });
        }),
      ),
  },
  {
    name: 'checks of a graph with 100 expressions',
    run: ({ mcp, key }, signal, statuses) =>
      withSender(statuses, ({ send }) => {
        const set = Object.fromEntries(
          Array.from({ length: 100 }, (_, at) => [`v${at}`, 'range(1000).map(i, range(1000).map(j, i * j)).size()']),
        );
        const graph = chain(
          { type: 'transform', config: { set } },
          Object.fromEntries(Object.keys(set).map((name) => [name, {}])),
        );
        return flood(4, signal, () => send({ ...tool('validate_workflow', { graph }, key), url: `${mcp}/mcp` }));
      }),
  },
  {
    name: 'checks of a review with 500 expressions',
    run: ({ mcp, key }, signal, statuses) =>
      withSender(statuses, ({ send }) => {
        const prompt = '{{n.map(a, a + 1)}}'.repeat(400);
        const costly = 'range(300).map(i, range(300).map(j, i * j)).size()';
        const data = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`d${at}`, costly]));
        const state = { n: { schema: { type: 'array', items: { type: 'number' } } }, answer: {} };
        const graph = chain({ type: 'review', config: { prompt, data } }, state);
        return flood(4, signal, () => send({ ...tool('validate_workflow', { graph }, key), url: `${mcp}/mcp` }));
      }),
  },
  {
    name: 'a schema whose references unfold to 2^40 parts',
    run: ({ mcp, key }, signal, statuses) =>
      withSender(statuses, ({ send }) => {
        const graph = chain({ type: 'llm', config: { prompt: 'x', schema: doubled, output: 'out' } }, { out: {} });
        return flood(4, signal, () => send({ ...tool('validate_workflow', { graph }, key), url: `${mcp}/mcp` }));
      }),
  },
  unpackingPdfs('PDFs of 1 MB that unpack to 400 MB', () => drawingPdf(400, '')),
  unpackingPdfs('PDFs of 1 MB that unpack to 400 MB, under the name of a picture', () =>
    drawingPdf(400, '/Subtype/Image'),
  ),
  unpackingPdfs('PDFs of 560 kB with a picture of 550 MB', hugePicture),
  {
    name: 'uploads that are never acknowledged, 8 at once',
    run: ({ api, workflowKey }, signal, statuses) =>
      withSender(statuses, ({ send }) =>
        flood(8, signal, async () => {
          const bytes = Buffer.alloc(65_536);
          const wanted = json({ contentType: 'image/png', size: bytes.length }, workflowKey);
          const signed = await send({ method: 'POST', url: `${api}/api/uploads/presign`, ...wanted });
          if (signed.status !== 200) return pause(200);
          return send({
            method: 'PUT',
            url: (JSON.parse(signed.body) as { uploadUrl: string }).uploadUrl,
            body: bytes,
          });
        }),
      ),
  },
  {
    name: 'uploads for a workflow, as fast as the limits allow',
    run: ({ api, workflowKey }, signal, statuses) =>
      withSender(statuses, (sender) => {
        const bytes = Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        );
        return flood(8, signal, () => upload(sender, { api, key: workflowKey }, { bytes, contentType: 'image/png' }));
      }),
  },
  ...passwordAttacks,
];
