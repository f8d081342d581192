import { openAsBlob } from 'node:fs';
import { Problem, sha256Of, type Client, type Document, type DocumentWithRun } from 'inkgraph/client';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { lineOf } from './connection.ts';
import { nameOf, type FoundFile } from './find-files.ts';
import { Progress } from './progress.ts';
import type { PushState } from './push-state.ts';
import { sideBySide } from './side-by-side.ts';

const digestsPerCall = 50;

/** Document of a file. `isNew`: this push uploaded it. */
export interface PushedFile {
  readonly path: string;
  readonly document: Document | DocumentWithRun;
  readonly isNew: boolean;
}

export interface Uploads {
  readonly pushed: readonly PushedFile[];
  readonly failed: number;
}

interface Push {
  readonly client: Client;
  readonly state: PushState;
  readonly terminal: Pick<Terminal, 'err' | 'isWatched'>;
  readonly parallel: number;
  /** Languages of new documents. */
  readonly languages?: readonly string[] | undefined;
}

type Hashed = FoundFile & { readonly sha256: string };

/** Digests of files; those that did not change since the last push are known. A file that cannot be read is left out, and counted. */
async function hashed({ state, terminal, parallel }: Push, files: readonly FoundFile[]) {
  const known: Hashed[] = [];
  let failed = 0;
  await sideBySide(files, parallel, async (file) => {
    try {
      const before = state.digestOf(file);
      const sha256 = before ?? (await sha256Of(await openAsBlob(file.path)));
      if (before === undefined) await state.keepDigest(file, sha256);
      known.push({ ...file, sha256 });
    } catch (error) {
      failed += 1;
      terminal.err(`${file.path}: cannot be read (${lineOf(error)})\n`);
    }
  });
  return { known, failed };
}

/** Documents of the server by their digests. */
async function documentsWith(
  client: Client,
  digests: readonly string[],
): Promise<ReadonlyMap<string, DocumentWithRun>> {
  const found = new Map<string, DocumentWithRun>();
  for (let at = 0; at < digests.length; at += digestsPerCall) {
    const sha256 = digests.slice(at, at + digestsPerCall);
    let cursor: string | null | undefined;
    do {
      const page = await client.service.listDocuments({ sha256, limit: 100, cursor: cursor ?? undefined });
      // Newest first: the first document with these bytes stays.
      for (const document of page.documents) if (document.sha256 !== null) found.set(document.sha256, document);
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  return found;
}

/** The end of an upload that broke off, where there is one; null: upload anew. */
async function resumed({ client, state }: Push, sha256: string): Promise<Document | null> {
  const objectKey = state.storedAs(sha256);
  if (objectKey === undefined) return null;
  try {
    return (await client.acknowledge(objectKey)).document;
  } catch (error) {
    // The upload expired, or its document was deleted.
    if (error instanceof Problem && error.code.startsWith('upload.')) return null;
    throw error;
  }
}

async function uploaded(push: Push, { path, sha256 }: Hashed): Promise<Document> {
  const { client, state, languages } = push;
  const before = await resumed(push, sha256);
  if (before !== null) return before;
  const { document } = await client.upload(await openAsBlob(path), {
    filename: nameOf(path),
    ...(languages !== undefined && { languages }),
    onStored: (objectKey) => state.keepStored(sha256, objectKey),
  });
  return document;
}

/** Errors that every other file would meet, too. */
const isOfAll = (error: unknown): boolean =>
  error instanceof Problem && (error.status === 0 || error.status === 401 || error.status === 403);

/** Uploads the files that the server does not have, each content once. A file that fails does not stop the others. */
export async function uploadFiles(push: Push, files: readonly FoundFile[]): Promise<Uploads> {
  const { known, failed: unread } = await hashed(push, files);
  const byDigest = Map.groupBy(
    known.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ({ sha256 }) => sha256,
  );
  const there = await documentsWith(push.client, [...byDigest.keys()]);
  const pushed: PushedFile[] = [...byDigest].flatMap(([sha256, same]) => {
    const document = there.get(sha256);
    return document === undefined ? [] : same.map(({ path }) => ({ path, document, isNew: false }));
  });
  const missing = [...byDigest].filter(([sha256]) => !there.has(sha256)).map(([, same]) => same);
  const progress = new Progress(push.terminal, missing.length, 'uploaded');
  let failed = unread;
  await sideBySide(missing, push.parallel, async (same) => {
    const [first] = same;
    if (first === undefined) return;
    try {
      const document = await uploaded(push, first);
      pushed.push(...same.map(({ path }, at) => ({ path, document, isNew: at === 0 })));
      progress.step(first.path);
    } catch (error) {
      if (isOfAll(error)) throw error;
      failed += 1;
      progress.line(`${first.path}: ${lineOf(error)}`);
    }
  });
  return { pushed: pushed.toSorted((a, b) => (a.path < b.path ? -1 : 1)), failed };
}
