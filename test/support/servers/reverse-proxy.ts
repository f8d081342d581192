import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as ask } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram, nginx } from '#scripts/check/programs.ts';

/** A certificate that nobody vouches for, of the names that the proxies answer to, with its key: for tests, and worth nothing elsewhere. */
export const proxyCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy/r5rJ6QFWPOvW5R
KfBjXFu2Lk47yjYG0lypzG0bpy6hRANCAAQM4O+3a8qTGfsJbXdA3RYTOdV/apXM
uBdYmiUQJfrwlJoAfFPUejkvx2XHecHCzHmRdD8ocqqaSBassQvXVctC
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBljCCAT2gAwIBAgIBATAKBggqhkjOPQQDAjAaMRgwFgYDVQQDDA9hcGkuZXhh
bXBsZS5vcmcwIBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBoxGDAW
BgNVBAMMD2FwaS5leGFtcGxlLm9yZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BAzg77drypMZ+wltd0DdFhM51X9qlcy4F1iaJRAl+vCUmgB8U9R6OS/HZcd5wcLM
eZF0PyhyqppIFqyxC9dVy0KjcjBwMA8GA1UdEwEB/wQFMAMBAf8wPgYDVR0RBDcw
NYIPYXBpLmV4YW1wbGUub3Jngg9tY3AuZXhhbXBsZS5vcmeCEWZpbGVzLmV4YW1w
bGUub3JnMB0GA1UdDgQWBBS00L42UO7sddwfjv/0STVhkJWr/zAKBggqhkjOPQQD
AgNHADBEAiAbGMEn7PESXvK4Yk7yNrcSR7UR7JykdmqKcEQZgfsmCAIgAkKyQM9Z
IHLcqFdWS61uc5NujEMMGsBrDJMfKhLn568=
-----END CERTIFICATE-----
`,
};

/** A proxy with TLS, on loopback, in front of services on loopback. It keeps the Host header. */
interface ProxyOptions {
  readonly port: number;
  /** Port of the service behind each host name. */
  readonly behind: Readonly<Record<string, number>>;
}

const serverBlock = (name: string, upstream: number, port: number): string => `
  server {
    listen 127.0.0.1:${port} ssl;
    server_name ${name};
    location / {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`;

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The nginx of this machine, with the directives of docs/guide/going-to-production.md. */
export async function startNginx({ port, behind }: ProxyOptions): Promise<AsyncDisposable> {
  const program = findProgram(nginx);
  if (program === null) throw new Error(`This machine has no nginx. ${nginx.advice}`);
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-nginx-'));
  await writeFile(join(folder, 'key.pem'), proxyCertificate.key);
  await writeFile(join(folder, 'cert.pem'), proxyCertificate.cert);
  const servers = Object.entries(behind).map(([name, upstream]) => serverBlock(name, upstream, port));
  await writeFile(
    join(folder, 'nginx.conf'),
    `worker_processes 1;
pid nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  client_max_body_size 50m;
  ssl_certificate cert.pem;
  ssl_certificate_key key.pem;
${temporary.map((name) => `  ${name}_temp_path ${name};`).join('\n')}
${servers.join('\n')}
}
`,
  );
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    said.push(line);
    if (line.includes('start worker process ')) break;
  }
  lines.close();
  child.stderr.resume();
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${said.join('; ')}`);
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As little of a proxy as keeps Host and passes streams on, for machines without nginx. */
export async function startSmallProxy({ port, behind }: ProxyOptions): Promise<AsyncDisposable> {
  const server = createServer(proxyCertificate, (request, response) => {
    const { method, url: path, headers } = request;
    const name = headers.host?.replace(/:\d+$/, '') ?? '';
    const passed = ask({ host: '127.0.0.1', port: behind[name], method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
