import type { z } from 'zod';
import type { ReadTextResult } from '#src/contracts/resources/document.ts';
import { tools } from '#tools/index.ts';
import { renderBlock } from '#mcp/present/untrusted.ts';
import type { Ask } from '#mcp/resources/ask.ts';

/** Characters of one document in a resource. read_document_text has the rest. */
const textMax = 100_000;
const partMax = 20_000;

type Part = z.output<typeof ReadTextResult>;

/** Says of a text that more of it follows. */
const unfinishedNote = ({ runId, pagesRead, pages }: NonNullable<Part['reading']>): string =>
  `Not finished: ${pagesRead} of ${pages} pages are read so far. Call get_run with runId "${runId}" and waitSeconds 25 until it ends, and read again.`;

/** Reads all parts of one OCR result; null when a newer one replaced it meanwhile. */
async function partsOf(ask: Ask, documentId: string, most: number): Promise<readonly Part[] | null> {
  const first = await ask(tools.readDocumentText, { documentId, limit: Math.min(partMax, most) });
  const end = Math.min(first.totalCharacters, most);
  const offsets = Array.from({ length: Math.max(0, Math.ceil(end / partMax) - 1) }, (_, i) => (i + 1) * partMax);
  const rest = await Promise.all(
    offsets.map((offset) =>
      ask(tools.readDocumentText, { documentId, offset, limit: Math.min(partMax, most - offset) }),
    ),
  );
  return rest.every((part) => part.ocrResultId === first.ocrResultId) ? [first, ...rest] : null;
}

/** Returns the recognized text between untrusted tags, with a note about the rest. Errors: those of read_document_text. */
export async function documentText(ask: Ask, documentId: string, most = textMax): Promise<string> {
  const parts = (await partsOf(ask, documentId, most)) ?? (await partsOf(ask, documentId, partMax)) ?? [];
  const [first] = parts;
  const reading = first?.reading;
  if (first === undefined || (first.ocrResultId === null && reading === undefined))
    return `The document has no text yet. Call run_workflow with documentIds ["${documentId}"].`;
  const text = parts.map((part) => part.documentText).join('');
  const read = renderBlock({ id: documentId, fields: [{ path: 'documentText', text }] });
  const block = reading === undefined ? read : `${unfinishedNote(reading)}\n\n${read}`;
  if (text.length >= first.totalCharacters) return block;
  return `${block}\n\nThese are the first ${text.length} of ${first.totalCharacters} characters. Call read_document_text with documentId "${documentId}" and offset ${text.length} to read on.`;
}
