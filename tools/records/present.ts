import type { z } from 'zod';
import type { DocumentRecord as PresentedRecord } from '#src/contracts/records/record.ts';
import type { RecordType } from '#src/contracts/records/record-type.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { titleOf, type DocumentRecord } from '#src/domain/documents/document.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { Thumbnails } from '#tools/pictures/signed-media.ts';

/** People sign in; keys and programs are agents. */
export const sayerOf = ({ kind }: Principal): 'person' | 'agent' => (kind === 'session' ? 'person' : 'agent');

export function presentType(type: RecordTypeRecord): z.input<typeof RecordType> {
  return {
    recordTypeId: type._id,
    name: type.name,
    title: type.title,
    projectId: type.projectId,
    version: type.version,
    fields: { ...type.fields },
    rules: type.rules.map((rule) => ({ ...rule })),
    updatedAt: type.version === 0 ? null : type.savedAt.toISOString(),
  };
}

/** The record with its cells by path. `document` is the one that it is of; null: it is gone, with its names, and no page has an address. */
export function presentRecord(
  record: RecordRecord,
  document: DocumentRecord | null,
  thumbnails: Thumbnails,
): z.input<typeof PresentedRecord> {
  const pages = [...new Set(record.cells.flatMap(({ page }) => page ?? []))].toSorted((a, b) => a - b);
  return {
    recordId: record._id,
    documentId: record.documentId,
    document: document === null ? null : { title: titleOf(document), filename: document.filename ?? null },
    recordType: record.recordType,
    typeVersion: record.typeVersion,
    status: record.status,
    problems: record.problems.map((problem) => ({ ...problem })),
    cells: Object.fromEntries(
      record.cells.map(({ path, at, box, ...cell }) => [
        path,
        { ...cell, box: box === null ? null : [box[0], box[1], box[2], box[3]], at: at.toISOString() },
      ]),
    ),
    corrections: record.corrections.length,
    revision: record.revision,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    ...thumbnails.linked(`/documents/${record.documentId}?tab=fields`),
    pageUrls:
      document === null
        ? {}
        : Object.fromEntries(pages.map((page) => [String(page), thumbnails.pageUrl(document, page)])),
  };
}
