// A server for page.html: signs in once, and forwards questions with the session's cookie, which stays on the server.
// eval "$(npm run -s seed -- --env)" && npx node examples/chat-page/server.ts
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const { BASE_URL = 'http://127.0.0.1:3000', EMAIL = '', PASSWORD = '', PORT = '4000' } = process.env;
if (EMAIL === '' || PASSWORD === '') {
  console.error('EMAIL or PASSWORD is not set. Run: eval "$(npm run -s seed -- --env)"');
  process.exit(1);
}

const signedIn = await fetch(`${BASE_URL}/api/auth/sign-in/email`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
});
if (!signedIn.ok) throw new Error(`Sign-in failed: ${signedIn.status} ${await signedIn.text()}`);
const cookie = signedIn.headers
  .getSetCookie()
  .map((line) => line.split(';', 1)[0])
  .join('; ');
const page = await readFile(new URL('page.html', import.meta.url));

/** Sends the question on, and the answer back as it arrives. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await fetch(`${BASE_URL}/api/dashboard/documents/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: Readable.toWeb(request),
    duplex: 'half',
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  if (answer.body !== null) await pipeline(Readable.fromWeb(answer.body), response);
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(page);
  // The service is down, or the tab was closed.
  forward(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`Open http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}`);
});
