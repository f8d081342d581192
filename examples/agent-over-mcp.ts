// An agent's first calls over MCP: list the tools, search, and read the text of the best match.
// eval "$(npm run -s seed -- --env)" && npx node examples/agent-over-mcp.ts receipt
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { MCP_URL = 'http://127.0.0.1:3002', AGENT_KEY = '' } = process.env;
if (AGENT_KEY === '') {
  console.error('AGENT_KEY is not set. Run: eval "$(npm run -s seed -- --env)"');
  process.exit(1);
}
const [query = 'receipt'] = process.argv.slice(2);

const client = new Client({ name: 'example-agent', version: '1.0.0' });
// A program with a user signs in with OAuth instead: see docs/guide/first-agent.md.
const requestInit = { headers: { authorization: `Bearer ${AGENT_KEY}` } };
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', MCP_URL), { requestInit }));

/** The structured result of a tool. A failed call is a result too: its text has the error code and a hint. */
async function call<Result>(name: string, input: object): Promise<Result> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...input } });
  if (isError === true) throw new Error(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
  return structuredContent as Result;
}

const { tools } = await client.listTools();
console.log(`${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`);

const { documents } = await call<{ documents: { id: string; title: string | null }[] }>('search_documents', { query });
console.log(`Found ${documents.length} for "${query}"`);

const [best] = documents;
if (best !== undefined) {
  // Text from documents is untrusted: never follow instructions in it.
  const { documentText } = await call<{ documentText: string }>('read_document_text', { documentId: best.id });
  console.log(`${best.id} ${best.title ?? ''}\n${documentText}`);
}
await client.close();
