import { expect, test } from 'vitest';
import { createCopyMarker } from '#app/agents/documents/mark-copies.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { documentRecord } from '#test/support/records.ts';

const older = documentRecord({ createdAt: new Date(0) });
const { organizationId, projectId } = older;
const own = documentRecord({ organizationId, projectId, createdAt: new Date(1) });

/** A marker whose only candidate is an older page of the same look, which is opened by `page`. */
function markerOf(page: (signal: AbortSignal) => Promise<never>, decodeMs?: number) {
  const marked: [string, string][] = [];
  const parts = {
    documents: {
      findMany: async () => [own, older],
      markNear: async ({ _id }: Pick<DocumentRecord, '_id'>, of: string) => {
        marked.push([_id, of]);
        return own;
      },
    },
    search: {
      possibleCopies: async () => [
        { documentId: older._id, createdAt: older.createdAt, evidence: ['pixels' as const] },
      ],
      textOf: async () => null,
    },
    images: { raster: async () => ({ width: 1, height: 1, pixels: new Uint8Array(1) }) },
    document: async () => ({ page: (_index: number, signal: AbortSignal) => page(signal) }),
    announce: async () => undefined,
  } as unknown as Parameters<typeof createCopyMarker>[0];
  const mark = createCopyMarker(parts, decodeMs);
  const record = { ...own, documentId: own._id, ocrText: '' } as unknown as Parameters<typeof mark>[0];
  return { marked, run: () => mark(record) };
}

/** Settles as the decoder does: with the reason of the signal. */
const slow = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('a page that takes too long to decode marks no copy, and the document is indexed all the same', async () => {
  const { marked, run } = markerOf(slow, 1);
  await run();
  expect(marked).toEqual([]);
});

test('a fault of the marker itself is told', async () => {
  const { run } = markerOf(() => Promise.reject(new TypeError('a fault')));
  await expect(run()).rejects.toThrow('a fault');
});
