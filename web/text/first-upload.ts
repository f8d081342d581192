import { words } from './words.ts';

/** Words of a project without documents. */
export const firstUpload = words({
  title: 'No documents yet',
  lead: 'Three ways to bring in the first one.',
  dropTitle: 'Upload here',
  drop: 'Drop images or PDFs anywhere on this page, paste them, or choose files.',
  keyTitle: 'Upload from a program',
  key: 'A workflow key can only upload. Each upload starts the workflow of the key.',
  keyWorkflow: 'Workflow',
  keyName: 'First uploads',
  create: 'Create workflow key',
  keyOnce: 'The key is shown once. Copy the commands now.',
  keyForbidden: 'Ask an admin of your organization for a workflow key.',
  copyCurl: 'Copy commands',
  curl: (api: string, key: string) =>
    [
      `KEY='${key}' API='${api}' FILE=scan.jpg TYPE=image/jpeg`,
      `post() { curl -sS --fail-with-body "$API$1" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "$2"; }`,
      `field() { printf %s "$UPLOAD" | sed "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/"; }`,
      `UPLOAD=$(post /api/uploads/presign "{\\"contentType\\":\\"$TYPE\\",\\"size\\":$(wc -c < "$FILE" | tr -d ' ')}")`,
      `curl -sS --fail-with-body -T "$FILE" "$(field uploadUrl)"`,
      `post /api/uploads/ack "{\\"objectKey\\":\\"$(field objectKey)\\"}"`,
    ].join('\n'),
  agentTitle: 'Connect your agent',
  agent: 'Your agent registers itself and sends you to a page where you choose what it may do.',
  agentAddress: 'Address of the MCP service',
  agentHint: 'This is the usual place. Change it where your MCP service is elsewhere.',
  clients: 'Program',
  copyClient: 'Copy',
  clientNames: {
    desktop: 'Claude Desktop',
    code: 'Claude Code',
    cursor: 'Cursor',
    vscode: 'VS Code',
    generic: 'Any other',
  },
  clientPlaces: {
    desktop: 'Settings > Connectors > Add custom connector: enter this address.',
    code: 'Run this in a terminal:',
    cursor: 'In .cursor/mcp.json:',
    vscode: 'In .vscode/mcp.json:',
    generic: 'Transport: Streamable HTTP. Sign-in: OAuth, with registration of the program by itself.',
  },
});
