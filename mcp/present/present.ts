import type { CallToolResult, ImageContent } from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { AnyTool, Outcome } from '#tools/define.ts';
import { fit, startOf, textBudgetBytes, type Cut } from '#mcp/present/budget.ts';
import { errorOf } from '#mcp/present/protocol-error.ts';
import { hintFor } from '#mcp/present/error-hints.ts';
import { nextCall } from '#mcp/present/next-call.ts';
import { neutralize } from '#mcp/present/neutralize.ts';

/** Field errors told of one refused call. */
const maxFieldErrors = 20;

/** Of documents in lists: storage keys and signed addresses would fill half of the text. get_document tells them. */
const hiddenInLists: ReadonlySet<string> = new Set(['objectKey', 'sha256', 'thumbnailUrl']);

function brief(output: Record<string, unknown>): Record<string, unknown> {
  const { documents } = output;
  if (!Array.isArray(documents)) return output;
  const shown = (item: object) => Object.fromEntries(Object.entries(item).filter(([name]) => !hiddenInLists.has(name)));
  return { ...output, documents: (documents as object[]).map(shown) };
}

function noteOf({ what, unit, shown, of }: Cut): string {
  return `Cut to fit: the first ${shown} of ${of} ${unit} of ${what} are shown above. structuredContent has all of it.`;
}

/** After the text, which says whose they are: what stands in a picture is as untrusted as what was read from it. */
function pictureBlocks(pictures: Outcome['pictures']): ImageContent[] {
  return (pictures ?? []).map(({ bytes, contentType }) => ({
    type: 'image',
    data: bytes.toString('base64'),
    mimeType: contentType,
  }));
}

/** A good answer: the output itself, and the same as text with untrusted parts marked and within the budget; then pictures. */
export function presentOutput(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  output: Record<string, unknown>,
  pictures?: Outcome['pictures'],
): CallToolResult {
  const { text, cuts } = fit(brief(output));
  const hint = nextCall(tool, { output, input, cut: cuts[0] });
  const notes = [...cuts.map(noteOf), ...(hint === null ? [] : [`Hint: ${hint}`])];
  const content = [{ type: 'text' as const, text: [text, ...notes].join('\n\n') }, ...pictureBlocks(pictures)];
  return { content, structuredContent: output };
}

function errorResult(lines: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: startOf(neutralize(lines.join('\n')), textBudgetBytes) }], isError: true };
}

/** `code: message`, the fields, a `Hint:`. */
export function presentError(
  tool: AnyTool,
  error: unknown,
  { requestId, logger }: { requestId: string; logger: Logger },
): CallToolResult {
  const appError = errorOf(error, { requestId, logger, tool: tool.name });
  const fields = appError.errors
    .slice(0, maxFieldErrors)
    .map(({ pointer, message }) => `- ${pointer === '' ? '/' : pointer}: ${message}`);
  const stays = appError === error ? '' : ' If it stays, report the request id.';
  // Last, for it may be long and cut.
  const data = appError.data === undefined ? [] : [`Data: ${JSON.stringify(appError.data)}`];
  return errorResult([appError.message, ...fields, `Hint: ${hintFor(appError, tool.name)}${stays}`, ...data]);
}
