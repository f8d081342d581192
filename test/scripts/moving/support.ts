import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  ObjectId,
  Timestamp,
  type Db,
  type Document,
} from 'mongodb';
import { migrateInstallation } from '#scripts/migrate/main.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { migrate } from '#src/stores/migrate.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { programEnv, runCommand, type CommandEnd } from '#test/support/command.ts';
import { objectBytes, sha256 } from '#test/support/object-bytes.ts';
import { documentRecord } from '#test/support/records.ts';

export const move = (env: Record<string, string>, ...args: string[]): Promise<CommandEnd> =>
  runCommand(migrateInstallation, args, { env });

/** Runs the command as a process of its own, and kills it at the first line of progress that matches. */
export async function killedAt(line: RegExp, env: Record<string, string>, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['scripts/migrate/main.ts', ...args], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: programEnv(env),
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close');
  const said: string[] = [];
  for await (const one of createInterface(child.stderr)) {
    said.push(one);
    if (line.test(one)) child.kill('SIGKILL');
  }
  const [, signal] = await ended;
  if (signal !== 'SIGKILL' || !said.some((one) => line.test(one))) throw new Error(said.join('\n'));
}

/** Works on the stopped database of a folder. */
export async function within<Result>(dataDir: string, work: (db: Db) => Promise<Result>): Promise<Result> {
  const engine = await openOnWarmThread({ dataDir });
  const database = connectDatabase(engine.uri);
  try {
    return await work(database.db);
  } finally {
    await database.close();
    await engine.close();
  }
}

/** Rows of any shape, with ids that are text. */
export const anyRows = (db: Db, collection: string) => db.collection<Document & { _id: string }>(collection);

/** An installation without services and with one project. */
export async function smallInstallation(dataDir: string): Promise<void> {
  await loadObjectSecret(dataDir);
  await within(dataDir, async (db) => {
    await migrate(db);
    await anyRows(db, 'projects').insertOne({ _id: 'prj_a', organizationId: 'org_a' });
  });
}

/** A folder with the secret of another one, and its seed where it has one. */
export async function folderWithSecretOf(dataDir: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await copyFile(join(dataDir, 'objects.secret'), join(folder, 'objects.secret'));
  if (existsSync(join(dataDir, 'seed.json'))) await copyFile(join(dataDir, 'seed.json'), join(folder, 'seed.json'));
  return folder;
}

/** A file of settings, for --to-env. */
export async function settingsFile(path: string, settings: Record<string, string>): Promise<string> {
  await writeFile(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  return path;
}

/** Documents with their bytes in the store. */
export async function storeDocuments(
  objects: ObjectStore,
  place: Pick<DocumentRecord, 'organizationId' | 'projectId'>,
  count: number,
): Promise<DocumentRecord[]> {
  const documents: DocumentRecord[] = [];
  for (let at = 0; at < count; at += 1) {
    const key = `uploads/${place.organizationId}/${place.projectId}/key_a/2026/11/file-${at}.png`;
    const bytes = objectBytes(key, 500 + at);
    const { etag } = await objects.put(key, bytes, 'image/png');
    documents.push(
      documentRecord({
        ...place,
        objectKey: key,
        pinnedKey: key,
        etag,
        sha256: sha256(bytes),
        sizeBytes: bytes.length,
      }),
    );
  }
  return documents;
}

/** A row with a value of every kind that databases keep apart, and names that objects would put in another order. */
export const manyKinds = (): Document => ({
  _id: 'aud_kinds',
  organizationId: 'org_a',
  at: new Date(-1),
  action: 'test',
  int: new Int32(1),
  double: new Double(1),
  negativeZero: new Double(-0),
  long: Long.fromString('9007199254740993'),
  decimal: Decimal128.fromString('1.10'),
  vector: Binary.fromFloat32Array(new Float32Array([0.5, -1])),
  uuid: new Binary(Buffer.alloc(16, 7), Binary.SUBTYPE_UUID),
  id: new ObjectId('65a1b2c3d4e5f60718293a4b'),
  pattern: new BSONRegExp('^a/b', 'im'),
  stamp: new Timestamp({ t: 5, i: 6 }),
  nothing: null,
  list: [
    new Int32(1),
    new Double(2),
    [
      new Map([
        ['z', 1],
        ['1', 2],
      ]),
    ],
    {},
  ],
  detail: new Map<string, unknown>([
    ['b', 'text'],
    ['10', new Long(2)],
    [
      '2',
      new Map([
        ['9', 1],
        ['8', 2],
      ]),
    ],
  ]),
});
