import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatAnswer, startOpenAiServer, toolAnswer, type Behaviour } from '#test/support/servers/openai-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { runExample } from './run-example.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.ingest(await fixture('receipt.jpg'), 'image/jpeg', 'receipt.jpg');
  await app.app.idle();
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

/** Text of the newest message, in either form of the protocol. */
function newest({ messages }: any): string {
  const { content } = messages.at(-1);
  return typeof content === 'string' ? content : content.map((part: any) => part.text ?? '').join('\n');
}

/** A model that searches as the task says, makes the call that the hint names, and answers with the line that was asked for. */
const script: readonly Behaviour[] = [
  ({ body }) => toolAnswer('search_documents', { query: newest(body) }, 'call_1'),
  ({ body }) => {
    const [, name = '', documentId] = /Hint: Call (\w+) with documentId \\*"(\w+)/.exec(newest(body)) ?? [];
    return toolAnswer(name, { documentId }, 'call_2');
  },
  ({ body }) => chatAnswer(`It says: ${/Receipt No\. [\d-]+/.exec(newest(body))?.[0]}`),
];

const files = ['agent-langchain.ts', 'agent-ai-sdk.ts', 'agent-openai.ts'];

verifies(
  'mcp.agents',
  async () => {
    for (const file of files) {
      await using models = await startOpenAiServer({ chat: script });
      const env = { AGENT_KEY: app.seed.agentKey, MCP_URL: app.addresses.mcp, OPENAI_BASE_URL: models.baseUrl };
      const model = { OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'served-model' };
      expect(await runExample(file, ['receipt'], { ...env, ...model }), file).toBe('It says: Receipt No. 004-118273\n');
      expect(models.seen).toHaveLength(3);
      const [{ body, headers } = { body: undefined, headers: {} }] = models.seen;
      expect(headers.authorization).toBe('Bearer sk-test');
      expect(body.model).toBe('served-model');
      const offered = body.tools.map((tool: any) => tool.function.name);
      expect(offered).toContain('search_documents');
      expect(offered.length).toBeGreaterThan(30);
      const read = newest(models.seen[2]?.body);
      expect(read, 'the model is told which text is of a document').toContain('<untrusted-document');
    }
  },
  { timeout: 90_000 },
);

test.each(files)('%s names the missing AGENT_KEY in one line', async (file) => {
  await expect(runExample(file, [], {})).rejects.toThrow(/ended with 1: AGENT_KEY is not set\. Run: [^\n]+\n$/);
});

test.each(files)('%s names the missing model in one line', async (file) => {
  const env = { AGENT_KEY: app.seed.agentKey, MCP_URL: app.addresses.mcp };
  await expect(runExample(file, [], env)).rejects.toThrow(
    /ended with 1: No model is set\. Set OPENAI_API_KEY, [^\n]+\n$/,
  );
});
