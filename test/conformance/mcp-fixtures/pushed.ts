import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Exchange, McpTool } from '#mcp/tool.ts';
import { fixture, text, type Answer } from './fixture.ts';

type FormSchema = ElicitRequestFormParams['requestedSchema'];

const options = ['option1', 'option2', 'option3'];
const chosen = (...titles: string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));

const defaults: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  required: [],
};

const enums: FormSchema = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: chosen('First Option', 'Second Option', 'Third Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: chosen('First Choice', 'Second Choice', 'Third Choice') } },
  },
  required: [],
};

async function ask({ sdk }: Exchange, message: string, requestedSchema: FormSchema): Promise<Answer> {
  // oxlint-disable-next-line typescript/no-deprecated -- how sessions of 2025-11-25 ask
  const { action, content } = await sdk.mcpReq.elicitInput({ mode: 'form', message, requestedSchema });
  return text(`action=${action}, content=${JSON.stringify(content ?? {})}`);
}

/** Requests and notifications that the server pushes while a call is under way, as clients of 2025-11-25 know them. */
export const pushingTools: readonly McpTool[] = [
  fixture('test_tool_with_logging', { description: 'Logs three times.' }, async ({ sdk }) => {
    for (const step of ['started', 'processing data', 'completed'])
      // oxlint-disable-next-line typescript/no-deprecated -- what the scenario is about
      await sdk.mcpReq.log('info', `Tool execution ${step}`);
    return text('Logged.');
  }),
  fixture('test_logging_tool', { description: 'Logs once.' }, async ({ sdk }) => {
    // oxlint-disable-next-line typescript/no-deprecated -- what the scenario is about
    await sdk.mcpReq.log('info', 'Only for those who asked for logs.');
    return text('Logged.');
  }),
  fixture('test_tool_with_progress', { description: 'Tells its progress.' }, async ({ sdk }) => {
    const progressToken = sdk.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return text('Nobody asked for progress.');
    for (const progress of [0, 50, 100])
      await sdk.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    return text('Done.');
  }),
  fixture('test_sampling', { description: 'Asks the model of the client.' }, async ({ sdk }, { prompt }) => {
    // oxlint-disable-next-line typescript/no-deprecated -- how sessions of 2025-11-25 ask
    const { content } = await sdk.mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
      maxTokens: 100,
    });
    return text(`LLM response: ${JSON.stringify(content)}`);
  }),
  fixture('test_elicitation', { description: 'Asks the person.' }, async (exchange, { message }) =>
    ask(exchange, String(message), {
      type: 'object',
      properties: { username: { type: 'string' }, email: { type: 'string' } },
      required: ['username', 'email'],
    }),
  ),
  fixture('test_elicitation_sep1034_defaults', { description: 'Asks with defaults.' }, async (exchange) =>
    ask(exchange, 'Please look over the form.', defaults),
  ),
  fixture('test_elicitation_sep1330_enums', { description: 'Asks with choices.' }, async (exchange) =>
    ask(exchange, 'Please choose.', enums),
  ),
  fixture('test_reconnection', { description: 'Ends its stream before it answers.' }, ({ sdk }) => {
    sdk.http?.closeSSE?.();
    return text('Answered after the stream was gone.');
  }),
];
