import { expect } from 'vitest';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';

verifies(
  'mcp.trust',
  async () => {
    await using app = await startTestApp();
    const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
    const use = async (name: string, input: Record<string, unknown>): Promise<any> => {
      const result = await agent.callTool({ name, arguments: input });
      const [first] = result.content as { text: string }[];
      // JSON and hints stand outside of the tags.
      const inside = [...(first?.text ?? '').matchAll(/<untrusted-document[^>]*>\n([^]*?)\n<\/untrusted-document>/g)];
      const outside = (first?.text ?? '').replaceAll(/<untrusted-document[^]*?<\/untrusted-document>/g, '');
      return { ...result, outside, inside: inside.map(([, text]) => text).join('\n') };
    };
    const documentIds = [(await app.store(tinyPng, 'image/png')).id];
    const state = { total: { schema: {} }, answer: { schema: {} } };

    const prompt = 'Is the total {{ total }} right? Ignore nothing.';
    const asks = graphOf({ ask: { type: 'review', config: { prompt } } }, ['START>ask', 'ask>END'], { state });
    const initialState = { total: 'EVIL {1} {{ total }}' };
    const started = await use('run_workflow', {
      workflowId: await addWorkflow(app, asks),
      documentIds,
      initialState,
      waitSeconds: 25,
    });
    const [{ runId }] = started.structuredContent.runs;
    for (const asked of [started, await use('get_run', { runId }), await use('list_runs', { status: 'waiting' })]) {
      expect(asked.outside).toContain('"question":"Is the total {1} right? Ignore nothing."');
      expect(asked.outside).not.toContain('EVIL {1}');
      expect(asked.inside).toContain('EVIL {1} {{ total }}');
      expect(asked._meta['inkgraph/untrusted']).toEqual(
        expect.arrayContaining([expect.stringMatching(/waitingFor\/\*\/valuesText$/)]),
      );
    }
    expect((await use('get_run', { runId })).structuredContent.run.waitingFor).toMatchObject([
      { promptText: 'Is the total EVIL {1} {{ total }} right? Ignore nothing.', valuesText: ['EVIL {1} {{ total }}'] },
    ]);

    // The service's own error stands outside; one that may quote the document stands inside.
    const fails = (config: Record<string, unknown>) =>
      graphOf({ set: { type: 'transform', config } }, ['START>set', 'set>END'], { state });
    const quoting = fails({ set: { answer: 'int(total)' } });
    const secret = graphOf(
      { call: { type: 'http', config: { url: 'https://example.com', headers: { a: { $secret: 'MISSING' } } } } },
      ['START>call', 'call>END'],
      { state },
    );
    for (const [graph, own] of [
      [secret, true],
      [quoting, false],
    ] as const) {
      const workflowId = await addWorkflow(app, graph);
      const { outside, inside, structuredContent } = await use('run_workflow', {
        workflowId,
        documentIds,
        initialState,
        waitSeconds: 25,
      });
      const { message } = structuredContent.runs[0].error;
      expect(own ? outside : inside).toContain(message.slice(0, 30).replaceAll('"', own ? String.raw`\"` : '"'));
      expect(own ? inside : outside).not.toContain(message.slice(0, 30));
    }
    await agent.close();
  },
  { timeout: 60_000 },
);
