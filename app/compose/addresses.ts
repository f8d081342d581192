import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOf } from '#app/compose/listeners/listen.ts';
import type { Config } from '#src/config/config.ts';

export interface Addresses {
  readonly api: string;
  readonly agents: string;
  readonly mcp: string;
  readonly objects: string;
}

const amazon = ({ bucket, region }: { readonly bucket: string; readonly region: string }): string =>
  `https://${bucket}.s3.${region}.amazonaws.com`;

/** Configured addresses of the services. */
export function configuredAddresses({ host, ports, baseUrl, mcpUrl, objectsUrl, s3 }: Config): Addresses {
  const at = (port: number): string => originOf(host, port);
  return {
    api: baseUrl ?? at(ports.api),
    agents: at(ports.agents),
    mcp: mcpUrl ?? at(ports.mcp),
    objects: s3 === null ? (objectsUrl ?? at(ports.objects)) : (s3.publicUrl ?? s3.endpoint ?? amazon(s3)),
  };
}

const fileOf = (dataDir: string): string => join(dataDir, 'addresses.json');

/** Addresses of the running services, for commands on the same data folder. The system may have chosen the ports. */
export async function publishAddresses(dataDir: string, addresses: Addresses): Promise<AsyncDisposable> {
  // Rename makes the write atomic: a reader finds the complete file or none.
  const draft = `${fileOf(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(addresses)}\n`, { mode: 0o600 });
  await rename(draft, fileOf(dataDir));
  return { [Symbol.asyncDispose]: () => rm(fileOf(dataDir), { force: true }) };
}

/** null when no service has written its address. */
export async function readAddresses(dataDir: string): Promise<Addresses | null> {
  try {
    return JSON.parse(await readFile(fileOf(dataDir), 'utf8')) as Addresses;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) return null;
    throw error;
  }
}
