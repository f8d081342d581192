import type { CallToolResult, ImageContent } from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { AnyTool, Outcome } from '#tools/define.ts';
import { fit, separate, startOf, textBudgetBytes, type Cut } from '#mcp/present/untrusted.ts';
import { errorOf } from '#mcp/present/protocol-error.ts';
import { hintFor } from '#mcp/present/error-hints.ts';
import { nextCall } from '#mcp/present/next-call.ts';
import { neutralize } from '#mcp/present/neutralize.ts';

/** Key of `_meta` with the places of untrusted values in structured content: JSON Pointers with * for the places of lists. */
const untrustedKey = 'inkgraph/untrusted';
const mostPointers = 200;

/** Field errors shown for one refused call. */
const maxFieldErrors = 20;

/** Fields left out of documents in lists: storage keys and signed URLs would fill half of the text. get_document has them. */
const hiddenInLists: ReadonlySet<string> = new Set(['objectKey', 'sha256', 'thumbnailUrl']);

function brief(output: Record<string, unknown>): Record<string, unknown> {
  const { documents } = output;
  if (!Array.isArray(documents)) return output;
  const shown = (item: object) => Object.fromEntries(Object.entries(item).filter(([name]) => !hiddenInLists.has(name)));
  return { ...output, documents: (documents as object[]).map(shown) };
}

function noteOf({ what, unit, shown, of }: Cut): string {
  return `Cut to fit: the text above has the first ${shown} of ${of} ${unit} of ${what}. structuredContent has all of it.`;
}

/** Images follow the text, which names their document: text in an image is as untrusted as recognized text. */
function pictureBlocks(pictures: Outcome['pictures']): ImageContent[] {
  return (pictures ?? []).map(({ bytes, contentType }) => ({
    type: 'image',
    data: bytes.toString('base64'),
    mimeType: contentType,
  }));
}

/** Presents an output: structured, as text within the budget with untrusted parts marked, and images. */
export function presentOutput(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  output: Record<string, unknown>,
  outcome: Pick<Outcome, 'pictures' | 'limitCapped'> = {},
): CallToolResult {
  return presented(output, (cut) => nextCall(tool, { output, input, cut }), outcome);
}

/** The same with another hint. `hintAfter` receives the first part that the text leaves out. */
export function presented(
  output: Record<string, unknown>,
  hintAfter: (cut: Cut | undefined) => string | null,
  { pictures, limitCapped }: Pick<Outcome, 'pictures' | 'limitCapped'> = {},
): CallToolResult {
  const shown = brief(output);
  const { text, cuts, ...fitted } = fit(shown);
  const hint = hintAfter(cuts[0]);
  const capped = limitCapped === undefined ? [] : [`limit: ${limitCapped} is the maximum and was used.`];
  const notes = [...cuts.map(noteOf), ...capped, ...(hint === null ? [] : [`Hint: ${hint}`])];
  const content = [{ type: 'text' as const, text: [text, ...notes].join('\n\n') }, ...pictureBlocks(pictures)];
  // Clients that show structured content to a model have no tags there.
  const { pointers } = shown === output ? fitted : separate(output);
  const meta = pointers.length === 0 ? {} : { _meta: { [untrustedKey]: pointers.slice(0, mostPointers) } };
  return { content, structuredContent: output, ...meta };
}

function errorResult(lines: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: startOf(neutralize(lines.join('\n')), textBudgetBytes) }], isError: true };
}

/** Presents an error: `code: message`, field errors, a `Hint:` and data. */
export function presentError(
  tool: AnyTool,
  error: unknown,
  { requestId, logger }: { requestId: string; logger: Logger },
): CallToolResult {
  const appError = errorOf(error, { requestId, logger, tool: tool.name });
  const fields = appError.errors
    .slice(0, maxFieldErrors)
    .map(({ pointer, message }) => `- ${pointer === '' ? '/' : pointer}: ${message}`);
  const stays = appError === error ? '' : ' If the error persists, report the request id.';
  // Data comes last, since it may be long and cut.
  const data = appError.data === undefined ? [] : [`Data: ${JSON.stringify(appError.data)}`];
  return errorResult([appError.message, ...fields, `Hint: ${hintFor(appError, tool.name)}${stays}`, ...data]);
}
