/** The SDK alone: `createMcpHandler` with one tool, no authentication, nothing behind it. */
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listenHere } from '#scripts/bench/peers/listen-here.ts';

const inputSchema = z.strictObject({});
const outputSchema = z.object({ ok: z.boolean() });

const handler = createMcpHandler(
  () => {
    const mcp = new McpServer({ name: 'bare', version: '1.0.0' });
    mcp.registerTool('ping', { description: 'Answers.', inputSchema, outputSchema }, () => ({
      content: [{ type: 'text', text: '{"ok":true}' }],
      structuredContent: { ok: true },
    }));
    return mcp;
  },
  { legacy: 'reject' },
);

const answer = toNodeHandler(handler);
await listenHere((request, response) => void answer(request as NodeIncomingMessageLike, response));
