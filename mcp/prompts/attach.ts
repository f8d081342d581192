import { fit, textBudgetBytes } from '#mcp/present/untrusted.ts';
import type { Ask } from '#mcp/resources/ask.ts';
import { tools } from '#tools/index.ts';
import { addressOf, type Named } from '#mcp/resources/address.ts';
import type { PromptMessage } from '#mcp/prompts/prompt.ts';

/** Budget without the notes about cuts. */
const wholeBytes = textBudgetBytes - 2_000;

function attachment(named: Named, mimeType: string, text: string): PromptMessage {
  return { role: 'user', content: { type: 'resource', resource: { uri: addressOf(named), mimeType, text } } };
}

/** Attaches text that is rendered already, with untrusted parts between tags. */
export function attachText(named: Named, text: string): PromptMessage {
  return attachment(named, 'text/plain', text);
}

/** Attaches an output as tools present it: untrusted parts between tags, cut to the budget of one result. */
export function attach(named: Named, output: object): PromptMessage {
  const { text, cuts } = fit({ ...output });
  const notes = cuts.map(({ what, unit, shown, of }) => `Cut to fit: the first ${shown} of ${of} ${unit} of ${what}.`);
  const isJson = notes.length === 0 && !text.includes('\n\n');
  return attachment(named, isJson ? 'application/json' : 'text/plain', [text, ...notes].join('\n\n'));
}

/** Attaches a workflow's graph with its issues; a summary of one that is too long. */
export async function attachWorkflow(
  ask: Ask,
  workflowId: string,
  version?: number,
): Promise<{ readonly message: PromptMessage; readonly revision: number | null; readonly isBrief: boolean }> {
  const input = { workflowId, ...(version !== undefined && { version }) };
  const named: Named =
    version === undefined ? { kind: 'workflow', id: workflowId } : { kind: 'version', id: workflowId, version };
  const whole = await ask(tools.getWorkflow, input);
  const isBrief = Buffer.byteLength(JSON.stringify(whole)) > wholeBytes;
  const shown = isBrief ? await ask(tools.getWorkflow, { ...input, detail: 'summary' }) : whole;
  return { message: attach(named, shown), revision: whole.revision, isBrief };
}
