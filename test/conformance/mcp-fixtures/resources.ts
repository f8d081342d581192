import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { png } from './fixture.ts';

/** Subscriptions of one session: the referee asks only whether they are taken. */
function takeSubscriptions({ server }: McpServer): void {
  const uris = new Set<string>();
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    uris.add(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri);
    return {};
  });
}

/** The resources that the referee reads. */
export function resources(mcp: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  for (const [name, text] of [
    ['static-text', 'This is the content of the static text resource.'],
    ['watched-resource', 'Watched.'],
  ] as const)
    mcp.registerResource(name, `test://${name}`, plain, ({ href: uri }) => ({ contents: [{ uri, ...plain, text }] }));
  mcp.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }));
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  takeSubscriptions(mcp);
}
