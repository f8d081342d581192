import type { Request, Response } from 'express';
import { csvOf } from '#http/exports/csv.ts';
import { sendFile } from '#http/exports/file.ts';
import { zipOf, type ZipEntry } from '#http/exports/zip.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import type { Sent } from '#http/bind.ts';
import { exportMedia, type ExportFormat } from '#src/contracts/resources/document.ts';
import { own } from '#src/contracts/own.ts';
import type { ExportedDocument } from '#tools/define.ts';

type Documents = AsyncIterable<ExportedDocument>;
type Shown = ExportedDocument['document'];

const columns = {
  id: (one: Shown) => one.id,
  filename: (one: Shown) => one.filename,
  title: (one: Shown) => one.title,
  description: (one: Shown) => one.description,
  tags: (one: Shown) => one.tags.join(', '),
  contentType: (one: Shown) => one.contentType,
  sizeBytes: (one: Shown) => one.sizeBytes,
  pages: (one: Shown) => one.pages,
  sha256: (one: Shown) => one.sha256,
  visibility: (one: Shown) => one.visibility,
  projectId: (one: Shown) => one.projectId,
  apiKeyId: (one: Shown) => one.apiKeyId,
  createdAt: (one: Shown) => one.createdAt,
  ocrModelLabel: (one: Shown) => one.ocr?.modelLabel,
  avgConfidence: (one: Shown) => one.ocr?.avgConfidence,
  characters: (one: Shown) => one.ocr?.characters,
} as const;

async function* linesOf(documents: Documents): AsyncGenerator<string> {
  for await (const { document } of documents) yield `${JSON.stringify(document)}\n`;
}

async function* tableOf(documents: Documents): AsyncGenerator<string> {
  yield csvOf([Object.keys(columns)]);
  for await (const { document } of documents) yield csvOf([Object.values(columns).map((cell) => cell(document))]);
}

/** Characters that file systems refuse in names. */
const refused = /[<>:"/\\|?*]/g;
const endings: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/tiff': 'tif' };

/** Name of the uploaded bytes: that of the file, made safe for every file system, or one by its type. */
function originalName({ filename, contentType }: Shown): string {
  const ending = own(endings, contentType) ?? contentType.slice(contentType.indexOf('/') + 1);
  const name = filename?.replaceAll(refused, '_').replace(/[. ]+$/, '') ?? '';
  return name === '' ? `original.${ending}` : name;
}

/** A folder for each document. The bytes have a folder of their own there, so that no name of a file hides the other entries. */
async function* entriesOf(documents: Documents): AsyncGenerator<ZipEntry> {
  for await (const { document, text, original } of documents) {
    const entry = (name: string, content: ZipEntry['content'], isCompressible = true): ZipEntry => ({
      path: `${document.id}/${name}`,
      modifiedAt: new Date(document.createdAt),
      isCompressible,
      content,
    });
    const metadata = `${JSON.stringify(document, null, 2)}\n`;
    yield entry('metadata.json', async function* metadataOf() {
      yield metadata;
    });
    if (document.ocr !== null) yield entry('text.md', text);
    const bytes = await original?.();
    // A document that was deleted meanwhile has no bytes.
    if (bytes !== undefined && bytes !== null)
      yield entry(
        `original/${originalName(document)}`,
        async function* bytesOf() {
          yield bytes;
        },
        false,
      );
  }
}

const write: Readonly<Record<ExportFormat, (documents: Documents) => AsyncIterable<string | Buffer>>> = {
  jsonl: linesOf,
  csv: tableOf,
  zip: (documents) => zipOf(entriesOf(documents)),
};

/** Exports of one caller that are open at a time. */
const exportsAtOnce = 2;

/** Sends the documents of an outcome as a file. */
export function documentsSender() {
  const limit = new ConcurrencyLimit(exportsAtOnce, 'caller');
  return async (
    request: Request,
    response: Response,
    output: Record<string, unknown>,
    sent: Sent,
  ): Promise<boolean> => {
    const { documents } = sent.outcome;
    if (documents === undefined) return false;
    const format = output['format'] as ExportFormat;
    const release = limit.take(sent.principal.session?.id ?? sent.principal.actorId);
    try {
      const contentType = exportMedia[format];
      const file = { name: `documents.${format}`, contentType, languages: [], parts: write[format](documents) };
      return await sendFile(request, response, output, { ...sent, outcome: { file } });
    } finally {
      release();
    }
  };
}
