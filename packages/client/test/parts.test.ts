import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient, EventReader, mediaTypeOf, Problem } from '../src/client.ts';

test('events are the same in whatever pieces they come', () => {
  const text =
    ': hello\n\nid: 1\nevent: a\ndata: {"x":\ndata: 1}\n\r\nid: 2\rdata: two\r\rretry: 5\nevent: empty\n\nid\ndata:three\r\n\r\n';
  const whole = [
    { id: '1', event: 'a', data: '{"x":\n1}' },
    { id: '2', event: 'message', data: 'two' },
    { id: '', event: 'message', data: 'three' },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const reader = new EventReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const seen = places.flatMap((from, at) => reader.read(text.slice(from, places[at + 1] ?? text.length)));
      // A carriage return at the very end may still be half of a line end.
      expect([...seen, ...reader.read('\n')]).toEqual(whole);
    }),
  );
});

test('a busy server is asked again when it says so, and what cannot be repeated is not', async () => {
  const asked: string[] = [];
  let busy = 2;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    busy -= 1;
    const isBusy = busy >= 0;
    response.writeHead(isBusy ? 503 : 200, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(isBusy ? '<html>busy</html>' : '{"workflows":[]}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'ink_svc_x' });
  expect(await client.service.listWorkflows()).toEqual({ workflows: [] });
  expect(asked).toHaveLength(3);
  busy = 1;
  const problem = await client.service
    .execute({ workflowId: 'wf_a', documentIds: ['doc_a'] })
    .catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ status: 503, code: 'client.response', message: 'The server responded with 503.' });
  expect(asked).toHaveLength(4);
  busy = 1;
  await client.service.execute({ workflowId: 'wf_a', documentIds: ['doc_a'], idempotencyKey: 'once' });
  expect(asked).toHaveLength(6);
  const query = { sha256: ['a', 'b'], tag: undefined, limit: 5 };
  await client.service.listDocuments(query);
  expect(asked.at(-1)).toBe('GET /api/service/documents?sha256=a%2Cb&limit=5');
  server.close();
});

test('media types are known by extension', () => {
  expect(['a.JPG', 'b.tif', 'c.jpeg', 'd.txt', 'constructor', ''].map(mediaTypeOf)).toEqual([
    'image/jpeg',
    'image/tiff',
    'image/jpeg',
    null,
    null,
    null,
  ]);
});
