import type { Client } from '@modelcontextprotocol/client';

/** One call and what it cost. */
interface AgentCall {
  readonly name: string;
  readonly text: string;
  readonly textTokens: number;
  readonly structuredTokens: number;
}

interface Operation {
  readonly op: string;
  readonly [field: string]: unknown;
}
interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly path: string;
  readonly nodeId?: string;
  readonly hint: string;
  readonly fix?: readonly Operation[];
}
/** Content of an answer, read from its text alone, which is the part that models are shown. */
interface Said {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
  readonly hint: string;
  readonly isError: boolean;
}

const tokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);
const quoted = (name: string, text: string): string | undefined => new RegExp(`${name} "([^"]+)"`).exec(text)?.[1];
const numbered = (name: string, text: string): number | undefined => {
  const found = new RegExp(`${name} (\\d+)`).exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};

function read(text: string, isError: boolean): Said {
  const json = isError ? /^Data: (.*)$/m.exec(text)?.[1] : text.split('\n')[0];
  const fields = JSON.parse(json ?? '{}') as { issues?: Issue[] };
  const hint = /^Hint: (.*)$/m.exec(text)?.[1] ?? '';
  return { fields, issues: fields.issues ?? [], hint, isError };
}

/** The value at the issue's place in the example of its hint: what a missing field may look like. */
function fromExample({ path, nodeId, hint }: Issue): readonly Operation[] {
  const example = /Example of a config: (.*)\.$/.exec(hint)?.[1];
  if (example === undefined || nodeId === undefined) return [];
  const [field = ''] = path.split('/').slice(4);
  const value = (JSON.parse(example) as Record<string, unknown>)[field];
  return value === undefined ? [] : [{ op: 'set_field', path, value }];
}

/**
 * No model: a program that mends a workflow, publishes it and runs it once, and knows nothing but what the tools answer. It applies the
 * fixes of issues, takes examples from hints, and makes the next call that a hint names.
 */
export class ScriptedAgent {
  readonly calls: AgentCall[] = [];
  readonly #client: Client;
  readonly #mostCalls = 15;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The status that its run came to. */
  async mendAndRun(workflowId: string, documentId: string): Promise<string> {
    let said = await this.#call('get_workflow', { workflowId, detail: 'summary' });
    while (this.calls.length < this.#mostCalls) {
      const { status } = said.fields;
      const next = this.#nextOf(said, { workflowId, documentId });
      if (next === null) return typeof status === 'string' ? status : `stuck: ${this.calls.at(-1)?.text}`;
      said = await this.#call(...next);
    }
    return 'not done after all its calls';
  }

  #nextOf(
    { fields, issues, hint }: Said,
    about: { workflowId: string; documentId: string },
  ): [string, Record<string, unknown>] | null {
    const { workflowId, documentId } = about;
    const errors = issues.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) {
      const baseVersion = Number(fields['revision'] ?? fields['currentRevision']);
      return ['update_workflow', { workflowId, baseVersion, operations: mends(errors) }];
    }
    const baseVersion = numbered('baseVersion', hint);
    if (hint.startsWith('Call publish_workflow') && baseVersion !== undefined)
      return ['publish_workflow', { workflowId, baseVersion }];
    if (hint.startsWith('Call run_workflow'))
      return ['run_workflow', { workflowId, documentIds: [documentId], waitSeconds: 25 }];
    const executionId = quoted('executionId', hint);
    if (hint.includes('Call get_run') && executionId !== undefined)
      return ['get_run', { executionId, waitSeconds: 25, detail: 'summary' }];
    return null;
  }

  async #call(name: string, input: Record<string, unknown>): Promise<Said> {
    const { content, structuredContent, isError } = await this.#client.callTool({ name, arguments: input });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const structuredTokens = structuredContent === undefined ? 0 : tokens(JSON.stringify(structuredContent));
    this.calls.push({ name, text, textTokens: tokens(text), structuredTokens });
    return read(text, isError === true);
  }
}

/** The fix of the first error that has one, since those after it may come of it; else what an example says. */
function mends(errors: readonly Issue[]): readonly Operation[] {
  const fix = errors.find((issue) => issue.fix !== undefined)?.fix;
  return fix ?? errors.map(fromExample).find((found) => found.length > 0) ?? [];
}
